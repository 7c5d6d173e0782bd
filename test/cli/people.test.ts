import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type Phase, phaseNames, workingPhases } from "../../lib/rules/phases.ts";
import { verdictEvent } from "../rules/arrange.ts";
import { decisionsFile, eventsAt, fieldOf, openQuestion, stateFile } from "./task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase, type TaskSpec, type TaskWorld, validator } from "./task-world.ts";

const concurrency = 2;

type Spec = Partial<TaskSpec> & { readonly fields?: Readonly<Record<string, string>> };

function taskAt(world: TaskWorld, name: string, phase: Phase, { fields, ...spec }: Spec = {}): Promise<TaskCase> {
  const state = { phase, ...(fields === undefined ? {} : { fields }) };
  return world.makeTask(name, { state, events: (place) => eventsAt(phase, place), ...spec });
}

/** The next pass moves on from `phase` in content only, so that it is accepted wherever it is let run. */
function proposeStay(task: TaskCase, phase: Phase): void {
  task.propose({ task: { "STATE.md": stateFile({ phase, fields: { "Next step": "moved by the pass" } }) } });
}

/** The edit was refused: no model ran, the edited bytes are kept, the accepted ones stand, and the journal says so. */
async function assertRefused(task: TaskCase, accepted: string, reason: RegExp): Promise<void> {
  const edited = task.state();
  const report = await task.pass();
  assert.deepEqual([report.exit_code, report.exit_name, report.verdict, task.calls()], [20, "rejected", null, 0]);
  assert.match(report.reason, reason);
  assert.equal(task.state(), accepted);
  const event = task.events().at(-1);
  assert.equal(event?.type, "edit_refused");
  assert.equal(task.read(event.kept ?? ""), edited);
}

test("a person between passes", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);

  it("edits content and notes: accepted, journalled, and the pass goes on from there; the runner's fields are put back", async (name) => {
    const task = await taskAt(world, name, "implement", { fields: { "Validator status": "fail" } });
    task.edit({
      Objective: "Something else",
      "Validator status": "pass",
      "Repair applied": "yes",
      "Revalidation status": "pass",
      "Evidence link": "[mine](artifacts/report.md)",
      "Last updated": "2031-01-01T00:00:00Z",
    });
    task.write("STATE.md", `${task.state()}\nA note of mine.\n`);
    const report = await task.pass("--dry-run");
    assert.match(JSON.stringify(report), /Something else/);
    proposeStay(task, "implement");
    const accepted = await task.pass();
    assert.equal(accepted.verdict, "accepted", accepted.reason);
    assert.deepEqual(
      accepted.findings.map((finding) => [finding.severity, finding.code]),
      [["info", "TP_STATE_EDITED"]],
    );
    const event = task.events().find((each) => each.type === "state_edited");
    assert.ok(event !== undefined);
    assert.deepEqual(
      [event.from, event.to, event.reopened, event.overridden],
      [
        "implement",
        "implement",
        false,
        ["Evidence link", "Validator status", "Repair applied", "Revalidation status", "Last updated"],
      ],
    );
    assert.match(event.state, /^- Objective: Something else$[\s\S]*A note of mine\.\n$/m);
    assert.deepEqual(
      ["Validator status", "Repair applied", "Revalidation status", "Evidence link"].map((label) =>
        fieldOf(event.state, label),
      ),
      ["fail", "no", "pending", ""],
    );
  });

  it("moves a working task on where the table and the gates allow it", async (name) => {
    const task = await taskAt(world, name, "shape");
    task.edit({ Phase: "implement" });
    proposeStay(task, "implement");
    const report = await task.pass();
    assert.deepEqual([report.verdict, report.from, report.to], ["accepted", "implement", "implement"], report.reason);
  });

  it("sets repair by hand: the findings that the edit added become the tickets of the next prompt", async (name) => {
    const task = await taskAt(world, name, "verify");
    task.write("STATE.md", stateFile({ phase: "repair", findings: ["the header is missing"] }));
    const report = await task.pass("--dry-run");
    assert.match(JSON.stringify(report), /the header is missing/);
    assert.equal(report.from, "repair");
  });

  const refusals: readonly { from: Phase; to: Phase; fields?: Record<string, string>; reason: RegExp }[] = [
    { from: "implement", to: "review", reason: /implement → review is not allowed/ },
    { from: "verify", to: "implement", reason: /verify → implement is not allowed/ },
    {
      from: "shape",
      to: "implement",
      fields: { "Validation plan": "TBD" },
      reason: /Validation plan is empty or a placeholder/,
    },
    { from: "verify", to: "review", reason: /validators and scenarios have not run on the current fingerprint/ },
    { from: "implement", to: "blocked", fields: { Blockers: "none" }, reason: /Blockers does not name the obstacle/ },
    { from: "shape", to: "needs_user_decision", reason: /DECISIONS\.md has no open question/ },
    { from: "verify", to: "repair", reason: /no finding says what to repair/ },
    ...phaseNames
      .filter((from) => from !== "done")
      .map((from) => ({ from, to: "done" as const, reason: /only the runner sets done/ })),
    ...phaseNames
      .filter((to) => to !== "done" && to !== "intake")
      .map((to) => ({
        from: "done" as const,
        to,
        reason: new RegExp(`from done a person may set intake; found ${to}`),
      })),
    { from: "blocked", to: "needs_user_decision", reason: /from blocked a person may set/ },
    { from: "needs_user_decision", to: "blocked", reason: /from needs_user_decision a person may set/ },
  ];
  for (const { from, to, fields, reason } of refusals) {
    it(`may not set ${from} → ${to}: refused, kept, restored, and no model runs`, async (name) => {
      const task = await taskAt(world, name, from);
      const accepted = task.state();
      task.edit({ Phase: to, Objective: "also this", ...fields });
      await assertRefused(task, accepted, reason);
    });
  }

  it("writes a secret: refused, and what is kept does not hold it", async (name) => {
    const task = await taskAt(world, name, "implement");
    const [accepted, secret] = [task.state(), `ghp_${"a1B2".repeat(9)}`];
    task.edit({ "Next step": `use ${secret}` });
    const report = await task.pass();
    assert.deepEqual([report.exit_code, task.calls(), task.state()], [20, 0, accepted]);
    const event = task.events().at(-1);
    assert.equal(event?.type, "edit_refused");
    assert.match(task.read(event.kept ?? ""), /\[redacted:/);
    assert.ok(!task.read(event.kept ?? "").includes(secret) && !task.read("artifacts/journal.jsonl").includes(secret));
  });

  for (const from of ["blocked", "needs_user_decision"] as const) {
    it(`sets any working phase from ${from}, by hand`, async (name) => {
      for (const to of workingPhases) {
        const task = await taskAt(world, `${name}-${to}`, from);
        task.edit({ Phase: to, ...(from === "blocked" ? { Blockers: "none" } : {}) });
        const report = await task.pass("--dry-run");
        assert.deepEqual([report.exit_code, report.from], [0, to], report.reason);
      }
    });

    it(`sets any working phase from ${from}, by resume`, async (name) => {
      for (const to of workingPhases) {
        const task = await taskAt(world, `${name}-${to}`, from);
        const end = await task.command("resume", "--to", to, "--reason", "the key is there", "--json");
        assert.equal(end.code, 0, end.stderr);
        assert.equal(fieldOf(task.state(), "Phase"), to);
        const event = task.events().at(-1);
        assert.ok(event?.type === "resumed");
        assert.deepEqual(
          [event.from, event.to, event.reason, event.state],
          [from, to, "the key is there", task.state()],
        );
      }
    });
  }

  it("opens a done task at intake alone, by hand or by resume, with nothing proven", async (name) => {
    const proven = { "Validator status": "pass", "Repair applied": "yes", "Revalidation status": "pass" };
    const byHand = await taskAt(world, `${name}-hand`, "done", { fields: proven });
    byHand.edit({ Phase: "intake" });
    proposeStay(byHand, "intake");
    assert.equal((await byHand.pass()).verdict, "accepted");
    const resumed = await taskAt(world, `${name}-resume`, "done", { fields: proven });
    const refused = await resumed.command("resume", "--to", "implement", "--reason", "more", "--json");
    assert.equal(refused.code, 20);
    assert.match(String(refused.json().reason), /from done a person may set intake; found implement/);
    const over = await resumed.command("run");
    assert.match(over.stderr, /the task is done; nothing to do\. .* --to intake --reason "\.\.\."\n/);
    assert.equal((await resumed.command("resume", "--to", "intake", "--reason", "more")).code, 0);
    for (const task of [byHand, resumed]) {
      assert.deepEqual(
        ["Phase", ...Object.keys(proven)].map((label) => fieldOf(task.state(), label)),
        ["intake", "pending", "no", "pending"],
      );
    }
  });

  it("resumes only what is stopped, and only to a working phase", async (name) => {
    const task = await taskAt(world, name, "implement");
    const before = task.state();
    const working = await task.command("resume", "--to", "verify", "--reason", "x", "--json");
    assert.deepEqual([working.code, working.json().reason], [20, "the task is not stopped: it is in implement"]);
    task.write("CONTROL.md", "# Control\n\n- [ ] PAUSE\n");
    const paused = await task.command("resume", "--to", "verify", "--reason", "x", "--json");
    const why = "the task is only paused: line 3 of CONTROL.md says PAUSE; tick or remove it to continue in implement";
    assert.deepEqual([paused.code, paused.json().reason], [20, why]);
    for (const to of ["done", "blocked", "verfy"])
      assert.equal((await task.command("resume", "--to", to, "--reason", "x")).code, 64);
    assert.equal((await task.command("resume", "--to", "verify")).code, 64);
    assert.equal(task.state(), before);
  });

  for (const how of ["resume", "hand"] as const) {
    it(`reopens a spent task by ${how}: Blockers and counters are cleared, spent passes stay and the message names the key`, async (name) => {
      const blockers = "Stopped by task-phase: the same failure.";
      const escalation = { cause: "stuck", to: "blocked", blockers, question: null } as const;
      const failure = { signature: "redirected validator tests", count: 3, passes: [] };
      const contract = ["budget: { passes: 3, repairs: 1 }", validator];
      const task = await taskAt(world, name, "blocked", {
        contract,
        fields: { Blockers: blockers },
        events: async (place) => [
          ...(await eventsAt("verify", place)),
          verdictEvent("verify", "repair", place, {
            pass: 1,
            verdict: "redirected",
            failure: { ...failure, count: 1 },
          }),
          verdictEvent("repair", "verify", place, { pass: 2 }),
          verdictEvent("verify", "blocked", place, { pass: 3, verdict: "redirected", failure, escalation }),
        ],
      });
      if (how === "resume") {
        const end = await task.command("resume", "--to", "verify", "--reason", "mended", "--json");
        assert.equal(end.code, 0, end.stderr);
        assert.match(
          String(end.json().reason),
          /^blocked → verify; all 3 passes are spent, so raise `budget\.passes` in the brief$/,
        );
      } else task.edit({ Phase: "verify" });
      const spent = await task.pass();
      assert.deepEqual([spent.exit_code, task.calls()], [3, 0]);
      assert.match(spent.reason, /budget\.passes/);
      const opened = task.events().findLast((event) => event.type === (how === "resume" ? "resumed" : "state_edited"));
      assert.ok(opened?.type === "resumed" || opened?.type === "state_edited");
      assert.equal(fieldOf(opened.state, "Blockers"), "none");
      task.write("README.md", task.read("README.md").replace("passes: 3", "passes: 4"));
      assert.equal((await task.command("resume", "--to", "verify", "--reason", "raised")).code, 0);
      task.propose({ task: { "STATE.md": stateFile({ phase: "repair", findings: ["the header is missing"] }) } });
      const next = await task.pass();
      assert.deepEqual([next.verdict, next.to, next.exit_code], ["accepted", "repair", 0], next.reason);
      assert.equal(next.pass, 4);
    });
  }

  it("keeps a person's own Blockers when the task is opened again", async (name) => {
    const task = await taskAt(world, name, "blocked", { fields: { Blockers: "ask Ann" } });
    assert.equal((await task.command("resume", "--to", "implement", "--reason", "go")).code, 0);
    assert.equal(fieldOf(task.state(), "Blockers"), "ask Ann");
  });

  it("edits the brief: accepted, journalled, shown in the evidence, and earlier results are void", async (name) => {
    const task = await taskAt(world, name, "review", {
      fields: { "Validator status": "pass", "Repair applied": "yes", "Revalidation status": "pass" },
    });
    const was = task.events()[0];
    task.write("README.md", `${task.read("README.md")}\nAnd one thing more.\n`);
    proposeStay(task, "review");
    const report = await task.pass();
    assert.equal(report.verdict, "accepted", report.reason);
    assert.deepEqual(
      report.findings.map((finding) => finding.code),
      ["TP_BRIEF_CHANGED"],
    );
    const event = task.events().find((each) => each.type === "brief_changed");
    assert.ok(event !== undefined && was?.type === "adopted");
    assert.equal(event.was, was.contract_sha256);
    assert.notEqual(event.contract_sha256, was.contract_sha256);
    assert.deepEqual(
      ["Validator status", "Revalidation status"].map((label) => fieldOf(event.state, label)),
      ["pending", "pending"],
    );
    assert.match(task.read("artifacts/evidence.html"), /brief/i);
  });

  it("cannot set review by hand on results that an edit of the brief made void", async (name) => {
    const events: NonNullable<TaskSpec["events"]> = async (place) => {
      const all = await eventsAt("review", place);
      const { checks } = all[2] as ReturnType<typeof verdictEvent>;
      return [...all.slice(0, 2), verdictEvent("verify", "verify", place, { checks })];
    };
    const good = await taskAt(world, `${name}-good`, "verify", { events });
    good.edit({ Phase: "review" });
    assert.equal((await good.pass("--dry-run")).from, "review");
    const task = await taskAt(world, `${name}-void`, "verify", { events });
    task.write("README.md", `${task.read("README.md")}\nAnd one thing more.\n`);
    const accepted = task.state();
    task.edit({ Phase: "review" });
    await assertRefused(task, accepted, /validators and scenarios have not run on the current fingerprint/);
  });

  for (const phase of phaseNames.filter((name) => name !== "intake")) {
    it(`has STATE.md in ${phase} without a journal: 65, and nothing is written`, async (name) => {
      const task = await taskAt(world, name, phase, { events: null });
      const before = task.state();
      const report = await task.pass();
      assert.deepEqual(
        [report.exit_code, report.findings.map((finding) => finding.code), task.calls()],
        [65, ["TP_NO_JOURNAL"], 0],
      );
      assert.deepEqual([task.state(), task.exists("artifacts/journal.jsonl")], [before, false]);
    });
  }

  it("adopts STATE.md at intake, and starts a journal elsewhere by resume with its reason", async (name) => {
    const fresh = await taskAt(world, `${name}-fresh`, "intake", { events: null });
    proposeStay(fresh, "intake");
    assert.equal((await fresh.pass()).verdict, "accepted");
    assert.equal(fresh.events()[0]?.type, "adopted");
    const moved = await taskAt(world, `${name}-moved`, "verify", {
      events: null,
      fields: { "Validator status": "pass" },
    });
    assert.equal((await moved.command("resume", "--to", "verify", "--reason", "moved here from another tool")).code, 0);
    assert.deepEqual(
      moved.events().map((event) => [event.type, "reason" in event ? event.reason : null]),
      [
        ["adopted", null],
        ["resumed", "moved here from another tool"],
      ],
    );
    assert.equal(fieldOf(moved.state(), "Validator status"), "pending");
    proposeStay(moved, "verify");
    assert.equal((await moved.pass()).verdict, "accepted");
    const done = await taskAt(world, `${name}-done`, "done", { events: null });
    assert.equal((await done.command("resume", "--to", "review", "--reason", "it was done")).code, 20);
    assert.equal(done.exists("artifacts/journal.jsonl"), false);
  });

  const broken: readonly (readonly [string, (text: string) => string, RegExp])[] = [
    [
      "an unknown phase",
      (text) => text.replace("- Phase: implement", "- Phase: implment"),
      /^TP_STATE_UNKNOWN_PHASE .*implement/,
    ],
    ["a missing field", (text) => text.replace(/^- Objective:.*\n/m, ""), /^TP_STATE_MISSING_FIELD .*Objective/],
    [
      "a doubled field",
      (text) => text.replace("- Status:", "- Objective: again\n- Status:"),
      /^TP_STATE_DOUBLED_FIELD /,
    ],
    [
      "a word outside its set",
      (text) => text.replace("- Candidate done: yes", "- Candidate done: maybe"),
      /^TP_STATE_BAD_VALUE /,
    ],
  ];
  for (const [what, spoil, expected] of broken) {
    it(`leaves ${what} in STATE.md: refused with line and column, kept, and the accepted one is put back`, async (name) => {
      const task = await taskAt(world, name, "implement");
      const accepted = task.state();
      task.write("STATE.md", spoil(accepted));
      await assertRefused(task, accepted, /it cannot be read \(line \d+: /);
      task.write("STATE.md", spoil(accepted));
      const dry = await task.pass("--dry-run");
      const [finding] = dry.findings;
      assert.deepEqual([dry.exit_code, task.state()], [20, spoil(accepted)]);
      assert.match(`${finding?.code} ${JSON.stringify(finding)}`, expected);
      assert.ok(
        finding?.file?.endsWith("T-1/STATE.md") && Number(finding.line) > 0 && Number(finding.column) > 0,
        JSON.stringify(finding),
      );
      const people = await task.run();
      assert.match(people.stderr, /T-1\/STATE\.md:\d+:\d+: error: /);
    });
  }

  it("removes STATE.md, or leaves bytes that are no text: the accepted one is put back", async (name) => {
    const task = await taskAt(world, name, "implement");
    const accepted = task.state();
    const shown = async (word: string) => (await task.command(word)).stdout + (await task.command(word)).stderr;
    rmSync(`${task.taskDir}/STATE.md`);
    assert.match(await shown("status"), /standing: runnable, STATE\.md is not as it was last accepted/);
    assert.match(await shown("check"), /the next run refuses the edit: it was removed/);
    const report = await task.pass();
    assert.deepEqual([report.exit_code, task.calls(), task.state()], [20, 0, accepted]);
    assert.match(report.reason, /refused: it was removed\. The last accepted one is back/);
    const odd = Buffer.concat([Buffer.from(accepted), Buffer.from([0xff, 0xfe, 0x0a])]);
    writeFileSync(`${task.taskDir}/STATE.md`, odd);
    assert.deepEqual([(await task.pass()).exit_code, task.state()], [20, accepted]);
    const event = task.events().at(-1);
    assert.ok(event?.type === "edit_refused");
    assert.deepEqual(readFileSync(`${task.taskDir}/${event.kept}`), odd);
    proposeStay(task, "implement");
    assert.equal((await task.pass()).verdict, "accepted");
  });

  it("puts something else in the place of STATE.md: it is kept, and the accepted one is put back", async (name) => {
    const task = await taskAt(world, name, "implement");
    const accepted = task.state();
    const file = `${task.taskDir}/STATE.md`;
    const put = {
      "a symbolic link": () => symlinkSync("/nowhere", file),
      "a folder": () => {
        mkdirSync(file);
        writeFileSync(`${file}/mine.txt`, "mine\n");
      },
      "a file that is too large for it": () => writeFileSync(file, "a".repeat(2 ** 20 + 1)),
      "a FIFO, socket or device": () => execFileSync("mkfifo", [file]),
    };
    const kept: string[] = [];
    for (const [what, replace] of Object.entries(put)) {
      rmSync(file);
      replace();
      assert.match((await task.command("status")).stdout, /standing: runnable, STATE\.md is not as it was last/, what);
      assert.match((await task.command("check")).stderr, new RegExp(`refuses the edit: it was replaced by ${what}`));
      const report = await task.pass();
      assert.deepEqual([report.exit_code, task.calls(), task.state()], [20, 0, accepted], what);
      assert.match(report.reason, /The last accepted one is back\. What was there is kept at artifacts/);
      const event = task.events().at(-1);
      assert.ok(event?.type === "edit_refused");
      kept.push(`${task.taskDir}/${event.kept}`);
    }
    const [link = "", folder = "", big = ""] = kept;
    assert.deepEqual(
      [readFileSync(link, "utf8"), readFileSync(`${folder}/mine.txt`, "utf8"), readFileSync(big).length],
      ["a link to /nowhere\n", "mine\n", 2 ** 20 + 1],
    );
    proposeStay(task, "implement");
    assert.equal((await task.pass()).verdict, "accepted");
    assert.equal((await task.command("check")).code, 0);
  });

  it("is asked in a working phase: an open question stops passes, its answer lets them go on", async (name) => {
    const task = await taskAt(world, name, "implement", { files: { "DECISIONS.md": openQuestion } });
    const before = task.state();
    const open = await task.pass();
    assert.deepEqual([open.exit_code, open.verdict, task.calls(), task.state()], [22, null, 0, before]);
    assert.match(open.reason, /Q1/);
    task.write("DECISIONS.md", decisionsFile("UTF-8"));
    proposeStay(task, "implement");
    assert.deepEqual([(await task.pass()).verdict, task.calls()], ["accepted", 1]);
  });

  for (const from of ["shape", "review"] as const) {
    it(`is asked by a pass in ${from}: answered, the task goes on there`, async (name) => {
      const task = await taskAt(world, name, from);
      task.propose({ task: { "STATE.md": stateFile({ phase: "needs_user_decision" }), "DECISIONS.md": openQuestion } });
      const asked = await task.pass();
      assert.deepEqual(
        [asked.exit_code, asked.verdict, asked.to],
        [22, "accepted", "needs_user_decision"],
        asked.reason,
      );
      assert.deepEqual([(await task.pass()).exit_code, task.calls()], [22, 1]);
      task.write("DECISIONS.md", decisionsFile("UTF-8"));
      const to = from === "shape" ? "implement" : "done";
      task.propose({ task: { "STATE.md": stateFile({ phase: to }) } });
      const next = await task.pass();
      assert.deepEqual([next.verdict, next.from, next.to], ["accepted", from, to], next.reason);
      const answered = task.events().find((event) => event.type === "answered");
      assert.ok(answered !== undefined);
      assert.deepEqual([answered.from, answered.to, answered.questions], ["needs_user_decision", from, ["Q1"]]);
    });
  }

  await Promise.all(cases);
});

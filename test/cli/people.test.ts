import assert from "node:assert/strict";
import { test } from "node:test";
import type { Phase } from "../../lib/rules/phases.ts";
import { verdictEvent } from "../rules/arrange.ts";
import { decisionsFile, eventsAt, fieldOf, openQuestion, stateFile } from "./task-states.ts";
import {
  makeCases,
  makeTaskWorld,
  proof,
  type TaskCase,
  type TaskSpec,
  type TaskWorld,
  validator,
} from "./task-world.ts";

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

  // The table and its gates are the rules'; the open questions are read from DECISIONS.md.
  const refusals: readonly { from: Phase; to: Phase; reason: RegExp }[] = [
    { from: "implement", to: "review", reason: /implement → review is not allowed/ },
    { from: "shape", to: "needs_user_decision", reason: /DECISIONS\.md has no open question/ },
  ];
  for (const { from, to, reason } of refusals) {
    it(`may not set ${from} → ${to}: refused, kept, restored, and no model runs`, async (name) => {
      const task = await taskAt(world, name, from);
      const accepted = task.state();
      task.edit({ Phase: to, Objective: "also this" });
      await assertRefused(task, accepted, reason);
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

  for (const how of ["resume", "hand"] as const) {
    it(`sets review by ${how} after a stop: the checks run before a model is paid, and the review counts`, async (name) => {
      const blockers = "Stopped by task-phase: the budget is spent.";
      const escalation = { cause: "stuck", to: "needs_user_decision", blockers, question: null } as const;
      const failure = { signature: "rejected promise", count: 3, passes: [] };
      const task = await taskAt(world, name, "needs_user_decision", {
        contract: [validator],
        fields: { Blockers: blockers, "Candidate done": "yes" },
        files: proof,
        events: async (place) => [
          ...(await eventsAt("review", place)),
          verdictEvent("review", "needs_user_decision", place, { pass: 3, verdict: "rejected", failure, escalation }),
        ],
      });
      if (how === "resume")
        assert.equal((await task.command("resume", "--to", "review", "--reason", "raised")).code, 0);
      else task.edit({ Phase: "review" });
      task.propose({ task: { "STATE.md": stateFile({ phase: "done", fields: { "Candidate done": "yes" } }) } }, "any");
      const report = await task.pass();
      assert.deepEqual([report.verdict, report.to, task.calls()], ["accepted", "done", 1], report.reason);
    });
  }

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

  it("has STATE.md in verify without a journal: 65, and nothing is written", async (name) => {
    const task = await taskAt(world, name, "verify", { events: null });
    const before = task.state();
    const report = await task.pass();
    assert.deepEqual(
      [report.exit_code, report.findings.map((finding) => finding.code), task.calls()],
      [65, ["TP_NO_JOURNAL"], 0],
    );
    assert.deepEqual([task.state(), task.exists("artifacts/journal.jsonl")], [before, false]);
  });

  it("adopts STATE.md at intake", async (name) => {
    const fresh = await taskAt(world, name, "intake", { events: null });
    proposeStay(fresh, "intake");
    assert.equal((await fresh.pass()).verdict, "accepted");
    assert.equal(fresh.events()[0]?.type, "adopted");
  });

  it("leaves an unknown phase in STATE.md: refused with its place, kept, and the accepted one is put back", async (name) => {
    const task = await taskAt(world, name, "implement");
    const accepted = task.state();
    const spoiled = accepted.replace("- Phase: implement", "- Phase: implment");
    task.write("STATE.md", spoiled);
    await assertRefused(task, accepted, /it cannot be read \(line \d+: /);
    task.write("STATE.md", spoiled);
    const dry = await task.pass("--dry-run");
    const [finding] = dry.findings;
    assert.deepEqual([dry.exit_code, task.state(), finding?.code], [20, spoiled, "TP_STATE_UNKNOWN_PHASE"]);
    const people = await task.run();
    assert.match(people.stderr, /T-1\/STATE\.md:\d+:\d+: error: /);
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

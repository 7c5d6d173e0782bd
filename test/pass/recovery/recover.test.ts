import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { pidNamespace } from "../../../lib/process/temporary-folder.ts";
import { noFacts, noPolicy } from "../../../lib/rules/facts.ts";
import { lockRepo } from "../../../lib/task/locks.ts";
import { waitsForRecovery } from "../../../lib/task/records/anchor.ts";
import { readCommit, readCurrent, recordCurrent } from "../../../lib/task/records/records.ts";
import { lockPath, lockRuntime } from "../../../lib/task/runtime-files.ts";
import { runtimeOf } from "../../../lib/task/runtime-place.ts";
import { accept, openHeld } from "../../../lib/task/session.ts";
import { at } from "../../cli/task-states.ts";
import { validator } from "../../cli/task-world.ts";
import { passStarted, reported } from "../../rules/arrange.ts";
import { type CutTask, makeCutTask } from "./cut-off.ts";

/** What a recovery did, and how the task is afterwards. */
async function recover(task: CutTask): Promise<Record<string, unknown>> {
  const lines = task.read("artifacts/journal.jsonl").split("\n").length - 1;
  const findings = await task.recover();
  assert.deepEqual([readCurrent(task.anchor.folder), readCommit(task.anchor.folder)], [null, null]);
  assert.equal(waitsForRecovery(task.place, task.ports), false);
  assert.deepEqual(await task.recover(), [], "there is nothing left to recover");
  const added = task.events().slice(lines);
  const last = task.events().at(-1);
  return {
    found: findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
    added: added.map((event) => (event.type === "verdict" ? `verdict ${event.verdict}` : event.type)),
    last: last?.type === "verdict" ? last.verdict : last?.type,
    kept: task.list("artifacts/passes"),
    log: task.exists("log.txt") ? task.read("log.txt").trimEnd().split("\n").length : 0,
  };
}

const begun = ["0001/STATE.before.md", "0001/prompt.md", "0001/watched.json"];
const staged = [...begun, "0001/stderr.log", "0001/stdout.log"].sort();
const proposed = [...staged, "0001/STATE.proposed.md"].sort();
const judged = [...proposed, "0001/pass.json"].sort();
const interrupted =
  "warning TP_INTERRUPTED: pass 1 was interrupted; STATE.md is the last accepted one, and the pass's work stays in the repo";

const setAside = "warning TP_COMMIT_REFUSED: an event that waited in the state folder was not accepted, since ";
const commitRefused = `${setAside}no runner wrote it`;

interface Cut {
  readonly title: string;
  readonly call: RegExp;
  readonly nth?: number;
  readonly kept: readonly string[];
}

/** Cut off before the verdict was accepted: the pass is interrupted, whatever the runner had written of it. */
const undone: readonly Cut[] = [
  { title: "before the journal has its pass", call: /^write .*journal\.jsonl$/, nth: 2, kept: begun },
  { title: "before its model was called", call: /^open .*staging\/stdout\.log$/, kept: begun },
  {
    title: "when its model had answered",
    call: /^open .*staging\/STATE\.proposed|^open .*staging\/\.tp-/,
    kept: staged,
  },
  { title: "before its verdict", call: /^rename .*checkpoint-/, kept: proposed },
  { title: "before what was proposed is kept", call: /^rename .*STATE\.proposed\.md$/, nth: 2, kept: proposed },
  { title: "before its record", call: /^rename .*pass\.json$/, kept: judged },
  { title: "before its evidence", call: /^rename .*EVIDENCE\.md$/, kept: judged },
  { title: "before its verdict was accepted", call: /^rename .*commit\.json$/, nth: 2, kept: judged },
];

/** Cut off afterwards: the next start carries out what was accepted. */
const carriedOut: readonly Omit<Cut, "kept">[] = [
  { title: "before the journal has it", call: /^write .*journal\.jsonl$/, nth: 3 },
  { title: "before the journal has it durably", call: /^fsync .*journal\.jsonl$/, nth: 2 },
  { title: "before STATE.md", call: /^rename .*STATE\.md$/, nth: 2 },
  { title: "before log.txt", call: /^write .*log\.txt$/ },
  { title: "before log.txt is durable", call: /^fsync .*log\.txt$/ },
  { title: "before the pass is forgotten", call: /^rm .*current\.json$/ },
  { title: "before the event is settled", call: /^rename .*accepted\.json$/, nth: 2 },
];

describe("a run that was cut off before its verdict was accepted", () => {
  for (const { title, call, nth, kept } of undone) {
    test(`${title}: the pass is interrupted, and the accepted STATE.md stands`, async (t) => {
      const task = await makeCutTask(t, "shape");
      task.propose({ repo: { "more.txt": "work\n" }, task: { "artifacts/mine.txt": "mine\n" } });
      const state = task.state();
      await task.cutOff(call, nth);
      assert.equal(waitsForRecovery(task.place, task.ports), true);
      assert.deepEqual(await recover(task), {
        found: [interrupted],
        added: [...(title === "before the journal has its pass" ? ["pass_started"] : []), "verdict interrupted"],
        last: "interrupted",
        kept: [...new Set([...kept, "0001/pass.json"])].sort(),
        log: 1,
      });
      assert.equal(task.state(), state);
    });
  }
});

test("the pass's own first files that a power cut took are put back, and nobody is blamed", async (t) => {
  for (const lost of ["prompt.md", "STATE.before.md"]) {
    const task = await makeCutTask(t, "shape");
    await task.cutOff(/^rename .*checkpoint-/);
    const before = ["prompt.md", "STATE.before.md"].map((name) => task.read(`artifacts/passes/0001/${name}`));
    rmSync(join(task.place.passes, "0001", lost), { recursive: true });
    const { found } = await recover(task);
    assert.deepEqual(found, [interrupted]);
    const after = ["prompt.md", "STATE.before.md"].map((name) => task.read(`artifacts/passes/0001/${name}`));
    assert.deepEqual(after, before);
  }
});

test("a first file of the pass that was changed is put back and blamed", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  const prompt = task.read("artifacts/passes/0001/prompt.md");
  task.write("artifacts/passes/0001/prompt.md", "another\n");
  assert.deepEqual((await recover(task)).found, [`${interrupted}; restored: artifacts/passes/0001/prompt.md`]);
  assert.equal(task.read("artifacts/passes/0001/prompt.md"), prompt);
});

test("a journal that a power cut took the beginning of its pass from gets it again, and nobody is blamed", async (t) => {
  for (const kept of [0, 20]) {
    const task = await makeCutTask(t, "shape");
    await task.cutOff(/^rename .*checkpoint-/);
    const whole = task.read("artifacts/journal.jsonl");
    const start = whole.lastIndexOf("\n", whole.length - 2) + 1;
    task.write("artifacts/journal.jsonl", whole.slice(0, start + kept));
    assert.deepEqual((await recover(task)).found, [interrupted]);
    assert.ok(task.read("artifacts/journal.jsonl").startsWith(whole));
  }
});

test("a verdict that was accepted when a power cut took the beginning of its pass is carried out all the same", async (t) => {
  const task = await makeCutTask(t, "shape");
  task.propose({ task: { "STATE.md": task.state().replace("go on", "go on and on") } });
  await task.cutOff(/^write .*journal\.jsonl$/, 3);
  const whole = task.read("artifacts/journal.jsonl");
  task.write("artifacts/journal.jsonl", whole.slice(0, whole.lastIndexOf("\n", whole.length - 2) + 1));
  const { found, last } = await recover(task);
  assert.deepEqual([found, last], [[], "accepted"]);
  assert.ok(task.read("artifacts/journal.jsonl").startsWith(whole));
  assert.match(task.state(), /go on and on/);
});

test("a waiting verdict that does not follow from its pass's record is refused", async (t) => {
  const task = await makeCutTask(t, "shape");
  task.propose({ task: { "STATE.md": task.state().replace("go on", "go on and on") } });
  await task.cutOff(/^write .*journal\.jsonl$/, 3);
  const path = "artifacts/passes/0001/pass.json";
  const record = JSON.parse(task.read(path)) as { end: object };
  task.write(path, JSON.stringify({ ...record, end: { kind: "failed" } }));
  const state = task.state();
  const { found, last } = await recover(task);
  const why = "the record of pass 1 is not the one that the journal names";
  assert.deepEqual([found, last], [[`${commitRefused}: ${why}`, interrupted], "interrupted"]);
  assert.equal(task.state(), state);
});

test("a waiting verdict without its pass's record is refused", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^write .*journal\.jsonl$/, 3);
  rmSync(join(task.place.passes, "0001/pass.json"));
  const { found, last } = await recover(task);
  assert.deepEqual([found, last], [[`${commitRefused}: the record of pass 1 is missing`, interrupted], "interrupted"]);
});

test("an event that waits for a journal that a person replaced by an earlier one is set aside, and the task goes on", async (t) => {
  const task = await makeCutTask(t, "shape");
  const earlier = task.read("artifacts/journal.jsonl");
  const session = openHeld(task.place, task.anchor, task.ports);
  accept(session, { event: { type: "relinked", at, state: task.state() }, state: task.state() });
  const whole = task.read("artifacts/journal.jsonl");
  accept(session, { event: { type: "cancelled", at, state: null }, state: null });
  const commit = readFileSync(join(task.anchor.folder, "accepted.json"));
  const waits = (journal: string) => {
    task.write("artifacts/journal.jsonl", journal);
    writeFileSync(join(task.anchor.folder, "commit.json"), commit);
  };
  const found = async () =>
    (await task.recover()).map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  waits(whole);
  assert.deepEqual([await found(), task.events().at(-1)?.type], [[], "cancelled"]);
  waits(earlier);
  const why = "the journal is another one now: cancelled";
  assert.deepEqual(await found(), [`${setAside}${why}`]);
  assert.deepEqual([task.read("artifacts/journal.jsonl"), readCommit(task.anchor.folder)], [earlier, null]);
  waits(`${whole}{"seq":99}\n`);
  await assert.rejects(task.recover(), /expected/);
  // It may come back, as with the branch that a person left.
  rmSync(task.place.journal);
  await assert.rejects(task.recover(), { message: /the journal is missing, and an event waits for it: cancelled/ });
  waits(whole);
  assert.deepEqual([await found(), task.events().at(-1)?.type], [[], "cancelled"]);
});

test("records of a pass that came back after its end, in any mixture, are none", async (t) => {
  const task = await makeCutTask(t, "shape");
  const { folder } = task.anchor;
  await task.cutOff(/^rm .*current\.json$/);
  const names = readdirSync(folder).filter((name) => /^(?:current|process)\.json$|^checkpoint-/.test(name));
  assert.equal(names.length, 2);
  const records = names.map((name) => [name, readFileSync(join(folder, name))] as const);
  await recover(task);
  const after = [task.state(), task.read("artifacts/journal.jsonl"), task.list(".")];
  for (const back of [[0], [1], [0, 1]]) {
    for (const index of back) writeFileSync(join(folder, records[index]?.[0] ?? ""), records[index]?.[1] ?? "");
    assert.equal(readCurrent(folder), null);
    assert.equal(waitsForRecovery(task.place, task.ports), false);
    assert.deepEqual(await task.recover(), []);
    assert.deepEqual([task.state(), task.read("artifacts/journal.jsonl"), task.list(".")], after);
    assert.deepEqual(
      readdirSync(folder).filter((name) => names.includes(name)),
      [],
    );
  }
});

test("a run that was cut off before its pass was noted has begun none", async (t) => {
  const task = await makeCutTask(t, "shape");
  const before = [task.state(), task.read("artifacts/journal.jsonl")];
  await task.cutOff(/^rename .*current\.json$/);
  assert.equal(waitsForRecovery(task.place, task.ports), false);
  const { kept, ...rest } = await recover(task);
  assert.deepEqual([kept, rest], [begun, { found: [], added: [], last: "watched", log: 0 }]);
  assert.deepEqual(task.state(), before[0]);
  assert.ok(task.read("artifacts/journal.jsonl").startsWith(before[1] ?? "missing"));
  await task.run("--json");
  const passes = task.events().flatMap((event) => (event.type === "pass_started" ? [event.pass] : []));
  assert.deepEqual(passes, [1]);
});

describe("a run that was cut off after its verdict was accepted", () => {
  for (const { title, call, nth } of carriedOut) {
    test(`${title}: the verdict stands`, async (t) => {
      const task = await makeCutTask(t, "shape");
      task.propose({
        repo: { "more.txt": "work\n" },
        task: { "STATE.md": task.state().replace("go on", "go on and on") },
      });
      await task.cutOff(call, nth);
      assert.equal(waitsForRecovery(task.place, task.ports), true);
      const { added, ...after } = await recover(task);
      assert.deepEqual(added, title === "before the journal has it" ? ["verdict accepted"] : []);
      assert.deepEqual(after, { found: [], last: "accepted", kept: judged, log: 1 });
    });
  }
});

describe("forbidden changes of an interrupted pass", () => {
  test("is put back and named, and its own STATE.md is put aside", async (t) => {
    const task = await makeCutTask(t, "shape", {
      files: { "TASKS.md": "- [x] one step\n", "SUMMARY.md": "as it was\n" },
    });
    const names = ["README.md", "TASKS.md", "artifacts/journal.jsonl", "SUMMARY.md"] as const;
    task.propose({
      repo: { "more.txt": "work\n" },
      task: { ...Object.fromEntries(names.map((name) => [name, "forged\n"])), "STATE.md": "# mine\n" },
    });
    const [state, ...before] = ["STATE.md", ...names].map(task.read);
    await task.cutOff(/^mkdir .*staging\/kept/);
    const { found, kept } = await recover(task);
    assert.deepEqual(found, [`${interrupted}; restored: ${names.join(", ")}`]);
    assert.deepEqual(["STATE.md", "README.md", "TASKS.md", "SUMMARY.md"].map(task.read), [
      state,
      ...[before[0], before[1], before[3]],
    ]);
    assert.equal(task.read("artifacts/passes/0001/STATE.proposed.md"), "# mine\n");
    assert.equal(task.read("artifacts/passes/0001/kept/README.md"), "forged\n");
    assert.ok((kept as string[]).includes("0001/kept/artifacts/journal.jsonl"));
    assert.ok(task.read("artifacts/journal.jsonl").startsWith(before[2] ?? "missing"));
    assert.equal(readFileSync(join(task.folder, "repo", "more.txt"), "utf8"), "work\n");
    const last = task.events().at(-1);
    assert.deepEqual(last?.type === "verdict" ? last.tampering?.map(({ path }) => path) : [], names);
  });

  test("is left alone if the runner itself wrote it after its last comparison", async (t) => {
    const task = await makeCutTask(t, "shape");
    await task.cutOff(/^rename .*commit\.json$/, 2);
    const written = ["EVIDENCE.md", "artifacts/evidence.html"].map(task.read);
    task.write("artifacts/passes/0001/kept/note.txt", "kept\n");
    task.write("README.md", "forged\n");
    task.write("EVIDENCE.md", `${written[0]}\nA line below the runner's parts.\n`);
    task.write("artifacts/passes/0001/mine.txt", "forged\n");
    const { found } = await recover(task);
    assert.deepEqual(found, [`${interrupted}; restored: README.md, artifacts/passes/0001/mine.txt`]);
    assert.deepEqual(
      [task.exists("artifacts/passes/0001/mine.txt"), written.every((text) => text !== "")],
      [false, true],
    );
    assert.equal(task.read("artifacts/passes/0001/kept/note.txt"), "kept\n");
  });

  test("is not looked for in a repo that is gone", async (t) => {
    const task = await makeCutTask(t, "shape");
    await task.cutOff(/^rename .*checkpoint-/);
    rmSync(join(task.folder, "repo"), { recursive: true });
    assert.deepEqual((await recover(task)).found, [interrupted]);
  });
});

test("a pass that ended before its verdict is closed by the journal alone where the state folder is lost", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  rmSync(task.anchor.folder, { recursive: true });
  mkdirSync(task.anchor.folder, { recursive: true, mode: 0o700 });
  const { found, added } = await recover(task);
  assert.deepEqual([found, added], [[interrupted], ["verdict interrupted"]]);
});

test("a RETRY that such a pass may have written is refused too", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  rmSync(task.anchor.folder, { recursive: true });
  mkdirSync(task.anchor.folder, { recursive: true, mode: 0o700 });
  task.write("CONTROL.md", "- [ ] RETRY\n");
  assert.equal(((await recover(task)).found as string[]).length, 2);
  assert.match(task.read("CONTROL.md"), /^- \[x\] RETRY.*refused: written during pass 1/);
});

test("the record of an interrupted pass says what is known of it, and nothing that is not", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  await recover(task);
  const { before, facts, decision, ...rest } = JSON.parse(task.read("artifacts/passes/0001/pass.json"));
  assert.equal(before.state.phase, "shape");
  assert.deepEqual([decision.verdict, decision.to, decision.exit_name], ["interrupted", "shape", "paused"]);
  const { fingerprint, history, ...known } = facts;
  assert.equal(fingerprint.before, fingerprint.after);
  assert.deepEqual(history, { passes: 0, repairs: 0, failure: null, timeouts_in_row: 0 });
  const end = { kind: "interrupted", reason: "the runner was cut off before a verdict", cause: "cut_off" };
  assert.deepEqual(known, { ...noFacts, pass: 1, end });
  assert.deepEqual(rest, {
    version: 1,
    task: "T-1",
    pass: 1,
    model: null,
    stages: [],
    proposal: { kind: "unreadable", problems: [] },
    policy: noPolicy,
    overridden: [],
    changed_paths: [],
    output: null,
    ended_processes: [],
    note: "recorded by the next run",
  });
  const notes = readFileSync(join(task.folder, "tasks", ".task-phase", "changelog", "prepared.md"), "utf8");
  assert.match(notes, /interrupted/, "so do the notes about its model");
});

test("a pass that was cut off is charged the time since it began", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  const began = task.events().find(({ type }) => type === "pass_started");
  Object.assign(task.ports, { now: () => new Date(Date.parse(began?.at ?? "") + 7_000) });
  await task.recover();
  const last = task.events().at(-1);
  assert.deepEqual(last?.type === "verdict" && [last.verdict, last.duration_ms], ["interrupted", 7_000]);
});

test("folders of work and of git that a killed run left are removed, whether or not its pass is known", async (t) => {
  const gone = spawnSync("true").pid;
  for (const cut of [null, /^rename .*checkpoint-/]) {
    const task = await makeCutTask(t, "shape");
    if (cut !== null) await task.cutOff(cut);
    const left = [
      join(tmpdir(), `task-phase-${basename(task.anchor.folder).slice(0, 16)}-left`),
      join(tmpdir(), `task-phase-git-${pidNamespace()}-${gone}-left`),
      join(task.anchor.folder, "proof"),
      join(task.anchor.folder, "review-1"),
    ];
    for (const folder of left) mkdirSync(join(folder, "inner"), { recursive: true });
    await task.recover();
    assert.deepEqual(left.filter(existsSync), []);
  }
});

test("a run that was cut off before its model was called leaves its event, and an edit of STATE.md is kept", async (t) => {
  const task = await makeCutTask(t, "implement");
  await task.cutOff(/^rename .*commit\.json$/, 2);
  const state = task.state();
  task.write("STATE.md", "# edited by hand\n");
  const { found, added, kept } = await recover(task);
  assert.deepEqual(found, [
    "warning TP_RECOVERED: a run was cut off before its model was called; what it left was removed",
    "warning TP_STATE_KEPT: STATE.md was edited while the runner worked on the task; the edit is kept, and was not judged",
  ]);
  assert.deepEqual(added, ["recovered"]);
  assert.equal(task.state(), state);
  const seq = String(task.events().length).padStart(4, "0");
  assert.deepEqual(kept, ["0001/before/validators/tests.log", "0001/watched.json", `recovered/${seq}/STATE.md`]);
});

test("a run that was cut off after calling reviewers charges them, and keeps no copy of an accepted STATE.md", async (t) => {
  const task = await makeCutTask(t, "implement");
  await task.cutOff(/^rename .*commit\.json$/, 2);
  const current = readCurrent(task.anchor.folder) ?? assert.fail("no pass is under way");
  const call = reported({ pass: current.pass, at: "2025-01-01T00:00:00.000Z", cost_usd: 0.25 });
  recordCurrent(task.anchor, { ...current, reviewers: [call] });
  const { added, kept } = await recover(task);
  assert.deepEqual(added, ["recovered", "reviewed"]);
  assert.deepEqual(
    (kept as string[]).filter((name) => name.endsWith("STATE.md")),
    [],
  );
  const last = task.events().at(-1);
  assert.deepEqual(last?.type === "reviewed" ? [last.at, last.cost_usd] : [], [at, 0.25]);
});

test("protected paths of an interrupted pass are put back too, as long as there is a repo", async (t) => {
  const contract = [validator, 'protected: ["test/**"]'];
  const repo = { "good.txt": "good\n", "test/a.js": "1\n" };
  const task = await makeCutTask(t, "shape", { contract, repo });
  task.propose({ repo: { "test/a.js": "forged\n", "test/.tp-0123456789abcdef.tmp": "half" } });
  const inRepo = (name: string) => join(task.folder, "repo", name);
  await task.cutOff(/^mkdir .*staging\/kept/);
  assert.deepEqual((await recover(task)).found, [`${interrupted}; restored: test/a.js`]);
  assert.equal(readFileSync(inRepo("test/a.js"), "utf8"), "1\n");
  assert.equal(existsSync(inRepo("test/.tp-0123456789abcdef.tmp")), false);
  await task.cutOff(/^rename .*checkpoint-/);
  rmSync(inRepo(""), { recursive: true });
  const [found] = (await recover(task)).found as string[];
  assert.equal(found, interrupted.replace("pass 1", "pass 2"));
});

test("half-written notes about models stay where another runner keeps writing them", async (t) => {
  const task = await makeCutTask(t, "shape");
  const { place, ports } = task;
  const left = [place.runtime, join(place.runtime, "changelog")].map((folder) =>
    join(folder, ".tp-0123456789abcdef.tmp"),
  );
  for (const path of left) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "half");
  }
  const lock = lockRuntime(runtimeOf(place, ports)) ?? assert.fail("the notes are locked already");
  const hours = [0, 1, 2, 3].map((hour) => hour * 3_600_000);
  t.mock.method(performance, "now", () => hours.shift() ?? assert.fail("it waits on"));
  assert.deepEqual(await task.recover(), []);
  assert.deepEqual(left.map(existsSync), [true, true]);
  lock.release();
  await task.recover();
  assert.deepEqual(left.map(existsSync), [false, false]);
  mkdirSync(join(left[1] ?? ""));
  rmSync(lockPath(runtimeOf(place, ports)));
  mkdirSync(lockPath(runtimeOf(place, ports)));
  writeFileSync(left[0] ?? "", "half");
  await assert.rejects(task.recover(), { name: "TaskPhaseError", exitName: "failure" });
});

test("processes that a killed run left are ended and counted", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  const mark = readCurrent(task.anchor.folder)?.mark.id ?? assert.fail("no pass is under way");
  const left = spawn("sh", ["-c", "echo ready; read never"], {
    env: { PATH: process.env.PATH, TASK_PHASE_MARK: mark },
    stdio: ["pipe", "pipe", "ignore"],
  });
  t.after(() => left.kill("SIGKILL"));
  const ended = new Promise((resolve) => left.once("exit", (_, signal) => resolve(signal)));
  // The kernel shows no environment of one that is only about to become another program.
  await new Promise((resolve) => left.stdout.once("data", resolve));
  assert.deepEqual((await recover(task)).found, [`${interrupted}; 1 of its processes were killed`]);
  assert.equal(await ended, "SIGTERM");
});

test("a recovered pass is judged by the fingerprint that it began with", async (t) => {
  const task = await makeCutTask(t, "shape");
  task.propose({ repo: { "more.txt": "work\n" } });
  await task.cutOff(/^rename .*checkpoint-/);
  await recover(task);
  const started = task.events().find((event) => event.type === "pass_started") ?? assert.fail();
  const last = task.events().at(-1);
  assert.ok(last?.type === "verdict" && started.type === "pass_started");
  assert.equal(last.fingerprint.before, started.fingerprint);
  assert.notEqual(last.fingerprint.after, started.fingerprint);
});

test("nothing is recovered while another runner works on the repo", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  const repo = readCurrent(task.anchor.folder)?.repo ?? assert.fail("no pass is under way");
  const lock = lockRepo(repo, task.ports);
  try {
    await assert.rejects(task.recover(), { name: "TaskPhaseError", exitName: "locked" });
    assert.ok(readCurrent(task.anchor.folder) !== null);
  } finally {
    lock.release();
  }
  assert.deepEqual((await recover(task)).found, [interrupted]);
});

test("a SUMMARY.md that was written for a verdict which was not accepted is put back", async (t) => {
  const task = await makeCutTask(t, "review", { files: { "SUMMARY.md": "as it was\n" } });
  task.propose({ task: { "STATE.md": task.state().replace("- Phase: review", "- Phase: done") } });
  await task.cutOff(/^rename .*commit\.json$/, 2);
  assert.notEqual(task.read("SUMMARY.md"), "as it was\n");
  assert.deepEqual((await recover(task)).found, [interrupted.replace("pass 1", "pass 2")]);
  assert.equal(task.read("SUMMARY.md"), "as it was\n");
});

test("a journal that starts a pass and accepts no STATE.md stops the recovery", async (t) => {
  const started = passStarted(1, { phase: "intake", model: "prepared" });
  const task = await makeCutTask(t, "intake", { events: () => [started] });
  await assert.rejects(task.recover(), /the journal starts a pass but accepts no STATE\.md/);
  assert.equal(task.events().length, 1);
});

test("a RETRY that was written while the pass ran is refused", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  task.write("CONTROL.md", "- [ ] RETRY\n");
  const { found } = await recover(task);
  assert.deepEqual(
    (found as string[])[0],
    "warning TP_CONTROL_RETRY: RETRY was written during pass 1, when the pass itself could have written it",
  );
  assert.match(task.read("CONTROL.md"), /^- \[x\] RETRY.*refused: written during pass 1/);
});

test("an edit of STATE.md makes way for what was accepted before it, and is kept", async (t) => {
  const task = await makeCutTask(t, "shape");
  task.propose({ task: { "STATE.md": task.state().replace("go on", "go on and on") } });
  await task.cutOff(/^rename .*T-1\/STATE\.md$/, 2);
  task.write("STATE.md", "# edited by hand\n");
  const { found, kept } = await recover(task);
  assert.deepEqual(found, [
    "warning TP_STATE_KEPT: STATE.md was edited while the runner worked on the task; the edit is kept, and was not judged",
  ]);
  assert.ok((kept as string[]).includes("0001/kept/STATE.md"));
  assert.equal(task.read("artifacts/passes/0001/kept/STATE.md"), "# edited by hand\n");
});

test("half-written notes and reports are cleared away too where only the state folder has some", async (t) => {
  const task = await makeCutTask(t, "shape");
  const { own } = runtimeOf(task.place, task.ports);
  for (const folder of [own, join(own, "changelog"), join(own, "runs")]) {
    const left = join(folder, ".tp-0123456789abcdef.tmp");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(left, "half");
    await task.recover();
    assert.equal(existsSync(left), false);
  }
});

test("half-written files are cleared away wherever the runner writes", async (t) => {
  const task = await makeCutTask(t, "shape");
  await task.cutOff(/^rename .*checkpoint-/);
  const { place, anchor } = task;
  const folders = [
    place.taskDir,
    place.artifacts,
    place.passes,
    join(place.passes, "0001"),
    place.runtime,
    anchor.folder,
  ];
  const debris = [...folders, join(anchor.folder, "copies", "blobs")].map((folder) =>
    join(folder, ".tp-0123456789abcdef.tmp"),
  );
  for (const path of debris) writeFileSync(path, "half");
  await recover(task);
  assert.deepEqual(
    debris.filter((path) => existsSync(path)),
    [],
  );
});

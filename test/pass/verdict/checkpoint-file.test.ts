import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type PassUnderWay, tryCheckpoint, writeCheckpoint } from "../../../lib/pass/verdict/checkpoint-file.ts";
import { type ControlWatch, checkpointMs, type Every, watchControl } from "../../../lib/pass/watch-control.ts";
import { readHistory } from "../../../lib/rules/add-event.ts";
import type { Ticket } from "../../../lib/rules/decision.ts";
import type { TaskHistory } from "../../../lib/rules/history.ts";
import type { Checkpoint } from "../../../lib/rules/shapes/checkpoint.ts";
import type { VerdictEvent } from "../../../lib/rules/verdict-event.ts";
import { compareAndRestore, type Guard } from "../../../lib/task/guard/guard.ts";
import { guardedPaths } from "../../../lib/task/guarded-paths.ts";
import { loadContract } from "../../../lib/task/load-contract.ts";
import { anchorFolder, clearStaging, openAnchor } from "../../../lib/task/records/anchor.ts";
import type { CurrentPass } from "../../../lib/task/records/anchor-shapes.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { type HeldTask, openHeld } from "../../../lib/task/session.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { eventsAt, stateFile } from "../../cli/task-states.ts";
import { makeTaskWorld, portsOf, type TaskCase } from "../../cli/task-world.ts";
import { counts, reported, verdictEvent } from "../../rules/arrange.ts";
import { recordDisk } from "../../store/recorded-disk.ts";
import { holdTask } from "./arrange.ts";

const noon = new Date("2026-11-21T12:00:00.000Z");

interface World {
  readonly task: TaskCase;
  readonly session: HeldTask;
  readonly guard: Guard;
  readonly checkpoint: () => Record<string, unknown>;
  /** The watch of pass 2, and its timers by their time; the clock says noon. */
  watch(): { watch: ControlWatch; timers: Map<number, () => void> };
}

/** A task after one pass in this phase, and a second one that is in progress. */
async function makeWorld(t: TestContext, text = "more\n"): Promise<World> {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", {
    state: { phase: "implement" },
    events: (place) => eventsAt("implement", place),
  });
  task.propose({ task: { "artifacts/more.md": text }, repo: { "made.txt": "made\n" }, costUsd: 0.5, tokens: [90, 10] });
  assert.equal((await task.pass()).exit_code, 0);
  const ports = portsOf(world, () => noon);
  const place = placeOf(task.taskDir);
  const anchor = openAnchor(place, ports);
  clearStaging(anchor);
  const session = openHeld(place, anchor, ports);
  const contract = loadContract(place, null, ports);
  const paths = guardedPaths(place, contract.configPaths, join(task.folder, "repo"));
  const current: CurrentPass = {
    version: 1,
    pass: 2,
    step: "exec",
    started_at: noon.toISOString(),
    repo: join(task.folder, "repo"),
    mark: { id: "none", keepalivePath: "/nonexistent" },
    work_folder: anchor.folder,
    ...anchor.trees.record({ task: place.taskDir, roots: paths.roots, options: paths, trees: new Map() }),
    protected_globs: [],
    config_paths: contract.configPaths,
    had_git: false,
  };
  const pins = { repo: current.repo, globs: [], digests: {}, entries: {} };
  return {
    task,
    session,
    guard: { place, anchor, current, pins, ports },
    checkpoint: () => JSON.parse(readFileSync(place.checkpoint, "utf8")),
    watch() {
      const timers = new Map<number, () => void>();
      const every: Every = (ms, act) => {
        timers.set(ms, act);
        return () => timers.delete(ms);
      };
      const watch = watchControl(session, contract, { pass: 2, model: "prepared", timeoutMs: 60_000 }, every);
      t.after(() => watch.stop());
      return { watch, timers };
    },
  };
}

function tampered({ guard }: World): string[] {
  return compareAndRestore(guard, "model").tampering.map(({ path }) => path);
}

test("after a verdict the checkpoint says where the task stands, as the journal has it", async (t) => {
  const world = await makeWorld(t);
  const { session } = world;
  const { timestamp, elapsed_ms, spend, ...rest } = world.checkpoint();
  assert.match(String(timestamp), /^\d{4}-\d\d-\d\dT/);
  assert(Number(elapsed_ms) > 0);
  const { time_ms, ...amounts } = spend as Record<string, unknown>;
  assert(Number(time_ms) > 0);
  assert.deepEqual(amounts, { known_usd: 0.5, charged_usd: 0.5, unknown_costs: 0, tokens: 100 });
  assert.deepEqual(rest, {
    version: 1,
    project_id: "T-1",
    state: "implement",
    request: "Export the answer",
    mode: "run",
    agents: [
      {
        name: "prepared",
        kind: "model",
        model: "prepared",
        state: "idle",
        progress: "1 pass, the last one accepted",
        findings: [],
      },
    ],
    self_heal: { current_problem: null, attempt: 0, history: [] },
    files_modified: ["made.txt"],
    git_commits: [],
    pass: 1,
    step: null,
    verdict: "accepted",
    run: null,
    model: "prepared",
    journal: { seq: session.journal.seq, head: session.journal.head },
  });
});

test("the checkpoint lists each reviewer of the contract, and any other that has reported", async (t) => {
  const { session, task } = await holdTask(t, "review");
  const finding = { severity: "major", file: null, line: null, text: "No test.", evidence: "src/a.js" } as const;
  const history = readHistory([
    ...session.journal.events,
    reported({ role: "tests", findings: [finding] }),
    reported({ role: "security", problem: "it said nothing" }),
  ]);
  const write = (under: PassUnderWay | null) => {
    writeCheckpoint({ ...session, history }, { id: "T-1", title: "T", reviewers: ["docs", "ux", "tests"] }, under);
    const { agents } = JSON.parse(task.read("artifacts/checkpoint.json"));
    return (agents as Checkpoint["agents"]).map(({ name, ...agent }) => [name, agent]);
  };
  const waiting = { kind: "reviewer", model: null, state: "waiting", progress: "has not reported yet", findings: [] };
  const told = { kind: "reviewer", model: "m" };
  const others = [
    ["ux", waiting],
    ["tests", { ...told, state: "reported", progress: "1 major, before pass 4", findings: [finding] }],
    [
      "security",
      { ...told, state: "no_report", progress: "no readable report: it said nothing, before pass 4", findings: [] },
    ],
  ];
  assert.deepEqual(write(null), [["docs", waiting], ...others]);
  const under = { pass: 5, phase: "review", model: "m", startedAt: noon, timeoutMs: 1, stages: [] } as const;
  assert.deepEqual(write({ ...under, reviewing: ["docs"] }), [
    ["docs", { ...told, state: "working", progress: "reviews before pass 5", findings: [] }],
    ...others,
  ]);
});

test("a repair and its attempts stand under self_heal", async (t) => {
  const world = makeTaskWorld(t);
  const validators = ["validators: [{ name: tests, command: [sh, -c, 'echo no such header; exit 1'] }]"];
  const task = await world.makeTask("one", {
    state: { phase: "verify" },
    contract: validators,
    events: (place) => eventsAt("verify", place),
  });
  task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) } });
  assert.equal((await task.pass()).verdict, "redirected");
  const { state, self_heal } = JSON.parse(task.read("artifacts/checkpoint.json"));
  assert.equal(state, "repair");
  assert.deepEqual([self_heal.attempt, self_heal.history.length], [1, 1]);
  assert.deepEqual([self_heal.history[0].from, self_heal.history[0].to], ["verify", "repair"]);
  assert.match(self_heal.current_problem, /tests/);
});

test("the checkpoint lists verdicts into and out of repair as attempts, and all changed paths", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const moves = [
    ["implement", "verify"],
    ["verify", "repair"],
    ["repair", "verify"],
  ] as const;
  const events = moves.map(([from, to], at) =>
    verdictEvent(...[from, to, { state: "", contract: "" }], {
      pass: at + 1,
      changed_paths: [
        { path: `${3 - at}.js`, change: "changed" },
        { path: "a.js", change: "added" },
      ],
    }),
  );
  writeCheckpoint({ ...session, journal: { ...session.journal, events } }, { id: "T-1", title: "T" }, null);
  const { self_heal, files_modified } = JSON.parse(task.read("artifacts/checkpoint.json"));
  const attempts = events
    .slice(1)
    .map(({ pass, at, from, to, verdict, reason }) => ({ pass, at, from, to, verdict, reason }));
  assert.deepEqual([self_heal.history, files_modified], [attempts, ["1.js", "2.js", "3.js", "a.js"]]);
});

test("every two minutes while a pass runs, the checkpoint is written anew, and that is no tampering", async (t) => {
  const world = await makeWorld(t);
  const { watch, timers } = world.watch();
  assert.deepEqual([...timers.keys()].sort(), [120_000, 30_000]);
  watch.modelBegins({ enter: () => undefined, list: () => [{ stage: "EXEC", at: noon.toISOString(), ms: 5 }] });
  for (let round = 0; round < 3; round += 1) timers.get(checkpointMs)?.();
  const { pass, step, verdict, model, elapsed_ms } = world.checkpoint();
  assert.deepEqual([pass, step, verdict, model, elapsed_ms], [2, "EXEC", null, "prepared", 0]);
  assert.deepEqual(tampered(world), []);
  watch.finish();
  assert.equal(timers.size, 0);
});

test("an agent's write to the checkpoint is tampering, before and after the runner's own", async (t) => {
  const world = await makeWorld(t);
  const first = readFileSync(world.guard.place.checkpoint, "utf8");
  const { timers } = world.watch();
  for (const write of [() => undefined, () => timers.get(checkpointMs)?.()]) {
    write();
    writeFileSync(world.guard.place.checkpoint, "{}");
    assert.deepEqual(tampered(world), ["artifacts/checkpoint.json"]);
    assert.equal(readFileSync(world.guard.place.checkpoint, "utf8"), first);
  }
});

test("a run that was killed between its note and its write is taken for neither", async (t) => {
  const world = await makeWorld(t);
  const { anchor, place } = world.guard;
  const { timers } = world.watch();
  timers.get(checkpointMs)?.();
  const noted = JSON.parse(readFileSync(join(anchor.folder, "own-writes.json"), "utf8"));
  noted[place.checkpoint].push(sha256("next"));
  writeFileSync(join(anchor.folder, "own-writes.json"), JSON.stringify(noted));
  assert.deepEqual(tampered(world), []);
  writeFileSync(place.checkpoint, "next");
  assert.deepEqual(tampered(world), []);
  writeFileSync(join(anchor.folder, "own-writes.json"), "no JSON");
  assert.deepEqual(tampered(world), ["artifacts/checkpoint.json"]);
});

test("where an agent put a link for artifacts/, nothing is written through it, and the pass goes on", async (t) => {
  const world = await makeWorld(t);
  const { place } = world.guard;
  const elsewhere = join(world.task.folder, "elsewhere");
  renameSync(place.artifacts, elsewhere);
  symlinkSync(elsewhere, place.artifacts);
  const before = readFileSync(join(elsewhere, "checkpoint.json"), "utf8");
  const { watch, timers } = world.watch();
  timers.get(checkpointMs)?.();
  timers.get(checkpointMs)?.();
  assert.equal(readFileSync(join(elsewhere, "checkpoint.json"), "utf8"), before);
  watch.finish();
  assert.deepEqual(
    world.session.findings.map(({ code, severity }) => [code, severity]),
    [["TP_CONTROL", "warning"]],
  );
});

test("STATUS during a pass is written without tampering, its output redacted and shown as text", async (t) => {
  const world = await makeWorld(t);
  const { anchor, place } = world.guard;
  const token = `ghp_${"a1B2".repeat(9)}`;
  writeFileSync(join(anchor.staging, "stdout.log"), `${"x".repeat(20_000)}\nsaid ${token}\n\u001b[31m\`\`\` red\n`);
  writeFileSync(place.control, "- [ ] STATUS\n");
  const { watch, timers } = world.watch();
  timers.get(30_000)?.();
  const status = readFileSync(join(place.artifacts, "status.md"), "utf8");
  assert.match(status, /^# Status: T-1\n[\s\S]*- Pass: 2, started in implement\n- Stage: PREP\n- Model: prepared\n/);
  assert.match(status, /- Spent: 0\.50 USD\n- Tokens: 100\n/);
  assert.match(
    status,
    /## Last lines of stdout\.log\n\n````text\nsaid \[redacted:github\]\n\\x1b\[31m``` red\n````\n$/,
  );
  assert.deepEqual(tampered(world), []);
  watch.finish();
  watch.journalObeyed();
  assert.equal(watch.session.journal.events.at(-1)?.type, "controlled");
});

test("an error that is no fault of a file or a disk is thrown at the end of the watch", async (t) => {
  const world = await makeWorld(t);
  const { watch, timers } = world.watch();
  Object.defineProperty(watch.session, "history", {
    get: () => {
      throw new TypeError("a defect");
    },
  });
  timers.get(checkpointMs)?.();
  assert.throws(() => watch.finish(), new TypeError("a defect"));
});

test("the caller's signal reaches the pass, also one that was given before", async (t) => {
  const world = await makeWorld(t);
  const controller = new AbortController();
  const session = { ...world.session, ports: { ...world.session.ports, signal: controller.signal } };
  const contract = loadContract(session.place, null, session.ports);
  const watched = { pass: 2, model: "prepared", timeoutMs: 1 };
  const early = watchControl(session, contract, watched, () => () => undefined);
  controller.abort("SIGTERM");
  const late = watchControl(session, contract, watched, () => () => undefined);
  assert.deepEqual(
    [early, late].map(({ session: { ports } }) => ports.signal.reason),
    ["SIGTERM", "SIGTERM"],
  );
});

test("the problem is that of the newest failure as long as nothing was accepted since", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const ticket = (text: string): Ticket => ({ id: text, source: "finding", name: text, text });
  const tickets = [ticket("no header\nat all"), ticket("no row")];
  const failure = { signature: "s", count: 1, passes: [] };
  const lastVerdict = (verdict: VerdictEvent["verdict"]) => ({
    ...verdictEvent("implement", "implement", { state: "", contract: "" }),
    ...{ verdict, reason: "nothing moved" },
  });
  const rows: readonly [string | null, Partial<TaskHistory>][] = [
    ["no header; no row", { phase: "repair", tickets }],
    [null, { phase: "repair", tickets: [] }],
    [
      "nothing moved",
      { phase: "repair", tickets: [], counts: counts({ failure }), lastVerdict: lastVerdict("rejected") },
    ],
    ["nothing moved", { tickets, counts: counts({ failure }), lastVerdict: lastVerdict("no_progress") }],
    [null, { tickets, counts: counts({ failure }), lastVerdict: lastVerdict("accepted") }],
    [null, { counts: counts({ failure }), lastVerdict: null }],
    [null, { counts: counts(), lastVerdict: lastVerdict("interrupted") }],
    [null, { phase: "blocked", tickets, counts: counts({ failure }), lastVerdict: lastVerdict("rejected") }],
    [null, { phase: null, tickets, counts: counts({ failure }), lastVerdict: lastVerdict("rejected") }],
  ];
  for (const [problem, history] of rows) {
    writeCheckpoint({ ...session, history: { ...session.history, ...history } }, { id: "T-1", title: "T" }, null);
    const { self_heal, state } = JSON.parse(task.read("artifacts/checkpoint.json"));
    assert.deepEqual(
      [self_heal.current_problem, state],
      [problem, "phase" in history ? (history.phase ?? "intake") : "implement"],
    );
  }
});

test("a checkpoint is durable within a pass, where the guard knows it, and not outside", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const disk = (under: PassUnderWay | null) =>
    recordDisk(task.taskDir, () => writeCheckpoint(session, { id: "T-1", title: "T" }, under)).map(
      (call) => call.split(" ")[0],
    );
  assert.deepEqual(disk(null), ["open", "write", "rename"]);
  const under = { pass: 1, phase: "implement", model: "m", startedAt: noon, timeoutMs: 1, stages: [] } as const;
  assert.deepEqual(disk(under), ["open", "write", "fsync", "rename", "fsync"]);
  const digest = sha256(task.read("artifacts/checkpoint.json"));
  const noted = JSON.parse(readFileSync(join(session.anchor.folder, "own-writes.json"), "utf8"));
  assert.deepEqual(noted, { [session.place.checkpoint]: [digest] });
});

test("commits that are given stand there, and stay where none are", async (t) => {
  const world = await makeWorld(t);
  const task = { id: "T-1", title: "Export the answer" };
  writeCheckpoint(world.session, task, null, ["a".repeat(40)]);
  writeCheckpoint(world.session, task, null);
  assert.deepEqual(world.checkpoint().git_commits, ["a".repeat(40)]);
  writeFileSync(world.guard.place.checkpoint, '{ "git_commits": ["<b>"] }');
  writeCheckpoint(world.session, task, null);
  assert.deepEqual(world.checkpoint().git_commits, []);
  assert.deepEqual(
    world.session.findings.map(({ code, message, file }) => [code, message.includes("damaged"), file]),
    [["TP_CHECKPOINT", true, world.guard.place.checkpoint]],
  );
});

test("a disk that refuses a checkpoint is reported", async (t) => {
  const world = await makeWorld(t);
  const { checkpoint } = world.guard.place;
  rmSync(checkpoint);
  mkdirSync(join(checkpoint, "in the way"), { recursive: true });
  const report = await world.task.pass();
  assert.deepEqual(
    report.findings.map(({ code, severity }) => [code, severity]),
    [["TP_CHECKPOINT", "warning"]],
  );
  assert.equal(anchorFolder(world.task.taskDir, world.session.ports), world.guard.anchor.folder);
});

test("a defect is no fault of the disk, and is thrown", async (t) => {
  const { session } = await holdTask(t, "implement");
  Object.defineProperty(session, "history", {
    get: () => {
      throw new TypeError("a defect");
    },
  });
  assert.throws(() => tryCheckpoint(session, { id: "T-1", title: "T" }), new TypeError("a defect"));
});

import assert from "node:assert/strict";
import { appendFileSync, chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findLeft } from "../process/find-living.ts";
import type { RunEnd } from "./arrange.ts";
import { makeTaskWorld, type Report } from "./task-world.ts";
import { until } from "./until.ts";

/** A task in review whose check says that it runs, and goes on when it is let. */
async function makeSlow(t: TestContext) {
  const world = makeTaskWorld(t);
  const [ran, may] = [world.path("ran"), world.path("may")];
  const script = `test -f good.txt && echo > '${ran}'; until test -e '${may}'; do sleep 0.02; done`;
  const task = await world.taskAt("one", "verify", {
    contract: [
      `validators: [{ name: tests, command: [sh, -c, ${JSON.stringify(script)}], timeout: 1h }]`,
      "proof: { clean: off, without: off }",
    ],
  });
  const accepted = task.state();
  const proposed = accepted
    .replace(/^- Phase: \w+$/m, "- Phase: review")
    .replace(/^- Next step: .*$/m, "- Next step: what the agent wrote");
  task.propose({ task: { "STATE.md": proposed } });
  let kill: (signal: NodeJS.Signals) => void = () => assert.fail("it does not run");
  const runs: Promise<RunEnd> = world.run("task-phase-run", ["--task-dir", task.taskDir, "--json"], {
    onStart: (child) => {
      kill = (signal) => void child.kill(signal);
    },
  });
  await until(() => existsSync(ran));
  const go = async (): Promise<Report> => {
    world.write("may", "");
    return (await runs).json() as unknown as Report;
  };
  return { world, task, runs, accepted, proposed, kill: (signal: NodeJS.Signals) => kill(signal), go };
}

test("while the checks run, STATE.md is the last accepted one, and a verdict writes the proposal", async (t) => {
  const { task, accepted, go } = await makeSlow(t);
  assert.equal(task.state(), accepted);
  const report = await go();
  assert.deepEqual([report.exit_code, report.to, report.findings], [0, "review", []]);
  assert.match(task.state(), /^- Phase: review$[\s\S]*^- Next step: what the agent wrote$/m);
  assert.match(task.read("artifacts/passes/0001/STATE.proposed.md"), /what the agent wrote/);
});

test("a runner that is killed while a check hangs leaves neither an unaccepted STATE.md nor the check", async (t) => {
  const { world, task, runs, accepted, proposed, kill } = await makeSlow(t);
  kill("SIGKILL");
  assert.equal((await runs).signal, "SIGKILL");
  assert.equal(task.state(), accepted);
  await until(() => findLeft(world.folder).length === 0);
  const end = await task.command("evidence");
  assert.equal(end.code, 0, end.stderr);
  assert.match(end.stderr, /TP_INTERRUPTED/);
  const shown = task.state().replace(/^- Evidence link:.*$/m, "- Evidence link:");
  assert.deepEqual(
    [withoutOwn(shown), task.read("artifacts/passes/0001/STATE.proposed.md")],
    [withoutOwn(accepted), proposed],
  );
  const ends = task.events().map((event) => (event.type === "verdict" ? event.verdict : event.type));
  assert.deepEqual(ends.slice(-2), ["interrupted", "relinked"]);
});

/** STATE.md without what the runner writes at each change: Last updated and the mark of the present phase. */
function withoutOwn(state: string): string {
  return state.replace(/^- Last updated:.*$/m, "").replace(/^.*(?: \(now\)| now)$\n/gm, "");
}

for (const [title, phase, contract] of [
  ["a check of the run before the work", "implement", []],
  ["a reviewer", "review", ["review: { reviewers: [security] }"]],
] as const) {
  test(`${title} that hangs ends with a runner that is killed`, async (t) => {
    const world = makeTaskWorld(t);
    const hangs = `echo > '${world.path("ran")}'; sleep 3600`;
    const check = `validators: [{ name: tests, command: [sh, -c, ${JSON.stringify(hangs)}], timeout: 1h }]`;
    const task = await world.taskAt("one", phase, { contract: [check, ...contract] });
    task.propose({ sleep: "3600" });
    let kill: () => void = () => assert.fail("it does not run");
    const run = world.run("task-phase-run", ["--task-dir", task.taskDir], {
      onStart: (child) => {
        kill = () => child.kill("SIGKILL");
      },
    });
    await until(() => existsSync(world.path("ran")) || task.calls() > 0);
    assert.equal(task.events().at(-1)?.type === "pass_started", false, "the pass itself has not begun");
    kill();
    assert.equal((await run).signal, "SIGKILL");
    await until(() => findLeft(world.folder).length === 0);
  });
}

test("lines that a person adds to STATE.md while the checks run are kept and reported, and the pass is judged as ever", async (t) => {
  const { task, accepted, go } = await makeSlow(t);
  appendFileSync(join(task.taskDir, "STATE.md"), "\nA person's words.\n");
  const { exit_code, to, findings } = await go();
  assert.deepEqual([exit_code, to], [0, "review"]);
  const kept = "artifacts/passes/0001/kept/STATE.md";
  assert.deepEqual([task.read(kept), /A person's/.test(task.state())], [`${accepted}\nA person's words.\n`, false]);
  assert.deepEqual(
    findings.map(({ severity, code, file }) => [severity, code, file]),
    [["warning", "TP_STATE_KEPT", join(task.taskDir, kept)]],
  );
});

for (const left of [0, 0o555])
  test(`a proposal is judged if the agent left the task the rights ${left.toString(8)}, and gets them back`, async (t) => {
    const world = makeTaskWorld(t);
    const task = await world.taskAt("one", "implement");
    const [state, folder] = [join(task.taskDir, "STATE.md"), join(task.taskDir, "artifacts")];
    task.propose({ task: { "artifacts/more.md": "more\n" }, waits: true });
    const pass = world.run("task-phase-run", ["--task-dir", task.taskDir, "--json"]);
    await until(() => task.exists("artifacts/more.md"));
    task.edit({ Phase: "verify" });
    const before = statSync(folder).mode;
    for (const path of [state, folder, task.taskDir]) chmodSync(path, left);
    task.go();
    const { proposed, verdict, findings } = (await pass).json() as unknown as Report;
    assert.deepEqual([proposed, verdict], ["verify", "rejected"], "rights of the folders must not change");
    assert.deepEqual(findings, []);
    assert.equal(statSync(state).mode & 0o600, 0o600);
    assert.equal(statSync(folder).mode, before);
  });

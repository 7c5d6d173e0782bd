import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { assertRecovered, assertSound, type CrashWorld, lookAtTask, makeCrashWorld, until } from "./crash-world.ts";

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

for (const [works, phase, model] of [
  ["the agent works", "shape", "stays"],
  ["the checks run", "verify", "honest"],
] as const) {
  test(`a signal while ${works} stops the run in order, interrupted, with STATE.md as it was`, async (t) => {
    const world = await makeCrashWorld(t);
    await world.until(phase);
    world.keep();
    const before = lookAtTask(world);
    const env: Record<string, string> = model === "honest" ? { CHECK_READY: world.path("ready") } : {};
    for (const [signal, code] of signals) {
      await t.test(`${signal}: ${code}`, async () => {
        world.reset();
        const end = await signalRun(world, { model, env, signals: [signal] });
        assert.deepEqual([end.code, end.json().verdict], [code, "interrupted"], end.stderr);
        await assertSound(world, before, ["interrupted"]);
        assert.equal(world.state(), before.state);
      });
    }
    const next = await world.inside("run", ["--model", "honest"]);
    assert.equal(next.code, 0, next.output);
  });
}

test("a signal while the run before the work runs ends the run before a pass begins", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("implement");
  const before = lookAtTask(world);
  const env = { CHECK_READY: world.path("ready") };
  const end = await signalRun(world, { model: "honest", env, signals: ["SIGTERM"] });
  assert.equal(end.code, 143, end.stderr);
  await assertSound(world, before, []);
  await world.until("verify");
});

test("a second signal ends the run at once, and the next one recovers it", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  const before = lookAtTask(world);
  const end = await signalRun(world, { model: "hangs", env: {}, signals: ["SIGTERM", "SIGINT"] });
  assert.deepEqual([end.code, end.signal], [null, "SIGINT"], end.stderr);
  await assertRecovered(world, before, ["interrupted"]);
  await world.until("implement");
});

const noPython = spawnSync("python3", ["--version"]).status === 0 ? false : "python3 is not there";
/** Runs the words in a terminal that it closes once the file is there, and prints how they end: negative for a signal. */
const inTerminal = `
import os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[2], sys.argv[2:])
while not os.path.exists(sys.argv[1]):
    if select.select([terminal], [], [], 0.05)[0]: os.read(terminal, 65536)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

test("a terminal that is closed ends the run in order", { skip: noPython }, async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  const before = lookAtTask(world);
  const ready = world.path("ready");
  const wrap = ["python3", "-c", inTerminal, ready];
  const end = await world.start("stays", { env: { AGENT_READY: ready }, wrap });
  assert.equal(end.stdout, "129\n", end.stderr);
  await assertSound(world, before, ["interrupted"]);
});

interface SignalledRun {
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signals: readonly NodeJS.Signals[];
}

/** A run that is sent the signals, one after the other, once its agent or its check works. */
async function signalRun(world: CrashWorld, { model, env, signals }: SignalledRun) {
  const before = world.state();
  let said = "";
  let kill = (_signal: NodeJS.Signals): unknown => null;
  const ended = world.start(model, {
    env: { AGENT_READY: world.path("ready"), ...env },
    onStart: (child) => {
      kill = (signal) => child.kill(signal);
      child.stderr?.on("data", (text: string) => {
        said += text;
      });
    },
  });
  const works = () => world.exists("ready") || (model === "hangs" && world.state() !== before);
  await until(works, "the agent or the check works");
  for (const [index, signal] of signals.entries()) {
    kill(signal);
    if (index < signals.length - 1)
      await until(() => said.includes(`${signal}: stopping cleanly`), "it says that it stops");
  }
  const end = await ended;
  return end;
}

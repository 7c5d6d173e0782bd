import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";
import { assertUntouched, assertWhole, makeCheatWorld } from "../cli/cheat-world.ts";
import { until } from "../cli/until.ts";
import { findLiving } from "../process/find-living.ts";

// Each through the command line, two at a time.
describe("processes", { concurrency: 2 }, () => {
  // Neither group, session, environment, descriptor nor parent tells whose it is. What does: it is seen as a child
  // where it stays for a while, and its resource limits (lib/process/limit-mark.ts) where it does not. An agent that
  // knows of that can change its limits, as it can reach the anchor: only a sandbox holds one that wants to get away.
  for (const [title, stay] of [
    ["that was there for a while", "400"],
    ["that was left at once", "0"],
  ] as const) {
    test(`a process outside the agent's group, session and environment ${title} is ended`, async (t) => {
      const world = await makeCheatWorld(t, "implement");
      const report = await world.pass("leaves-a-process", { env: { AGENT_DELAY: "30", AGENT_STAY: stay } });
      assert.deepEqual([report.exit_code, report.to], [0, "verify"], report.reason);
      assert.equal(world.exists("tasks/T-1/artifacts/late.md"), false);
      await assertWhole(world);
    });
  }

  test("edits that such a process makes before it is killed count as the pass's own", async (t) => {
    const world = await makeCheatWorld(t, "implement");
    const before = world.state();
    const report = await world.pass("leaves-a-process", { env: { AGENT_DELAY: "1" } });
    assert.deepEqual([report.exit_code, report.verdict, report.to], [20, "rejected", "implement"], report.reason);
    assert.match(report.reason, /implement → done/);
    await assertUntouched(world, before);
  });

  test("an agent that hangs and does not listen is ended, and its pass is unavailable", async (t) => {
    const world = await makeCheatWorld(t);
    const before = world.state();
    const report = await world.pass("hangs", { args: ["--timeout", "1s"] });
    assert.deepEqual([report.exit_code, report.verdict], [24, "unavailable"], report.reason);
    await assertUntouched(world, before);
  });

  test("an agent whose runner is killed is ended without another run", async (t) => {
    const world = await makeCheatWorld(t);
    let pid = 0;
    const onStart = (child: ChildProcess) => {
      pid = child.pid ?? 0;
    };
    const run = world.runPass("hangs", { onStart });
    const living = () => findLiving(world.folder);
    await until(() => living().some((line) => line.includes("hangs.mjs")));
    process.kill(pid, "SIGKILL");
    assert.equal((await run).signal, "SIGKILL");
    await until(() => living().length === 0);
    const next = await world.pass("honest");
    assert.deepEqual([next.exit_code, next.to], [0, "shape"], next.reason);
  });

  test("an agent that floods its output keeps its verdict, and the logs stay bounded", async (t) => {
    const world = await makeCheatWorld(t);
    const memory = { peak: 0 };
    const onStart = (child: ChildProcess) => {
      const timer = setInterval(() => {
        memory.peak = Math.max(memory.peak, readPeak(child.pid));
      }, 50);
      child.once("exit", () => clearInterval(timer));
    };
    const report = await world.pass("floods-its-output", { env: { AGENT_MEGABYTES: "100" }, onStart });
    assert.deepEqual([report.exit_code, report.to], [0, "shape"], report.reason);
    for (const name of ["stdout.log", "stderr.log"]) {
      const log = world.path("tasks/T-1/artifacts/passes/0001", name);
      assert(statSync(log).size < 17 * 1024 * 1024, `${name}: ${statSync(log).size}`);
      assert.match(world.read(path.relative(world.folder, log)), /\[task-phase: \d+ bytes cut here\]/);
    }
    assert(memory.peak > 0 && memory.peak < 350 * 1024, `${memory.peak} KiB`);
    await assertWhole(world);
  });

  test("an agent that calls resume is refused, whether or not it forgets that it is in a pass", async (t) => {
    const world = await makeCheatWorld(t);
    const env = { AGENT_BIN: path.join(projectRoot, "bin", "task-phase") };
    const report = await world.pass("resumes-itself", { env });
    assert.deepEqual([report.exit_code, report.to], [0, "shape"], report.reason);
    const said = world.read("tasks/T-1/artifacts/passes/0001/stdout.log");
    assert.deepEqual(said.match(/resume ended with \w+/g), ["resume ended with 64", "resume ended with 75"]);
    assert.doesNotMatch(world.read("tasks/T-1/artifacts/journal.jsonl"), /"type":"resumed"/);
    await assertWhole(world);
  });

  test("an agent that forges the files and kills the runner gains nothing: the next run puts them back", async (t) => {
    const world = await makeCheatWorld(t, "shape");
    const accepted = { state: world.state(), journal: world.read(journal) };
    const end = await world.runPass("kills-the-runner");
    assert.equal(end.signal, "SIGKILL");
    assert.notEqual(world.state(), accepted.state);
    assert.match(world.read(journal), /"to":"done"/);
    const dry = await world.pass("honest", { args: ["--dry-run"] });
    assert.match(dry.reason, /an interrupted pass has to be recovered/);
    const report = await world.pass("honest");
    assert.deepEqual([report.exit_code, report.from, report.to], [0, "shape", "implement"], report.reason);
    assert.match(JSON.stringify(report.findings), /pass 2 was interrupted.*restored: artifacts\/journal\.jsonl/);
    assert(world.read(journal).startsWith(accepted.journal), "what the journal said before still stands");
    const before = world.read("tasks/T-1/artifacts/passes/0003/STATE.before.md");
    assert.equal(before, accepted.state);
    await assertWhole(world);
  });
});

const journal = "tasks/T-1/artifacts/journal.jsonl";

/** The most memory that it ever had, in KiB. */
function readPeak(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

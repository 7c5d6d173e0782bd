import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { projectRoot } from "./arrange.ts";
import { assertUntouched, assertWhole, findLiving, makeCheatWorld } from "./cheat-world.ts";

for (const [title, stay] of [
  ["that was there for a while", "400"],
  ["that was left at once", "0"],
] as const) {
  test(`a process outside the agent's group, session and environment ${title} is ended`, async (t) => {
    const world = await makeCheatWorld(t);
    await world.until("implement");
    const env = { AGENT_DELAY: "2", AGENT_STAY: stay };
    const report = await world.pass("leaves-a-process", { env });
    assert.deepEqual([report.exit_code, report.to], [0, "verify"], report.reason);
    assert.deepEqual(findLiving(world.folder), []);
    assert.equal(world.exists("tasks/T-1/artifacts/late.md"), false);
    await assertWhole(world);
  });
}

test("an agent that hangs and does not listen is ended, and its pass is unavailable", async (t) => {
  const world = await makeCheatWorld(t);
  const before = world.state();
  const report = await world.pass("hangs", { args: ["--timeout", "1s"] });
  assert.deepEqual([report.exit_code, report.verdict], [24, "unavailable"], report.reason);
  await assertUntouched(world, before);
});

test("an agent that floods its output keeps its verdict, and the logs stay bounded", async (t) => {
  const world = await makeCheatWorld(t);
  const report = await world.pass("floods-its-output", { env: { AGENT_MEGABYTES: "40" } });
  assert.deepEqual([report.exit_code, report.to], [0, "shape"], report.reason);
  for (const name of ["stdout.log", "stderr.log"]) {
    const log = world.path("tasks/T-1/artifacts/passes/0001", name);
    assert(statSync(log).size < 17 * 1024 * 1024, `${name}: ${statSync(log).size}`);
    assert.match(world.read(path.relative(world.folder, log)), /\[task-phase: \d+ bytes cut here\]/);
  }
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
  const world = await makeCheatWorld(t);
  await world.until("shape");
  const accepted = world.state();
  const end = await world.runPass("kills-the-runner");
  assert.equal(end.signal, "SIGKILL");
  assert.notEqual(world.state(), accepted);
  const report = await world.pass("honest");
  assert.deepEqual([report.exit_code, report.from, report.to], [0, "shape", "implement"], report.reason);
  assert.match(world.read("tasks/T-1/artifacts/journal.jsonl"), /"type":"recovered"/);
  await assertWhole(world);
});

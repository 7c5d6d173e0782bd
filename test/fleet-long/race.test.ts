import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { until } from "../cli/until.ts";
import { codesOf, type Fleet, makeFleet, validator } from "../fleet/fleet-world.ts";

// A few by default; `npm run test:fleet` asks for 8 machines and 200 rounds.
const machines = Number(process.env.FLEET_MACHINES ?? "3");
const rounds = Number(process.env.FLEET_ROUNDS ?? "3");
const tasksStarted = Number(process.env.FLEET_TASKS ?? "2");

/** What git, the journal and `check` say of a branch on which so many passes were accepted. */
async function assertChain(fleet: Fleet, task: string, accepted: number): Promise<void> {
  const events = fleet.events(task);
  const verdicts = events.filter(({ type }) => type === "verdict");
  assert.deepEqual(
    verdicts.map(({ pass, verdict }) => [pass, verdict]),
    Array.from({ length: accepted }, (_value, index) => [index + 1, "accepted"]),
  );
  assert.equal(events.filter(({ type }) => type === "pass_started").length, accepted);
  const parents = fleet.inRemote("log", "--format=%P", `main..task-phase/${task}`).trim().split("\n");
  assert(
    parents.every((line) => /^[0-9a-f]{40}$/.test(line)),
    "one line of commits",
  );
  // The pass that runs the run before the work is claimed before, and begins by a commit of its own.
  const ahead = events.filter(({ type }) => type === "claimed").length;
  assert.equal(ahead, accepted < 3 ? 0 : 1);
  assert.equal(parents.length, 2 * accepted + ahead);
  const checked = await fleet.check(task);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
}

test(`${machines} machines want the same pass, ${rounds} times: each time one of them has it, and calls the only model`, async (t) => {
  const fleet = makeFleet(t, { brief: [validator, `budget: { passes: ${(rounds + 2) * machines} }`] });
  const all = Array.from({ length: machines }, (_value, index) => fleet.machine(`m${index}`));
  const main = fleet.inRemote("rev-parse", "main");
  let passes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const env = { AGENT_FOREVER: "1" };
    const reports = await Promise.all(all.map((machine) => machine.pass("T-1", [], { env, apart: true })));
    const accepted = reports.filter(({ verdict }) => verdict === "accepted");
    assert(accepted.length >= 1, "somebody gets it");
    // Who only came when the winner had ended has the next pass, and rightly so.
    passes += accepted.length;
    for (const report of reports.filter(({ verdict }) => verdict === null)) {
      assert.equal(report.exit_code, 75, report.reason);
      assert.match(codesOf(report).join(), /^(TP_SUPERSEDED|TP_CLAIMED)$/);
    }
    assert.equal(fleet.calls().length, passes, "no model was called for nothing");
  }
  await assertChain(fleet, "T-1", passes);
  assert.equal(fleet.inRemote("rev-parse", "main"), main);
});

test("each of several tasks is started twice, eight at a time, as by xargs -P8", async (t) => {
  const tasks = Array.from({ length: tasksStarted }, (_value, index) => `T-${index + 1}`);
  const fleet = makeFleet(t, { tasks });
  const machine = fleet.machine("one");
  const queue = [...tasks, ...tasks];
  const accepted: string[] = [];
  const work = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const report = await machine.pass(task, [], { apart: true });
      if (report.verdict === "accepted") accepted.push(task);
      else assert.equal(report.exit_code, 75, report.reason);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  for (const task of tasks) await assertChain(fleet, task, accepted.filter((each) => each === task).length);
});

test("a machine that froze while another one took its pass over gains nothing when it wakes", async (t) => {
  // However long it is frozen, it learns by its push alone that it was overtaken.
  const fleet = makeFleet(t, { config: "control: { poll: 1h }\n", timeout: "1h" });
  const [one, two] = [fleet.machine("one"), fleet.machine("two")];
  const awake = fleet.path("awake");
  const env = { AGENT_FIRST: `touch ${fleet.path("works")}; while [ ! -e ${awake} ]; do sleep 0.05; done` };
  let pid = 0;
  const frozen = one.pass("T-1", ["--attempt", "old"], {
    env,
    onStart: (child) => {
      pid = child.pid ?? 0;
    },
  });
  await until(() => existsSync(fleet.path("works")));
  process.kill(pid, "SIGSTOP");
  const taken = await two.pass("T-1", ["--takeover"]);
  assert.deepEqual([taken.verdict, taken.pass], ["accepted", 2], taken.reason);
  const tip = fleet.inRemote("rev-parse", "task-phase/T-1");
  fleet.write("awake", "");
  process.kill(pid, "SIGCONT");
  const woken = await frozen;
  assert.deepEqual([woken.verdict, woken.exit_code, codesOf(woken)], [null, 75, ["TP_SUPERSEDED"]], woken.reason);
  assert.equal(fleet.inRemote("rev-parse", "task-phase/T-1"), tip);
  assert.match(fleet.inRemote("show", "refs/task-phase/lost/T-1/1-old:tasks/T-1/STATE.md"), /told by one/);
  assert.match(fleet.onBranch("T-1", "tasks/T-1/STATE.md"), /told by two/);
  assert.equal((await fleet.check("T-1")).code, 0);
});

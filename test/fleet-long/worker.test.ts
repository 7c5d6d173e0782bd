import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { until } from "../cli/until.ts";
import { makeWorkerFleet, type WorkerFleet } from "../fleet/worker-world.ts";

/** An agent that says that it works, and then works on until it is told that it may end. */
function waiting(fleet: WorkerFleet) {
  const [works, awake] = [fleet.path("works"), fleet.path("awake")];
  return {
    env: { AGENT_FIRST: `touch ${works}; while [ ! -e ${awake} ]; do sleep 0.05; done` },
    begun: () => until(() => existsSync(works)),
    wake: () => void fleet.write("awake", ""),
  };
}

/** The process of the pass that this process, as a worker, has started. */
function findPass(): number {
  const words = ["-ww", "-eo", "pid=,ppid=,args="];
  const rows = execFileSync("ps", words, { encoding: "utf8" }).split("\n");
  const row = rows.find((line) => line.includes("leased-pass") && line.trim().split(/\s+/)[1] === String(process.pid));
  return Number(row?.trim().split(/\s+/)[0] ?? assert.fail(rows.join("\n")));
}

const verdicts = (fleet: WorkerFleet, task = "T-1") =>
  fleet.events(task).flatMap(({ type, verdict }) => (type === "verdict" ? [verdict] : []));

describe("a worker", () => {
  test("takes a task from intake to done, offers each next pass itself, and leaves nothing in the engine", async (t) => {
    const fleet = makeWorkerFleet(t, { tasks: ["T-1", "T-2"] });
    assert.deepEqual(await fleet.dispatch(), ["T-1", "T-2"]);
    const report = await fleet.work(fleet.machine("one"), { slots: 2 });
    assert.deepEqual(report.passes, { accepted: 10 }, report.story.join("\n"));
    for (const task of ["T-1", "T-2"]) {
      assert.match(fleet.onBranch(task, `tasks/${task}/STATE.md`), /^- Phase: done$/m);
      assert.equal((await fleet.check(task)).code, 0);
    }
    const { jobs, holds, workers } = await fleet.engine.standing();
    assert.deepEqual([jobs, holds, workers], [[], [], []]);
    assert.equal([...fleet.engine.spent.values()][0]?.passes, 10);
    assert.deepEqual(await fleet.dispatch(), [], "what is done gets no job");
  });

  test("that is told to stop ends its pass in order, and its job is there for the next one at once", async (t) => {
    const fleet = makeWorkerFleet(t, { model: "estimate_usd: 0.25" });
    await fleet.dispatch();
    const { env, begun } = waiting(fleet);
    const stop = new AbortController();
    const working = fleet.work(fleet.machine("one"), { env, signal: stop.signal, once: false });
    await begun();
    assert.deepEqual(
      (await fleet.engine.holds()).map(({ alive }) => alive),
      [true],
      "money is held for it",
    );
    stop.abort("SIGTERM");
    const report = await working;
    assert.deepEqual(report.passes, { interrupted: 1 }, report.story.join("\n"));
    assert.deepEqual(verdicts(fleet), ["interrupted"]);
    const { jobs, holds } = await fleet.engine.standing();
    assert.deepEqual(
      jobs.map(({ state, why }) => [state, why]),
      [["queued", "its worker was stopped"]],
    );
    assert.deepEqual(holds, []);
    assert.equal([...fleet.engine.spent.values()][0]?.moneyUsd, 0.25, "an agent that was ended may have spent");
  });

  test("whose pass is killed has it taken over at once, with its cost, though the claim still holds in git", async (t) => {
    const fleet = makeWorkerFleet(t, { model: "estimate_usd: 0.25" });
    await fleet.dispatch();
    const { env, begun, wake } = waiting(fleet);
    const stop = new AbortController();
    const working = fleet.work(fleet.machine("one"), { env, signal: stop.signal, once: false });
    await begun();
    process.kill(findPass(), "SIGKILL");
    wake();
    await until(() => fleet.engine.leases.length > 1 && verdicts(fleet).includes("accepted"));
    stop.abort("SIGTERM");
    const report = await working;
    assert.deepEqual(verdicts(fleet).slice(0, 2), ["interrupted", "accepted"], report.story.join("\n"));
    const [first, second] = fleet.engine.leases;
    assert.deepEqual([first?.delivery, second?.delivery], [1, 2], "the same job again");
    assert.equal((await fleet.check("T-1")).code, 0);
    assert((await fleet.engine.holds()).length <= 1, "that of the dead attempt is settled");
  });

  test("whose lease is gone ends the pass, since another worker may have the task", async (t) => {
    const fleet = makeWorkerFleet(t);
    await fleet.dispatch();
    const { env, begun } = waiting(fleet);
    const stop = new AbortController();
    const working = fleet.work(fleet.machine("one"), { env, signal: stop.signal, once: false });
    await begun();
    fleet.engine.drop();
    await until(() => verdicts(fleet).length > 0);
    stop.abort("SIGTERM");
    const report = await working;
    assert.deepEqual(verdicts(fleet), ["interrupted"]);
    assert.match(report.story.join("\n"), /so this pass is stopped/);
  });

  test("begins no pass that the day has no money for, and calls no model", async (t) => {
    const config = "fleet: { budget: { day: { money_usd: 0.3 } } }\n";
    const fleet = makeWorkerFleet(t, { config, model: "estimate_usd: 0.25", tasks: ["T-1", "T-2"] });
    await fleet.dispatch();
    const report = await fleet.work(fleet.machine("one"), { slots: 2, env: { AGENT_NAP: "1" } });
    assert.equal(fleet.calls().length, 1, report.story.join("\n"));
    const { jobs, holds, days } = await fleet.engine.standing();
    assert.deepEqual([holds, days[0]?.spent.moneyUsd], [[], 0.25]);
    assert(
      jobs.every(({ why }) => why === null || /has no moneyUsd left/.test(why)),
      JSON.stringify(jobs),
    );
  });

  test("of a machine that does not trust the remote gives the job back, and ends with what to do", async (t) => {
    const fleet = makeWorkerFleet(t);
    await fleet.dispatch();
    const report = await fleet.work(fleet.machine("one"), { env: { TASK_PHASE_TRUST: "" }, once: false });
    assert.equal(report.fault?.exitName, "config");
    assert.match(report.fault?.findings[0]?.fix ?? "", /task-phase trust --remote/);
    assert.deepEqual(
      (await fleet.engine.standing()).jobs.map(({ state }) => state),
      ["queued"],
    );
  });
});

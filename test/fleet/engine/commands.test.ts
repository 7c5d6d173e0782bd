import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { RunEnd } from "../../cli/arrange.ts";
import { type Fleet, makeFleet } from "../fleet-world.ts";
import { missing, type Postgres, startPostgres } from "./postgres.ts";

const fleetYaml = (schema: string) =>
  `fleet:\n  engine: { url_env: MY_ENGINE, schema: ${schema} }\n  lease: { heartbeat: 10s, margin: 3s }\n`;

describe("the commands of a fleet on PostgreSQL", { skip: missing, concurrency: 2 }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  function arrange(t: TestContext, schema: string, options: Parameters<typeof makeFleet>[1] = {}) {
    const fleet = makeFleet(t, { ...options, config: fleetYaml(schema) });
    const call = (words: string, remotes = ["--remote", fleet.remote], env = {}): Promise<RunEnd> => {
      const machine = fleet.machine("one");
      return fleet.run("task-phase", [...words.split(" "), ...remotes], {
        env: { ...machine.env, MY_ENGINE: postgres.url, ...env },
      });
    };
    return { fleet, call };
  }

  async function ok(end: Promise<RunEnd>): Promise<RunEnd> {
    const ended = await end;
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    return ended;
  }

  const standings = (end: RunEnd) =>
    (end.json().tasks as { task: string; standing: string; job: { state: string } | null }[]).map(
      ({ task, standing, job }) => [task, standing, job?.state ?? null],
    );

  test("a fleet is set up, dispatched, worked on to the end, and shown", async (t) => {
    const { fleet, call } = arrange(t, "whole", { tasks: ["T-1", "T-2"] });
    const refused = await call("dispatch --once");
    assert.equal(refused.code, 78);
    assert.match(refused.stderr, /not set up.*\n.*fleet setup/);
    const setup = await ok(call("fleet setup"));
    assert.match(setup.stdout, /engine: made \(PostgreSQL .*\nledger: counted from 2 tasks, 0 passes are open/);
    assert.match((await ok(call("dispatch --once"))).stdout, /2 runnable, 2 queued now/);
    assert.match((await ok(call("dispatch --once"))).stdout, /2 runnable, 0 queued now/);
    assert.deepEqual(standings(await ok(call("fleet status --json"))), [
      ["T-1", "runnable", "queued"],
      ["T-2", "runnable", "queued"],
    ]);
    const worked = await ok(call("worker --once --slots 2 --json"));
    assert.deepEqual(worked.json().passes, { accepted: 10 }, worked.stderr);
    const shown = await ok(call("fleet status --json"));
    assert.deepEqual(standings(shown), [
      ["T-1", "done", null],
      ["T-2", "done", null],
    ]);
    assert.deepEqual([shown.json().differences, shown.json().workers], [[], []]);
    const [today] = shown.json().days as { spent: { passes: number }; held: { passes: number } }[];
    assert.deepEqual([today?.spent.passes, today?.held.passes], [10, 0]);
    const said = (await ok(call("fleet status"))).stdout;
    assert.match(said, /: 10 passes and 0\.00 USD spent, 0\.00 USD held for 0 passes\ngit and the engine agree/);
    for (const task of ["T-1", "T-2"]) assert.equal((await fleet.check(task)).code, 0);
    // A person who has no engine reads the same from a bare clone.
    fleet.git(".", "clone", "-q", "--mirror", fleet.remote, "view.git");
    const viewed = (await ok(fleet.run("task-phase", ["status", "--git", "view.git", "--json"]))).json();
    const seen = viewed.tasks as { readonly task: string; readonly standing: string }[];
    assert.deepEqual(
      seen.map(({ task, standing }) => [task, standing, null]),
      standings(shown),
    );
  });

  test("tasks whose ids differ in case alone get no job, and that is said", async (t) => {
    const { call } = arrange(t, "alike", { tasks: ["T-1", "t-1", "T-2"] });
    await ok(call("fleet setup"));
    const looked = await ok(call("dispatch --once"));
    assert.match(looked.stdout, /1 runnable, 1 queued now/);
    assert.match(looked.stderr, /TP_TASK_REF the ids T-1 and t-1 differ in case/);
  });

  test("an engine that is empty on an old remote grants nothing before it was counted from the journals", async (t) => {
    const { fleet, call } = arrange(t, "counted");
    assert.equal((await fleet.machine("hand").pass("T-1")).verdict, "accepted");
    const setup = await call("fleet setup");
    assert.equal(setup.code, 78);
    assert.match(setup.stderr, /TP_FLEET_REBUILD|--rebuild/);
    await ok(call("dispatch --once"));
    const waits = await ok(call("worker --once"));
    assert.match(waits.stderr, /back into the queue/);
    assert.equal(fleet.calls().length, 1, "no model was called");
    assert.match((await ok(call("fleet setup --rebuild"))).stdout, /counted from 1 task, 0 passes are open/);
    const shown = await ok(call("fleet status --json"));
    const [today] = shown.json().days as { spent: { passes: number } }[];
    assert.equal(today?.spent.passes, 1);
  });

  test("what is missing is named, with what to do, and no URL is shown", async (t) => {
    const { call } = arrange(t, "missing");
    const ends = {
      noRemote: await call("dispatch --once", []),
      noVariable: await call("fleet setup", undefined, { MY_ENGINE: "" }),
      noServer: await call("fleet setup", undefined, { MY_ENGINE: "postgres://me:secret@127.0.0.1:1/db" }),
      untrusted: await call("dispatch --once", undefined, { TASK_PHASE_TRUST: "" }),
      noWord: await call("fleet", []),
    };
    const said = Object.fromEntries(Object.entries(ends).map(([name, { code, stderr }]) => [name, [code, stderr]]));
    assert.deepEqual(
      Object.values(said).map(([code]) => code),
      [64, 78, 75, 78, 64],
      JSON.stringify(said),
    );
    assert.match(ends.untrusted.stderr, /task-phase trust --remote/);
    assert.match(ends.noVariable.stderr, /MY_ENGINE/);
    assert.doesNotMatch(JSON.stringify(said), /secret/);
  });

  test("remotes that name no engine, or different ones, are refused", async (t) => {
    const { fleet, call } = arrange(t, "one");
    const other = makeFleet(t, { config: fleetYaml("two") });
    const none = makeFleet(t);
    for (const [remote, words] of [
      [other, /a different engine/],
      [none, /names no engine/],
    ] as const) {
      const end = await call("dispatch --once", ["--remote", fleet.remote, "--remote", (remote as Fleet).remote]);
      assert.equal(end.code, 78);
      assert.match(end.stderr, words);
    }
  });
});

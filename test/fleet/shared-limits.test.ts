import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runClaimed } from "../../lib/fleet/run-claimed.ts";
import type { Attempt } from "../../lib/rules/claim.ts";
import type { PassPorts, SharedCall, SharedCooldown, SharedLimits } from "../../lib/task/records/ports.ts";
import type { PassReport } from "../../lib/task/request.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { type Fleet, makeFleet } from "./fleet-world.ts";

interface Told {
  readonly reserved: SharedCall[];
  readonly accepted: (readonly Attempt[])[];
  readonly cooled: string[];
}

interface Given {
  readonly refuse?: string;
  readonly cooldowns?: ReadonlyMap<string, SharedCooldown>;
  readonly env?: Readonly<Record<string, string>>;
  readonly attempt?: string;
}

async function pass(fleet: Fleet, given: Given = {}): Promise<{ report: PassReport; told: Told }> {
  const told: Told = { reserved: [], accepted: [], cooled: [] };
  const shared: SharedLimits = {
    cooldowns: () => given.cooldowns ?? new Map(),
    reserve: async (call) => {
      told.reserved.push(call);
      return given.refuse === undefined ? null : { reason: given.refuse, again: new Date("2027-01-01T00:00:00Z") };
    },
    cooled: async (model, { reason }) => void told.cooled.push(`${model}: ${reason}`),
    accepted: async (attempts) => void told.accepted.push(attempts),
  };
  const env = { ...fleet.env, WHO: "one", CALLS: fleet.path("calls"), ...given.env };
  const ports: PassPorts = {
    env,
    home: fleet.path("home"),
    cwd: fleet.folder,
    now: () => new Date(),
    redactor: createRedactor(env),
    signal: new AbortController().signal,
    tell: () => {},
    shared,
  };
  const report = await runClaimed(
    {
      url: fleet.remote,
      task: "T-1",
      root: null,
      runner: { worker: "one", host: null, attempt: given.attempt ?? "a1", task_phase: "0", node: "v0" },
      local: null,
      takeover: false,
      pass: { repo: null, model: null, models: null, timeoutMs: null, config: null, dryRun: false, run: null },
    },
    ports,
  );
  return { report, told };
}

/** More of the model in task-phase.yaml. */
const withModel = (fleet: Fleet, keys: string): void => {
  const file = "first/tasks/task-phase.yaml";
  fleet.write(file, fleet.read(file).replace("timeout: 60s", `timeout: 60s, ${keys}`));
  fleet.git("first", "commit", "-qam", "model");
  fleet.git("first", "push", "-q", fleet.remote, "main");
};

describe("limits that several machines share", { concurrency: 2 }, () => {
  test("are asked before the claim, and told what the branch says after it is read and after each push", async (t) => {
    const fleet = makeFleet(t);
    withModel(fleet, "estimate_usd: 0.4");
    const { report, told } = await pass(fleet);
    assert.equal(report.verdict, "accepted", report.reason);
    assert.deepEqual(told.reserved, [
      { model: "mine", pass: 1, estimate: { passes: 1, moneyUsd: 0.4, tokens: 0, timeMs: 60_000 } },
    ]);
    const states = told.accepted.map((attempts) =>
      attempts.map(({ attempt, used }) => `${attempt} ${used === null ? "open" : used.moneyUsd}`),
    );
    assert.deepEqual(states, [[], ["a1 open"], ["a1 0.4"]]);
  });

  test("that are used up stop the pass before anything is claimed or called", async (t) => {
    const fleet = makeFleet(t);
    const { report } = await pass(fleet, { refuse: "the budget of the day is spent" });
    assert.deepEqual(
      [report.verdict, report.exit_name, report.reason],
      [null, "budget", "the budget of the day is spent"],
    );
    assert.equal(report.next_eligible_at, "2027-01-01T00:00:00.000Z");
    assert.deepEqual(fleet.calls(), []);
    assert.doesNotMatch(fleet.inRemote("log", "--format=%s", "--branches=task-phase/*"), /pass 1 begins/);
  });

  test("that put a model on cooldown keep it from being called here", async (t) => {
    const fleet = makeFleet(t);
    const until = new Date(Date.now() + 3_600_000);
    const { report, told } = await pass(fleet, { cooldowns: new Map([["mine", { until, reason: "usage limit" }]]) });
    assert.deepEqual([report.exit_name, report.next_eligible_at], ["unavailable", until.toISOString()], report.reason);
    assert.deepEqual([fleet.calls(), told.reserved], [[], []]);
  });

  test("are told of the limit that a model met", async (t) => {
    const fleet = makeFleet(t);
    withModel(fleet, 'rate_limit_patterns: ["come back later"]');
    const { report, told } = await pass(fleet, { env: { AGENT_FIRST: "echo 'come back later' >&2; exit 1" } });
    assert.deepEqual([report.details.end?.kind, told.cooled.length], ["limited", 1], report.reason);
    assert.match(told.cooled[0] ?? "", /^mine: /);
  });
});

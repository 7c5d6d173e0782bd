import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../cli/until.ts";
import type { Postgres } from "../../fleet/engine/postgres.ts";
import { makeFleet } from "../../fleet/fleet-world.ts";
import { childrenOf } from "./chaos.ts";

export interface TakeoverOptions {
  readonly rounds: number;
  readonly schema: string;
  /** What dies: the worker alone, whose pass then ends by itself, or both at once, as with their machine. */
  readonly dies: "worker" | "machine";
}

/**
 * Two machines share one task. Each round kills what works on it, and measures until the other machine has claimed its
 * next pass. Gives these times in milliseconds.
 */
export async function playTakeover(t: TestContext, postgres: Postgres, options: TakeoverOptions): Promise<number[]> {
  const { rounds, schema, dies } = options;
  const config = `fleet:\n  engine: { url_env: MY_ENGINE, schema: ${schema} }\n  lease: { heartbeat: 10s, margin: 3s }\n  attempts: 100\n`;
  const fleet = makeFleet(t, { config, model: "estimate_usd: 0.01" });
  const start = (name: string, words: string): ChildProcess => {
    const env = { ...fleet.machine(name).env, MY_ENGINE: postgres.url, AGENT_NAP: "600" };
    let child: ChildProcess | undefined;
    const args = [...words.split(" "), "--remote", fleet.remote];
    const onStart = (started: ChildProcess) => {
      child = started;
    };
    ended.set(name, fleet.run("task-phase", args, { env, onStart }));
    assert(child !== undefined);
    return child;
  };
  const ended = new Map<string, Promise<{ readonly code: number | null; readonly stderr: string }>>();
  const run = async (words: string): Promise<void> => {
    start("desk", words);
    const end = await ended.get("desk");
    assert.equal(end?.code, 0, end?.stderr);
  };
  await run("fleet setup");
  await run("dispatch --once");
  const workers = new Map(["a", "b"].map((name) => [name, start(name, "worker")]));
  const times: number[] = [];
  let holder = await nextHolder(fleet, 0);
  for (let round = 0; round < rounds; round += 1) {
    // The agent works by now, and its claim is in git.
    await until(() => fleet.calls().length > round);
    const worker = workers.get(holder.worker);
    assert(worker?.pid !== undefined, holder.worker);
    const victims = dies === "worker" ? [worker.pid] : [worker.pid, ...childrenOf(worker.pid)];
    const killedAt = performance.now();
    for (const pid of victims) process.kill(pid, "SIGKILL");
    const before = holder;
    holder = await nextHolder(fleet, before.claims);
    times.push(performance.now() - killedAt);
    assert.notEqual(holder.worker, before.worker, "the other machine has it now");
    await ended.get(before.worker);
    workers.set(before.worker, start(before.worker, "worker"));
  }
  for (const [name, child] of workers) {
    child.kill("SIGTERM");
    await ended.get(name);
  }
  return times;
}

/** Who claimed last, once there are more claims than these. */
async function nextHolder(fleet: ReturnType<typeof makeFleet>, claims: number) {
  for (;;) {
    const tip = fleet.inRemote("for-each-ref", "--format=%(refname)", "refs/heads/task-phase/T-1");
    const events = tip === "" ? [] : fleet.events("T-1");
    const claimed = events.filter(({ type }) => type === "pass_started" || type === "claimed");
    const attempts = new Set(claimed.map(({ runner }) => (runner as { attempt: string }).attempt));
    const worker = (claimed.at(-1)?.runner as { worker: string } | undefined)?.worker ?? "";
    if (attempts.size > claims) return { worker, claims: attempts.size };
    await sleep(100);
  }
}

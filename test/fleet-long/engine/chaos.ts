import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addUsage, noUsage, type Usage } from "../../../lib/rules/budgets.ts";
import { readUsage } from "../../../lib/rules/usage.ts";
import { parseTaskJournal } from "../../../lib/task/records/task-journal.ts";
import type { RunEnd } from "../../cli/arrange.ts";
import type { Postgres } from "../../fleet/engine/postgres.ts";
import { type Fleet, makeFleet } from "../../fleet/fleet-world.ts";
import { doneTasks } from "./done-tasks.ts";

export interface ChaosOptions {
  readonly workers: number;
  readonly tasks: number;
  /** How many processes are killed at random: workers, and the processes of their passes. */
  readonly kills: number;
  readonly seed: number;
  /** Of the engine. */
  readonly schema: string;
  /** Called once when half of the kills are over: for what else goes wrong then. */
  readonly halfway?: (world: ChaosWorld) => Promise<void>;
}

export interface ChaosWorld {
  readonly fleet: Fleet;
  /** A command of the fleet, on a machine of its own. */
  call(words: string): Promise<RunEnd>;
}

/** What a play came to. */
export interface ChaosResult {
  readonly killed: number;
  readonly accepted: number;
  readonly interrupted: number;
  readonly calls: number;
}

interface Running {
  readonly child: ChildProcess;
  readonly end: Promise<RunEnd>;
}

/**
 * Workers take tasks from intake to done, with a dispatcher beside them, while processes are killed; who was killed
 * is started again on the same machine. Asserts in the end that each pass that began has one verdict, that every task is
 * done and its history whole, and that the ledger has exactly what the journals have, with nothing held.
 */
export async function playChaos(t: TestContext, postgres: Postgres, options: ChaosOptions): Promise<ChaosResult> {
  const { workers, tasks, kills, seed, schema } = options;
  const ids = Array.from({ length: tasks }, (_value, index) => `T-${index + 1}`);
  const config = `fleet:\n  engine: { url_env: MY_ENGINE, schema: ${schema} }\n  lease: { heartbeat: 10s, margin: 3s }\n  after: done\n`;
  const fleet = makeFleet(t, { tasks: ids, config, model: "estimate_usd: 0.25" });
  const random = makeRandom(seed);
  const start = (name: string, words: readonly string[]): Running => {
    const env = { ...fleet.machine(name).env, MY_ENGINE: postgres.url, AGENT_NAP: "0.5" };
    let child: ChildProcess | undefined;
    const end = fleet.run("task-phase", [...words, "--remote", fleet.remote], {
      env,
      onStart: (started) => {
        child = started;
      },
    });
    assert(child !== undefined);
    return { child, end };
  };
  const call = async (words: string): Promise<RunEnd> => {
    const end = await start("desk", words.split(" ")).end;
    assert.equal(end.code, 0, `${words}: ${end.stdout}${end.stderr}`);
    return end;
  };
  await call("fleet setup");
  const dispatch = ["dispatch", "--every", "10s"];
  const crew = Array.from({ length: workers }, (_value, index) => `w${index}`);
  const running = new Map<string, Running>(crew.map((name) => [name, start(name, ["worker"])]));
  running.set("dispatcher", start("dispatcher", dispatch));
  let killed = 0;
  const isOver = () => doneTasks(fleet).size === tasks;
  while (!isOver()) {
    await sleep(300 + 2_700 * random());
    // One that ended by itself, as when its engine was gone, is started again as by systemd.
    for (const [name, { child, end }] of running) {
      if (child.exitCode === null) continue;
      t.diagnostic(
        `${name} ended with ${child.exitCode}: ${(await end).stderr.trim().split("\n").slice(-2).join(" ")}`,
      );
      running.set(name, start(name, name === "dispatcher" ? dispatch : ["worker"]));
    }
    if (killed >= kills || isOver()) continue;
    const name = crew[Math.floor(random() * crew.length)] ?? "";
    const worker = running.get(name);
    assert(worker?.child.pid !== undefined);
    const passes = childrenOf(worker.child.pid);
    if (passes.length === 0) continue;
    const victims = [worker.child.pid, ...passes];
    const victim = victims[Math.floor(random() * victims.length)] ?? worker.child.pid;
    if (!kill(victim)) continue;
    killed += 1;
    if (victim === worker.child.pid) {
      await worker.end;
      running.set(name, start(name, ["worker"]));
    }
    if (killed === Math.ceil(kills / 2)) await options.halfway?.({ fleet, call });
  }
  for (const { child } of running.values()) child.kill("SIGTERM");
  for (const { end } of running.values()) {
    const { code, signal, stderr } = await end;
    // One that was started a moment ago does not listen yet.
    assert(code === 143 || signal === "SIGTERM", stderr);
  }
  // What killed processes left for their machines to settle, and then for the dispatcher.
  await call("dispatch --once");
  const shown = (await call("fleet status --json")).json();
  return { killed, ...(await assertWhole(fleet, ids, shown)) };
}

async function assertWhole(fleet: Fleet, ids: readonly string[], shown: Record<string, unknown>) {
  let used: Usage = noUsage;
  let [accepted, interrupted] = [0, 0];
  for (const id of ids) {
    const path = `tasks/${id}/artifacts/journal.jsonl`;
    const { events } = parseTaskJournal(Buffer.from(fleet.onBranch(id, path)), path);
    const started = events.flatMap((event) => (event.type === "pass_started" ? [event.pass] : []));
    const verdicts = events.flatMap((event) => (event.type === "verdict" ? [event] : []));
    assert.deepEqual(
      verdicts.map(({ pass }) => pass),
      started,
      `${id}: each pass that began has one verdict`,
    );
    accepted += verdicts.filter(({ verdict }) => verdict === "accepted").length;
    interrupted += verdicts.filter(({ verdict }) => verdict === "interrupted").length;
    for (const day of readUsage(events).days.values()) used = addUsage(used, day);
    const checked = await fleet.check(id);
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  }
  assert.equal(accepted, 5 * ids.length, "each phase of each task once");
  const days = shown.days as { spent: Record<string, number>; held: Record<string, number> }[];
  const sum = (kind: string) => days.reduce((total, { spent }) => total + (spent[kind] ?? 0), 0);
  const spent = { passes: sum("passes"), moneyUsd: sum("money_usd"), tokens: sum("tokens"), timeMs: sum("time_ms") };
  assert.deepEqual(round(spent), round(used), "the ledger has what the journals have");
  assert.deepEqual(
    days.map(({ held }) => held),
    days.map(() => ({ passes: 0, money_usd: 0, tokens: 0, time_ms: 0 })),
    "nothing is held",
  );
  // Workers that were killed are named, and jobs of tasks that got done before anybody took them.
  const expected = ["silent_worker", "job_without_work"];
  const differences = (shown.differences as { readonly kind: string }[]).filter(({ kind }) => !expected.includes(kind));
  assert.deepEqual(differences, []);
  return { accepted, interrupted, calls: fleet.calls().length };
}

function round({ passes, moneyUsd, tokens, timeMs }: Usage): Usage {
  return { passes, moneyUsd: Math.round(moneyUsd * 1e6) / 1e6, tokens, timeMs };
}

/** The processes that this one started and that live. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
}

/** False: it ended by itself just before. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

/** The same numbers from 0 to 1 for the same seed. */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

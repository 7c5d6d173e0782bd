import type { TestContext } from "node:test";
import { dispatchOnce } from "../../lib/fleet/dispatch.ts";
import { readRemote } from "../../lib/fleet/read-remote.ts";
import { passStarter } from "../../lib/fleet/start-pass.ts";
import { runWorker, type WorkerReport } from "../../lib/fleet/worker.ts";
import { type Fleet, type FleetOptions, type Machine, makeFleet } from "./fleet-world.ts";
import { type MemoryEngine, memoryEngine } from "./memory-engine.ts";

export interface WorkerOptions {
  readonly slots?: number;
  readonly once?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Told each line of the story. */
  readonly tell?: (line: string) => void;
}

/** A fleet whose machines share an engine of this process. */
export interface WorkerFleet extends Fleet {
  readonly engine: MemoryEngine;
  /** One look of the dispatcher; the tasks that got a job. */
  dispatch(): Promise<string[]>;
  work(machine: Machine, options?: WorkerOptions): Promise<WorkerReport & { readonly story: readonly string[] }>;
}

const never = new AbortController().signal;

export function makeWorkerFleet(
  t: TestContext,
  options: FleetOptions = {},
  engine: MemoryEngine = memoryEngine(),
): WorkerFleet {
  const fleet = makeFleet(t, options);
  const dispatcher = fleet.machine("dispatcher");
  const portsOf = ({ env }: Machine) => ({ env, home: fleet.path("home"), cwd: fleet.folder, now: () => new Date() });
  return {
    ...fleet,
    engine,
    dispatch: async () => {
      const ports = { ...portsOf(dispatcher), signal: never };
      const remote = await readRemote({ url: fleet.remote, config: null }, ports);
      if (typeof remote === "string") throw new Error(remote);
      return (await dispatchOnce([remote], engine, ports)).offered.map(({ task }) => task);
    },
    work: async (machine, { slots = 1, once = true, env = {}, signal = never, tell } = {}) => {
      const story: string[] = [];
      const report = await runWorker({
        engine,
        name: machine.name,
        ...{ slots, once, signal, config: null, verbose: false, marginMs: 3_000, heartbeatMs: 10_000 },
        start: passStarter({ env: { ...machine.env, ...env }, home: fleet.path("home") }),
        now: () => new Date(),
        tell: (line) => {
          story.push(line);
          tell?.(line);
        },
      });
      return { ...report, story };
    },
  };
}

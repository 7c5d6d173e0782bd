import * as v from "valibot";
import { about, recordOf, type Shape } from "../../../text/shape.ts";
import { standings } from "../../standing-facts.ts";
import { count, flag, maybePhase, maybeText, maybeTime, number, text, time } from "../values.ts";
import { reportOf } from "./common.ts";

const offeredJob = v.object({ task: text, url: text, phase: text, priority: number });

export const dispatchKeys = v.object({
  offered: about(v.array(offeredJob), "the jobs that its last look put into the queue, the most urgent first"),
  runnable: about(count, "tasks that a pass can do something with"),
  settled: about(count, "dead attempts whose held money was settled by their journals"),
});
export const dispatchReport = reportOf(dispatchKeys.entries);

export const workerKeys = v.object({
  worker: about(text, "the name under which the engine knew it"),
  passes: about(recordOf(count), "how many passes ended with each verdict; `none`: nothing was decided"),
});
export const workerReport = reportOf(workerKeys.entries);

const usage = v.object({ passes: number, money_usd: number, tokens: number, time_ms: number });
const lease = v.object({ worker: text, attempt: text, until: time, alive: flag });
const job = v.object({
  state: v.picklist(["queued", "waiting", "leased"]),
  ...{ due: time, deliveries: count, why: maybeText },
  lease: v.nullable(lease),
});
const hold = v.object({ attempt: text, pass: count, account: text, estimate: usage, at: time, alive: flag });
const fleetTask = v.object({
  ...{ task: maybeText, url: text, phase: maybePhase },
  standing: v.picklist(standings),
  why: text,
  attempt: maybeText,
  job: v.nullable(job),
  holds: v.array(hold),
});

export const differenceKinds = [
  "job_without_work",
  "claim_without_lease",
  "hold_without_claim",
  "lapsed_lease",
  "silent_worker",
] as const;

export const fleetKeys = v.object({
  now: about(maybeTime, "with `status`: by the engine's clock"),
  rebuilt: about(flag, "false: no pass is granted before `fleet setup --rebuild`"),
  tasks: about(
    v.array(fleetTask),
    "with `status`: each task as git has it, `attempt` being that of its open claim, beside its job and what is held for it in the engine",
  ),
  differences: about(
    v.array(v.object({ kind: v.picklist(differenceKinds), task: maybeText, url: maybeText, why: text })),
    "with `status`: where git and the engine do not say the same",
  ),
  workers: about(v.array(v.object({ name: text, slots: count, seen: time, alive: flag })), "with `status`"),
  days: about(
    v.array(v.object({ day: text, spent: usage, held: usage })),
    "with `status`: what all tasks of the engine used in a UTC day, and what is held, newest first",
  ),
  cooldowns: about(
    v.array(v.object({ account: text, until: time, reason: text })),
    "with `status`: accounts on cooldown",
  ),
  setup: about(
    v.nullable(
      v.object({
        ...{ kind: v.picklist(["made", "upgraded", "there"]), postgres: text, pg_boss: text, node: text },
        clock_difference_ms: number,
        counted: v.nullable(v.object({ tasks: count, days: count, open: count })),
      }),
    ),
    "with `setup`, else null; `counted`: what the ledger was counted from, or null if it was left as it is",
  ),
});
export const fleetReport = reportOf(fleetKeys.entries);

export type DispatchKeys = Shape<typeof dispatchKeys>;
export type WorkerKeys = Shape<typeof workerKeys>;
export type FleetKeys = Shape<typeof fleetKeys>;
export type DifferenceKind = (typeof differenceKinds)[number];

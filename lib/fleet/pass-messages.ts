import type { Attempt } from "../machine/claim.ts";
import type { Verdict } from "../machine/decision.ts";
import type { Phase } from "../machine/phases.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { Job, Refused, Rest, SharedCall } from "./engine/engine.ts";

/** What a worker has the process of one pass do. */
export interface PassOrder {
  readonly job: Job;
  readonly attempt: string;
  /** The attempts whose claims of this task block no other runner any more. */
  readonly dead: readonly string[];
  readonly config: string | null;
  readonly verbose: boolean;
}

export type WorkerMessage =
  | { readonly kind: "begin"; readonly order: PassOrder }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "fault"; readonly id: number; readonly exitName: ExitName; readonly findings: readonly Finding[] }
  /** The pass is over: which jobs does its remote have now? */
  | { readonly kind: "judge" }
  /** Nothing more is asked. */
  | { readonly kind: "part" };

export type PassMessage =
  | { readonly kind: "ask"; readonly id: number; readonly question: Question }
  | { readonly kind: "tell"; readonly line: string }
  | { readonly kind: "ended"; readonly end: LeasedEnd }
  /** Null: the remote could not be read. */
  | { readonly kind: "jobs"; readonly jobs: readonly Job[] | null };

/** What the process asks of the engine, through its worker. */
export type Question =
  | { readonly kind: "rests" }
  | { readonly kind: "reserve"; readonly call: Omit<SharedCall, "attempt" | "repo" | "task"> }
  | { readonly kind: "cool"; readonly account: string; readonly until: Date; readonly reason: string }
  | { readonly kind: "attempts"; readonly attempts: readonly Attempt[] };

export interface Answers {
  rests: ReadonlyMap<string, Rest>;
  reserve: Refused | null;
  cool: null;
  attempts: null;
}

export interface LeasedEnd {
  readonly exitName: ExitName;
  /** Null: nothing was decided. */
  readonly verdict: Verdict | null;
  readonly reason: string;
  readonly findings: readonly Finding[];
  /** ISO 8601, UTC. */
  readonly nextEligibleAt: string | null;
  /** The phase in which the task can go on at once; null: only the remote can say. */
  readonly goesOnIn: Phase | null;
  /** For people, one line each. */
  readonly story: readonly string[];
}

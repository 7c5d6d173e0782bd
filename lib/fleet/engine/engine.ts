import * as v from "valibot";
import type { Limits } from "../../documents/config/limits-schema.ts";
import type { Usage } from "../../rules/budgets.ts";
import type { SharedCooldown } from "../../task/records/ports.ts";
import type { EngineSettings } from "../read-remote.ts";

/**
 * What several machines share beside git: who works on which task, and what may still be spent. Git decides what counts;
 * an engine that does something twice or forgets everything costs time, and never a verdict. Every time is that of the
 * engine's own clock. Each call throws TP_ENGINE_UNREACHABLE (exit code 75) if the engine does not answer, and
 * TP_ENGINE_NOT_SET_UP (78) if `task-phase fleet setup` has not been there.
 */
export interface Engine {
  /** Asks for one pass of a task. "there": a job of this task is queued, waits or is leased already. */
  offer(job: Job): Promise<"offered" | "there">;
  /** The next job, that of the highest priority first; null: none is due. It is ours for `heartbeatMs` of the lease. */
  lease(worker: string): Promise<Lease | null>;
  /** Begins the time of the lease anew. False: it is gone, and another worker may have the job. */
  renew(lease: Lease): Promise<boolean>;
  /** The job was done, whatever its pass came to. False: the lease was gone. */
  done(lease: Lease): Promise<boolean>;
  /** Puts the job back into the queue, not before `again`; null: at once. False: the lease was gone. */
  fail(lease: Lease, why: string, again: Date | null): Promise<boolean>;
  /**
   * Reserves from every budget and slot that the call needs, or from none of them; null: it is reserved. The same attempt asks
   * as often as it likes: it is counted once, and never again once it is settled.
   */
  reserve(call: SharedCall): Promise<Refused | null>;
  /** Ends a hold: `used` is spent today; null frees it, since nothing began. False: none, or already settled. */
  settle(attempt: string, used: Usage | null): Promise<boolean>;
  /** No call of this account begins before `until`; an earlier time than one that is known changes nothing. */
  cool(account: string, until: Date, reason: string): Promise<void>;
  /** The open holds, oldest first: all, or those of one task. */
  holds(of?: TaskKey): Promise<Hold[]>;
  /** The accounts on cooldown now. */
  cooldowns(): Promise<ReadonlyMap<string, SharedCooldown>>;
  /** This worker lives, and does that many passes at a time. Call it as often as a lease is renewed. */
  present(worker: { readonly name: string; readonly slots: number }): Promise<void>;
  /** This worker ends, and no longer counts. */
  leave(worker: string): Promise<void>;
  standing(): Promise<EngineStanding>;
  close(): Promise<void>;
}

export interface TaskKey {
  /** The sha256 of the URL of the remote, hexadecimal. */
  readonly repo: string;
  readonly task: string;
}

/** A request for one pass of one task. Less than 1 KB as JSON, no secret, no prose. */
export const jobSchema = v.object({
  v: v.literal(1),
  repo: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** The remote's URL without a password: git on the worker's machine knows how to log in. */
  url: v.string(),
  task: v.string(),
  /** The branch of the task, a full name. */
  ref: v.string(),
  /** The commit and the number of journal events that the job was judged by. Both are hints: a worker reads the branch. */
  base_sha: v.nullable(v.string()),
  seen_seq: v.number(),
  phase: v.string(),
  /** The account whose limits probably apply to the next call; null: unknown, or none. */
  account: v.nullable(v.string()),
  priority: v.pipe(v.number(), v.integer()),
});

export type Job = Readonly<v.InferOutput<typeof jobSchema>>;

export interface Lease {
  readonly job: Job;
  /** Of this delivery alone: fits `run --claim --attempt`, and is in the journal. */
  readonly attempt: string;
  /** How often the job was handed out, with this time: 1 is the first. */
  readonly delivery: number;
  /** How long the lease lasts from the moment when `lease` or a `renew` that succeeded was called. */
  readonly heartbeatMs: number;
  /** When `lease` was called, in milliseconds of `performance.now()`. */
  readonly leasedAt: number;
}

/** What one pass is about to use, with its reviewers. */
export interface SharedCall extends TaskKey {
  readonly attempt: string;
  readonly pass: number;
  readonly account: string;
  /** The limits of the repository that asks: the engine stores none. Null: no limit. */
  readonly limits: {
    /** How many attempts of the account may hold a lease at the same time. */
    readonly concurrent: number | null;
    readonly startsPerMinute: number | null;
    /** For all tasks of this engine together, a UTC day. */
    readonly day: Limits;
  };
  readonly estimate: Usage;
}

export interface Refused {
  /** "lease": the attempt has lost its lease. "not_rebuilt": the spending in the journals has not been counted yet. */
  readonly by: "budget" | "concurrent" | "starts" | "cooldown" | "lease" | "not_rebuilt";
  /** In plain words, without an end: `the account team-a cools down until 2026-11-23T21:00:00Z (usage limit)`. */
  readonly reason: string;
  /** When it is worth asking again; null: not known. */
  readonly again: Date | null;
}

/** What an attempt that has no verdict yet is taken to use. */
export interface HeldCall extends Pick<SharedCall, "attempt" | "pass" | "account" | "estimate">, TaskKey {
  readonly at: Date;
}

export interface Hold extends HeldCall {
  /** Whether the lease of its attempt is. A dead one keeps its money and holds no slot. */
  readonly alive: boolean;
}

/** All that the engine knows, for people and for the dispatcher. */
export interface EngineStanding {
  /** By the engine's clock. */
  readonly now: Date;
  /** False: no call is granted before the ledger is rebuilt from the journals. */
  readonly rebuilt: boolean;
  readonly jobs: readonly JobStanding[];
  readonly holds: readonly Hold[];
  /** Of today and of the days before that are still kept, newest first. */
  readonly days: readonly DaySpend[];
  readonly cooldowns: ReadonlyMap<string, SharedCooldown>;
  readonly workers: readonly WorkerStanding[];
}

export interface JobStanding {
  readonly job: Job;
  /** "waiting": it is queued, and not due before `due`. */
  readonly state: "queued" | "waiting" | "leased";
  readonly due: Date;
  /** How often it was handed out so far. */
  readonly deliveries: number;
  /** Null if it is not leased. `alive` is false if the lease has expired and was not taken back yet. */
  readonly lease: {
    readonly worker: string;
    readonly attempt: string;
    readonly until: Date;
    readonly alive: boolean;
  } | null;
  /** Why it was put back last; null: it never was. */
  readonly why: string | null;
}

/** What all tasks of the engine used in one UTC day. What is held counts for today, whenever it was reserved. */
export interface DaySpend {
  /** As 2026-11-23. */
  readonly day: string;
  readonly spent: Usage;
  readonly held: Usage;
}

export interface WorkerStanding {
  readonly name: string;
  readonly slots: number;
  readonly seen: Date;
  /** Whether it was seen within three heartbeats. */
  readonly alive: boolean;
}

/** What the journals of all tasks say, to count anew from. */
export interface LedgerFacts {
  /** By UTC day, as 2026-11-23. */
  readonly days: ReadonlyMap<string, Usage>;
  /** The passes that have begun and have no verdict. */
  readonly open: readonly HeldCall[];
  /** Every attempt that a journal names, open or not: what another one holds may be about to begin. */
  readonly known: ReadonlySet<string>;
}

export interface EngineSetup {
  readonly kind: "made" | "upgraded" | "there";
  readonly postgres: string;
  readonly pgBoss: string;
  readonly node: string;
  /** The engine's clock less this machine's, in milliseconds, as near as one round trip tells. */
  readonly clockDifferenceMs: number;
  readonly rebuilt: boolean;
}

/**
 * Where an engine is: what `openEngine(place)`, `setupEngine(place)` and `rebuildLedger(place, read)` are given. The URL is
 * named, and is never in an error, a log or a file.
 */
export interface EnginePlace extends Omit<EngineSettings, "marginMs"> {
  readonly env: NodeJS.ProcessEnv;
  /** Where the user's packages are looked for, beside those of task-phase. */
  readonly cwd: string;
}

import type { Attempt } from "../rules/claim.ts";
import type { Verdict } from "../rules/decision.ts";
import type { Phase } from "../rules/phases.ts";
import type { SharedCooldown } from "../task/records/ports.ts";
import type { Stop } from "../task/session.ts";
import { TaskPhaseError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import type { Job, Refused, SharedCall } from "./engine/engine.ts";

export interface ChannelEnds {
  send(message: PassMessage): void;
  /** `heard` receives each message; `closed`: the worker has gone. */
  listen(heard: (message: WorkerMessage) => void, closed: () => void): void;
  close(): void;
}

export interface PassChannel {
  /** Resolves when the worker has said what to do; null: it went before. */
  readonly order: Promise<PassOrder | null>;
  ask<Kind extends PassQuestion["kind"]>(question: Extract<PassQuestion, { kind: Kind }>): Promise<Answers[Kind]>;
  tell(line: string): void;
  /** Reports the end; true: the worker asks for the jobs of the remote. */
  finish(end: LeasedEnd): Promise<boolean>;
  send(message: PassMessage): void;
  close(): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** `gone` is called when the worker has gone, whatever it was doing. */
export function openPassChannel(ends: ChannelEnds, gone: () => void): PassChannel {
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  let isOpen = true;
  let begin: (order: PassOrder | null) => void = () => undefined;
  let part: (judge: boolean) => void = () => undefined;
  const order = new Promise<PassOrder | null>((resolve) => {
    begin = resolve;
  });
  ends.listen(
    (message) => {
      switch (message.kind) {
        case "begin":
          return begin(message.order);
        case "judge":
          return part(true);
        case "part":
          return part(false);
        case "answer":
          return take(message.id)?.resolve(message.value);
        case "fault":
          return take(message.id)?.reject(new TaskPhaseError(message.exitName, message.findings));
      }
    },
    () => {
      isOpen = false;
      begin(null);
      part(false);
      for (const each of waiting.values()) each.reject(workerGone());
      waiting.clear();
      gone();
    },
  );
  const take = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };
  return {
    order,
    ask: <Kind extends PassQuestion["kind"]>(question: Extract<PassQuestion, { kind: Kind }>) =>
      new Promise<Answers[Kind]>((resolve, reject) => {
        if (!isOpen) return reject(workerGone());
        ids += 1;
        waiting.set(ids, { resolve: (value) => resolve(value as Answers[Kind]), reject });
        ends.send({ kind: "ask", id: ids, question });
      }),
    tell: (line) => ends.send({ kind: "tell", line }),
    finish: (end) =>
      new Promise((resolve) => {
        part = resolve;
        if (isOpen) ends.send({ kind: "ended", end });
        else resolve(false);
      }),
    send: ends.send,
    close: ends.close,
  };
}

function workerGone(): TaskPhaseError {
  return new TaskPhaseError("sigterm", [
    errorFinding("TP_WORKER_GONE", "the worker that this pass belongs to has ended"),
  ]);
}

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
  | { readonly kind: "ask"; readonly id: number; readonly question: PassQuestion }
  | { readonly kind: "tell"; readonly line: string }
  | { readonly kind: "ended"; readonly end: LeasedEnd }
  /** Null: the remote could not be read. */
  | { readonly kind: "jobs"; readonly jobs: readonly Job[] | null };

/** What the process asks of the engine, through its worker. */
export type PassQuestion =
  | { readonly kind: "cooldowns" }
  | { readonly kind: "reserve"; readonly call: Omit<SharedCall, "attempt" | "repo" | "task"> }
  | { readonly kind: "cool"; readonly account: string; readonly until: Date; readonly reason: string }
  | { readonly kind: "attempts"; readonly attempts: readonly Attempt[] };

export interface Answers {
  cooldowns: ReadonlyMap<string, SharedCooldown>;
  reserve: Refused | null;
  cool: null;
  attempts: null;
}

export interface LeasedEnd extends Pick<Stop, "exitName" | "reason" | "findings" | "nextEligibleAt"> {
  /** Null: nothing was decided. */
  readonly verdict: Verdict | null;
  /** The phase in which the task can go on at once; null: only the remote can say. */
  readonly goesOnIn: Phase | null;
  /** For people, one line each. */
  readonly story: readonly string[];
}

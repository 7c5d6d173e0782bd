import assert from "node:assert/strict";
import { readState } from "../../lib/documents/read-state.ts";
import { addEvent } from "../../lib/rules/add-event.ts";
import type { CheckRun } from "../../lib/rules/check-run.ts";
import { decide } from "../../lib/rules/decide.ts";
import type { Decision } from "../../lib/rules/decision.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Facts, Policy } from "../../lib/rules/facts.ts";
import { noPolicy } from "../../lib/rules/facts.ts";
import { emptyHistory, type TaskHistory } from "../../lib/rules/history.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { StateView } from "../../lib/rules/state-view.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { formatEvent } from "../../lib/store/journal.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { at, stateFile, withFields } from "../cli/task-states.ts";
import { check, checkRun, facts as madeFacts, verdictEvent } from "../rules/arrange.ts";

type Files = Readonly<Record<string, string | null>>;

/** The files of a task as a runner leaves them, made in memory: the journal is chained, each record decides itself. */
export interface HonestTask {
  /** All that git has of it. */
  files(): Files;
  state(): string;
  journal(): string;
  /** A pass that proposes this phase, with the checks run where that calls for them. */
  pass(to: Phase, change?: PassChange): Files;
  /** Any event, chained; its `state`, where it has one, stands afterwards. */
  add(event: TaskEvent): Files;
  /** A task of its own that goes on from here. */
  fork(): HonestTask;
  readonly history: () => TaskHistory;
}

export interface PassChange {
  readonly fields?: Readonly<Record<string, string>>;
  readonly facts?: Partial<Facts>;
  readonly policy?: Partial<Policy>;
  /** What the record says is not what was decided, as nobody but a forger writes it. */
  readonly decision?: Partial<Decision>;
  /** The event, beside the record. */
  readonly event?: Partial<VerdictEvent>;
  readonly withoutRecord?: boolean;
}

interface Made {
  readonly lines: readonly string[];
  readonly head: string | null;
  readonly history: TaskHistory;
  readonly state: string;
  readonly records: Files;
}

const policy: Policy = {
  ...noPolicy,
  completion_promise: "COMPLETE",
  budget: { passes: 5000, repairs: 5000 },
  retries_per_failure: 2,
  required_validators: ["tests"],
};

export const goodChecks = checksOn("code");

/** A run of the one validator that passed on this code. */
export function checksOn(fingerprint: string, status: "pass" | "fail" = "pass"): CheckRun {
  const failed = status === "pass" ? {} : { status, exit_code: 1 };
  const result = check({ duration_ms: 1, attribution: null, excerpt: "", ...failed });
  return checkRun([result], { fingerprint_before: fingerprint, fingerprint_after: fingerprint });
}

/** Adopted at intake, and no pass yet. */
export function honestTask(): HonestTask {
  const state = stateFile({ phase: "intake", fields: { "Candidate done": "yes" } });
  const none: Made = { lines: [], head: null, history: emptyHistory, state, records: {} };
  const task = continueFrom(none);
  task.add({ type: "adopted", at, phase: "intake", state, contract_sha256: "c" });
  return task;
}

/** From intake to the phase, by accepted passes alone. */
export function taskAt(phase: Phase): HonestTask {
  const task = honestTask();
  for (const to of ["shape", "implement", "verify", "review", "done"] as const) {
    if (task.history().phase === phase) return task;
    task.pass(to);
  }
  assert.equal(task.history().phase, phase);
  return task;
}

function continueFrom(start: Made): HonestTask {
  let made = start;
  const files = (): Files => ({
    "STATE.md": made.state,
    "artifacts/journal.jsonl": made.lines.join(""),
    ...made.records,
  });
  const add = (event: TaskEvent): Files => {
    const next = formatEvent(
      made.head,
      made.lines.length + 1,
      event as TaskEvent & { readonly [key: string]: unknown },
    );
    made = {
      ...made,
      lines: [...made.lines, `${next.line}\n`],
      head: next.head,
      history: addEvent(made.history, event),
      state: "state" in event && event.state !== null ? event.state : made.state,
    };
    return files();
  };
  return {
    files,
    add,
    state: () => made.state,
    journal: () => made.lines.join(""),
    history: () => made.history,
    fork: () => continueFrom(made),
    pass: (to, change = {}) => {
      const pass = made.history.lastPass + 1;
      const { event, record } = makePass(made, to, pass, change);
      const name = `artifacts/passes/${String(pass).padStart(4, "0")}/pass.json`;
      if (change.withoutRecord !== true) made = { ...made, records: { ...made.records, [name]: record } };
      return add(event);
    },
  };
}

function makePass({ state, history }: Made, to: Phase, pass: number, change: PassChange) {
  const result = `What pass ${pass} came to`;
  const proposed = withFields(state, { "Current result": result, Phase: to, ...change.fields });
  const before = { state: viewOf(state) };
  const proposal = { kind: "read" as const, state: viewOf(proposed) };
  const from = before.state.phase;
  const checked = (from === "verify" && to === "review") || (from === "review" && to === "done");
  const facts = factsOf(pass, history, checked, change.facts);
  const used = { ...policy, ...change.policy };
  const decision = { ...decide(before, proposal, facts, used), ...change.decision };
  const taken = decision.verdict === "accepted" || decision.verdict === "redirected";
  const { validator_status, repair_applied, revalidation_status } = decision.runner_fields;
  const after = taken
    ? withFields(proposed, {
        Phase: decision.to,
        "Validator status": validator_status,
        "Repair applied": repair_applied,
        "Revalidation status": revalidation_status,
      })
    : state;
  const record = `${JSON.stringify({ version: 1, pass, before, proposal, facts, policy: used, decision }, null, 2)}\n`;
  return { record, event: { ...verdictOf(decision, facts, pass, after, record), ...change.event } };
}

function verdictOf(decision: Decision, facts: Facts, pass: number, state: string, record: string): VerdictEvent {
  const { runner_fields: _, exit_name: __, ...decided } = decision;
  const { checks, fingerprint, end, evidence, matrix } = facts;
  const of = { ...decided, checks, fingerprint, end, evidence, matrix };
  return verdictEvent(
    decision.from,
    decision.to,
    { state, contract: "c" },
    { at, pass, model: "honest", ...of, record_sha256: sha256(record) },
  );
}

function factsOf(pass: number, history: TaskHistory, checked: boolean, more: Partial<Facts> = {}): Facts {
  return madeFacts({
    pass,
    fingerprint: { before: "code", after: "code", present: checked ? "code" : null },
    reviewed_fingerprint: history.reviewedFingerprint,
    checks: checked ? goodChecks : null,
    task_files_changed: ["STATE.md"],
    history: history.counts,
    ...more,
  });
}

/** A state is what one pass leaves and the next begins with, and most tests begin with the same ones. */
const views = new Map<string, StateView>();

function viewOf(text: string): StateView {
  const known = views.get(text);
  if (known !== undefined) return known;
  const read = readState(Buffer.from(text), "STATE.md");
  assert.equal(read.kind, "state");
  if (read.kind !== "state") throw new Error("unreadable");
  if (views.size > 200) views.clear();
  views.set(text, read.document.view);
  return read.document.view;
}

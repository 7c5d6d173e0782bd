import * as v from "valibot";
import { controlCommands, degradeSteps, type TaskEvent } from "../machine/events.ts";
import { severities, watchedKinds } from "../machine/facts.ts";
import { phaseNames } from "../machine/phases.ts";
import { dataError } from "../report/errors.ts";
import { parseJournal } from "../store/journal.ts";
import { readRegularFile } from "../store/read-file.ts";
import { sha256 } from "../text/sha256.ts";

/** 64 MiB: some ten thousand passes. */
export const maxJournalBytes = 64 * 1024 * 1024;

/** A task's journal as it stands, its chain held. */
export interface TaskJournal {
  readonly events: readonly TaskEvent[];
  readonly head: string | null;
  readonly seq: number;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export const emptyJournal: TaskJournal = { events: [], head: null, seq: 0, bytes: Buffer.alloc(0), sha256: sha256("") };

const phase = v.picklist(phaseNames);
/** What a call of a model used; a budget that read nonsense here would never hold. */
const amount = v.nullable(v.number());
const charged = {
  duration_ms: v.number(),
  cost_usd: amount,
  tokens: v.looseObject({ input: amount, output: amount }),
};
const moved = { from: phase, to: phase, state: v.string() };
const eventSchemas: Readonly<Record<TaskEvent["type"], v.GenericSchema>> = {
  adopted: v.looseObject({ phase, state: v.string(), contract_sha256: v.string() }),
  brief_changed: v.looseObject({ contract_sha256: v.string(), state: v.string() }),
  state_edited: v.looseObject({
    ...moved,
    reopened: v.boolean(),
    tickets: v.array(v.unknown()),
    features: v.array(v.string()),
  }),
  edit_refused: v.looseObject({ from: phase, to: phase, reason: v.string() }),
  pinned: v.looseObject({ protected: v.record(v.string(), v.string()) }),
  baseline: v.looseObject({
    fingerprint: v.string(),
    results: v.array(v.looseObject({ name: v.string(), status: v.string() })),
  }),
  pass_started: v.looseObject({
    pass: v.number(),
    phase,
    model: v.string(),
    estimate_usd: v.optional(v.nullable(v.number())),
  }),
  verdict: v.looseObject({
    ...moved,
    pass: v.number(),
    verdict: v.picklist(["accepted", "redirected", "rejected", "no_progress", "unavailable", "interrupted"]),
    reasons: v.array(v.unknown()),
    gates: v.array(v.unknown()),
    tickets: v.array(v.unknown()),
    features: v.array(v.string()),
    end: v.looseObject({ kind: v.string() }),
    open_questions: v.optional(v.array(v.string())),
    watched: v.optional(
      v.array(v.looseObject({ kind: v.picklist(watchedKinds), name: v.string(), digest: v.string() })),
    ),
    ...charged,
  }),
  escalated: v.looseObject({
    ...moved,
    cause: v.string(),
    blockers: v.string(),
    open_questions: v.optional(v.array(v.string())),
  }),
  resumed: v.looseObject({ ...moved, reason: v.string() }),
  watched: v.looseObject({ pass: v.number(), file: v.string(), sha256: v.string(), count: v.number() }),
  watch_answered: v.looseObject({
    question: v.string(),
    accepted: v.boolean(),
    changes: v.array(v.looseObject({ name: v.string(), digest: v.string() })),
    tickets: v.array(v.unknown()),
  }),
  relinked: v.looseObject({ state: v.string() }),
  answered: v.looseObject({ ...moved }),
  defaulted: v.looseObject({ ...moved, questions: v.array(v.unknown()) }),
  degraded: v.looseObject({ steps: v.array(v.picklist(degradeSteps)), reason: v.string() }),
  controlled: v.looseObject({ command: v.picklist(controlCommands), detail: v.string() }),
  reviewed: v.looseObject({
    pass: v.number(),
    role: v.string(),
    fingerprint: v.string(),
    findings: v.array(v.looseObject({ severity: v.picklist(severities), text: v.string() })),
    end: v.looseObject({ kind: v.string() }),
    ...charged,
  }),
  recovered: v.looseObject({ pass: v.number() }),
};

/** Reads and checks a journal; null where there is none. A broken one is a data error that names the line. */
export function readTaskJournal(path: string): TaskJournal | null {
  const read = readRegularFile(path, maxJournalBytes);
  if (read.kind === "missing") return null;
  if (read.kind !== "file") {
    throw dataError("TP_JOURNAL", `the journal is not a readable regular file (${read.kind.replace("_", " ")})`, {
      file: path,
      fix: restoreFix,
    });
  }
  if (read.bytes.length === 0) {
    throw dataError("TP_JOURNAL", "the journal is empty; expected at least the event that adopted the task", {
      file: path,
      fix: "put it back as it was, as from git; where there was none, delete the empty file",
    });
  }
  return parseTaskJournal(read.bytes, path);
}

/** Parses bytes as a task's journal; throws a data error that names the line. */
export function parseTaskJournal(bytes: Buffer, path: string): TaskJournal {
  const parsed = parseJournal(bytes);
  if (parsed.kind === "broken")
    throw dataError("TP_JOURNAL_BROKEN", parsed.problem, { file: path, line: parsed.line, fix: restoreFix });
  if (parsed.torn !== null) {
    throw dataError("TP_JOURNAL_TORN", "the last line of the journal is not whole", {
      file: path,
      line: parsed.events.length + 1,
      fix: restoreFix,
    });
  }
  const events = parsed.events.map((event, index) => {
    const schema = Object.hasOwn(eventSchemas, event.type) ? eventSchemas[event.type as TaskEvent["type"]] : undefined;
    const result = schema === undefined ? null : v.safeParse(schema, event);
    if (result === null || !result.success) {
      const issue = result?.issues?.[0];
      const where = issue === undefined ? "" : `: ${v.getDotPath(issue) ?? ""} ${issue.message}`;
      throw dataError(
        "TP_JOURNAL_EVENT",
        `not an event of this version: ${JSON.stringify(event.type).slice(0, 60)}${where}`,
        {
          file: path,
          line: index + 1,
          fix: restoreFix,
        },
      );
    }
    return event as unknown as TaskEvent;
  });
  return { events, head: parsed.head, seq: events.length, bytes, sha256: sha256(bytes) };
}

const restoreFix = "put back the journal as it was, for instance from git; task-phase alone writes it";

import { join } from "node:path";
import { type ReadResult, readRegularFile } from "../store/read-file.ts";
import { dataError, TaskPhaseError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { type BriefRead, readBrief } from "./brief.ts";
import { taskFileLimits } from "./check-text.ts";
import type { PartialContract } from "./contract-schema.ts";
import { type ControlRead, readControl } from "./control.ts";
import { type DecisionsRead, readDecisions } from "./decisions.ts";
import { type EvidenceRead, readEvidence } from "./evidence-file.ts";
import { readState, type StateRead } from "./read-state.ts";
import { readSteps, type StepsRead } from "./steps.ts";

/** A file of a task folder that has a form, and everything that reading it takes. */
interface TaskFile<Value, Missing extends Value | null, Bad extends Refused = Refused> {
  readonly name: string;
  /** More than its reader takes, so that the reader says how large the file is. */
  readonly maxBytes: number;
  /** Throws for nothing that is in the file. `defaults`: those of the configuration, for a contract. */
  readonly read: (bytes: Buffer, file: string, defaults?: PartialContract) => Value | Bad;
  /** What counts if there is no such file; null: a task has it. */
  readonly ifMissing: Missing;
}

/** What a reader says of a file that has not its form. */
interface Refused {
  readonly kind: "unreadable" | "bad";
  /** `config`: it can be read, and is wrong. */
  readonly exit?: "data" | "config";
  readonly findings: readonly Finding[];
}

type Good<Read> = Exclude<Read, { readonly kind: Refused["kind"] }>;

const mebibyte = 1024 * 1024;

/** Every file of a task that is read for values; the other ones are text. */
export const taskFiles = {
  brief: define<Good<BriefRead>, null>({ name: "README.md", maxBytes: mebibyte, read: readBrief, ifMissing: null }),
  state: define<Good<StateRead>, null>({ name: "STATE.md", maxBytes: mebibyte, read: readState, ifMissing: null }),
  steps: define<Good<StepsRead>, Good<StepsRead>>({
    ...{ name: "TASKS.md", maxBytes: 4 * mebibyte, read: readSteps },
    ifMissing: { kind: "steps", items: [], proofs: [] },
  }),
  decisions: define<Good<DecisionsRead>, Good<DecisionsRead>>({
    ...{ name: "DECISIONS.md", maxBytes: 4 * mebibyte, read: readDecisions },
    ifMissing: { kind: "decisions", questions: [] },
  }),
  evidence: define<Good<EvidenceRead>, Good<EvidenceRead>>({
    ...{ name: "EVIDENCE.md", maxBytes: 4 * mebibyte, read: readEvidence },
    ifMissing: { kind: "evidence", parts: {}, agentRows: [], features: [] },
  }),
  // A person's: what has not its form waits for that person, and `readControlFile` says so.
  control: define<Good<ControlRead>, null, Exclude<ControlRead, Good<ControlRead>>>({
    ...{ name: "CONTROL.md", maxBytes: taskFileLimits.maxBytes, read: readControl, ifMissing: null },
  }),
};

function define<Value, Missing extends Value | null, Bad extends Refused = Refused>(
  file: TaskFile<Value, Missing, Bad>,
): TaskFile<Value, Missing, Bad> {
  return file;
}

/** The values of a file of the task folder. Throws a TaskPhaseError if it cannot be read, or has not its form. */
export function readTaskFile<Value>(
  file: TaskFile<Value, Value | null>,
  folder: string,
  defaults?: PartialContract,
): Value {
  const path = join(folder, file.name);
  return parseTaskFile(file, readOptionalFile(path, file.maxBytes), path, defaults);
}

/** Like `readTaskFile`, but returns the value for a missing file if the file cannot be read or is malformed. */
export function readIfGood<Value, Missing extends Value | null>(
  file: TaskFile<Value, Missing>,
  folder: string,
  defaults?: PartialContract,
): Value | Missing {
  const path = join(folder, file.name);
  const found = readRegularFile(path, file.maxBytes);
  const read = found.kind === "file" ? file.read(found.bytes, path, defaults) : file.ifMissing;
  return isRefused(read) ? file.ifMissing : read;
}

/** The values of these bytes; null: there is no such file. Throws as `readTaskFile`, and names `path`. */
export function parseTaskFile<Value>(
  file: TaskFile<Value, Value | null>,
  bytes: Buffer | null,
  path: string,
  defaults?: PartialContract,
): Value {
  const read = bytes === null ? file.ifMissing : file.read(bytes, path, defaults);
  if (read === null) throw unreadableFile(path, { kind: "missing" });
  if (isRefused(read)) throw new TaskPhaseError(read.exit ?? "data", read.findings);
  return read;
}

function isRefused<Value>(read: Value | Refused): read is Refused {
  if (typeof read !== "object" || read === null || !("kind" in read)) return false;
  return read.kind === "unreadable" || read.kind === "bad";
}

/** The bytes of a file of the task folder; null if it is missing. A data error if it is no regular file. */
export function readOptionalFile(path: string, maxBytes = 4 * mebibyte): Buffer | null {
  const read = readRegularFile(path, maxBytes);
  if (read.kind === "missing") return null;
  if (read.kind === "file") return read.bytes;
  throw unreadableFile(path, read);
}

export function unreadableFile(path: string, read: Exclude<ReadResult, { kind: "file" }>): TaskPhaseError {
  const fix = fixes[read.kind] ?? "move it away; git may still have the file that belongs there";
  return dataError("TP_TASK_FILE", `the file ${problemOf(read)}`, { file: path, fix });
}

function problemOf(read: Exclude<ReadResult, { kind: "file" }>): string {
  switch (read.kind) {
    case "missing":
      return "is missing";
    case "link":
      return "is a symbolic link; a task file must be a regular file";
    case "folder":
      return "is a folder; a task file must be a regular file";
    case "special":
      return "is a FIFO, socket or device; a task file must be a regular file";
    case "too_big":
      return `is too large (${read.size} bytes)`;
    case "unreadable":
      return `cannot be read (${read.code})`;
  }
}

const fixes: Partial<Record<ReadResult["kind"], string>> = {
  missing: "restore it, for example from git; task-phase init makes a new one, and the next run puts STATE.md back",
  link: "put the file itself there, not a link to it",
  too_big: "shorten it; long parts belong in files under artifacts/",
  unreadable: "make it readable for this user",
};

import { join, relative } from "node:path";
import { anchorFolder } from "../anchor/anchor.ts";
import type { PassPorts } from "../anchor/ports.ts";
import { emptyJournal, readTaskJournal } from "../anchor/task-journal.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { readHistory } from "../machine/add-event.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { appendDurably } from "../store/append-file.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { TaskContract } from "../task/load-contract.ts";
import { type HeldLocks, lockTask } from "../task/locks.ts";
import type { HeldTask } from "../task/session.ts";

/** A task cannot be worked on: a config error that is written to its log.txt and last_error.txt. */
export class RefusedError extends TaskPhaseError {
  /** For the webhook; null if the contract cannot be read. */
  readonly contract: TaskContract | null;
  readonly at: string;
  /** False if this machine said the same last time: cron calls every few minutes. */
  readonly isNews: boolean;

  constructor(error: TaskPhaseError, contract: TaskContract | null, noted: { at: string; isNews: boolean }) {
    super(error.exitName, error.findings, { cause: error });
    this.contract = contract;
    this.at = noted.at;
    this.isNews = noted.isNews;
  }
}

/**
 * Does the work under the task's lock. A config error on the way is written to log.txt and last_error.txt, once, so
 * that whoever reads the folder from afar sees why nothing continues. `contract` is null while it is not read.
 */
export async function notingRefusal<Value>(
  { place, ports, history }: Pick<HeldTask, "place" | "ports" | "history">,
  contract: TaskContract | null,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw recordRefusal(place, ports, history.lastPass, contract, error);
  }
}

/**
 * Does what comes before the task's lock, and records a config error in the same way. The lock is taken for that alone;
 * if another runner holds it, nothing is written.
 */
export async function notingEarlyRefusal<Value>(place: TaskPlace, ports: PassPorts, work: () => Value): Promise<Value> {
  try {
    return work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw recordEarly(place, ports, error) ?? error;
  }
}

/** A state folder in the wrong place must not be made, and a lock is in it. */
function isRefusal(error: unknown): error is TaskPhaseError {
  if (!(error instanceof TaskPhaseError) || error instanceof RefusedError || error.exitName !== "config") return false;
  return error.findings.every(({ code }) => code !== "TP_STATE_HOME");
}

/** Null if the task cannot be locked, or its journal cannot be read. */
function recordEarly(place: TaskPlace, ports: PassPorts, error: TaskPhaseError): Error | null {
  let locks: HeldLocks | null = null;
  try {
    locks = lockTask(place, ports);
    const lastPass = readHistory((readTaskJournal(place.journal) ?? emptyJournal).events).lastPass;
    return recordRefusal(place, ports, lastPass, null, error);
  } catch (problem) {
    if (problem instanceof TaskPhaseError) return null;
    throw problem;
  } finally {
    locks?.release();
  }
}

function recordRefusal(
  place: TaskPlace,
  ports: Pick<PassPorts, "env" | "home" | "now" | "redactor" | "fence">,
  lastPass: number,
  contract: TaskContract | null,
  error: TaskPhaseError,
): Error {
  const at = ports.now().toISOString();
  const pass = lastPass + 1;
  const said = ports.redactor.redact(
    `refused before pass ${pass}, exit 78\n\nReasons:\n${error.findings.map((finding) => reasonLine(place, finding)).join("")}`,
  );
  if (readSaid(place.lastError) === said) return new RefusedError(error, contract, { at, isNews: false });
  // A working tree that was made for one pass, and is gone again, remembers nothing.
  const remembered = ports.fence === undefined ? null : join(anchorFolder(place.taskDir, ports), "refused.txt");
  const isNews = remembered === null || readSaid(remembered) !== said;
  const codes = error.findings.map(({ code, message }) => `${code} ${oneLine(message)}`).join("; ");
  try {
    putFile(place.lastError, `${at} ${said}`);
    if (remembered !== null) putFile(remembered, `${at} ${said}`);
    appendDurably(place.log, ports.redactor.redact(`${at} refused before pass ${pass}: ${codes.slice(0, 500)}\n`));
  } catch (problem) {
    if (!(problem instanceof TaskPhaseError)) throw problem;
    return new TaskPhaseError(error.exitName, [...error.findings, ...problem.findings.map(asWarning)], {
      cause: error,
    });
  }
  return new RefusedError(error, contract, { at, isNews });
}

/** Behind the time; null: nothing was said there. */
function readSaid(file: string): string | null {
  const read = readRegularFile(file, 1024 * 1024);
  return read.kind === "file" ? read.bytes.toString("utf8").replace(/^\S+ /, "") : null;
}

function reasonLine({ tasksRoot }: TaskPlace, { code, message, file, line, column, fix }: Finding): string {
  const inRoot = file?.startsWith(`${tasksRoot}/`) === true ? relative(tasksRoot, file) : null;
  const where = inRoot === null ? "" : ` ${[inRoot, line, column].filter((part) => part !== null).join(":")}`;
  return `- ${code}${where}: ${oneLine(message)}${fix === null ? "" : `; ${oneLine(fix)}`}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** A failure to record it must not hide why the task was refused. */
function asWarning({ code, message, file, fix }: Finding): Finding {
  return warningFinding(code, message, { file, fix });
}

import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { appendDurably } from "../store/append-file.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { HeldTask } from "../task/session.ts";

/** A task can be read and cannot be worked on: a config error that its log.txt and last_error.txt tell of. */
export class RefusedError extends TaskPhaseError {
  readonly contract: TaskContract;
  readonly at: string;
  /** False if the newest entry of last_error.txt says the same: cron calls every few minutes. */
  readonly isNews: boolean;

  constructor(error: TaskPhaseError, contract: TaskContract, noted: { at: string; isNews: boolean }) {
    super(error.exitName, error.findings, { cause: error });
    this.contract = contract;
    this.at = noted.at;
    this.isNews = noted.isNews;
  }
}

/**
 * Does the work under the task's lock. A config error on the way is written to log.txt and last_error.txt, once, so
 * that whoever reads the folder from afar sees why nothing continues.
 */
export async function notingRefusal<Value>(
  session: HeldTask,
  contract: TaskContract,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName !== "config") throw error;
    throw recordRefusal(session, contract, error);
  }
}

function recordRefusal({ place, ports, history }: HeldTask, contract: TaskContract, error: TaskPhaseError): Error {
  const at = ports.now().toISOString();
  const { redactor } = ports;
  const pass = history.lastPass + 1;
  const said = redactor.redact(
    `refused before pass ${pass}, exit 78\n\nReasons:\n${error.findings.map(reasonLine).join("")}`,
  );
  const read = readRegularFile(place.lastError, 1024 * 1024);
  // Behind the time.
  const before = read.kind === "file" ? read.bytes.toString("utf8").replace(/^\S+ /, "") : null;
  if (before === said) return new RefusedError(error, contract, { at, isNews: false });
  const codes = error.findings.map(({ code, message }) => `${code} ${oneLine(message)}`).join("; ");
  try {
    putFile(place.lastError, `${at} ${said}`);
    appendDurably(place.log, redactor.redact(`${at} refused before pass ${pass}: ${codes.slice(0, 500)}\n`));
  } catch (problem) {
    if (!(problem instanceof TaskPhaseError)) throw problem;
    return new TaskPhaseError(error.exitName, [...error.findings, ...problem.findings.map(asWarning)], {
      cause: error,
    });
  }
  return new RefusedError(error, contract, { at, isNews: true });
}

function reasonLine({ code, message, fix }: Finding): string {
  return `- ${code}: ${oneLine(message)}${fix === null ? "" : `; ${oneLine(fix)}`}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** A failure to record it must not hide why the task was refused. */
function asWarning({ code, message, file, fix }: Finding): Finding {
  return warningFinding(code, message, { file, fix });
}

import { join, relative, resolve } from "node:path";
import { RefusedError } from "../../notify/events/refused-error.ts";
import type { Held } from "../../rules/held.ts";
import { oneLine } from "../../rules/wording.ts";
import { appendDurably } from "../../store/append-file.ts";
import { putFile } from "../../store/put-file.ts";
import { readText } from "../../store/read-file.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import { type HeldLocks, lockTask } from "../../task/locks.ts";
import { anchorFolder, openAnchor, waitsForRecovery } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import type { PassRequest } from "../../task/request.ts";
import { type HeldTask, openHeld, type TaskSession } from "../../task/session.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { asWarning, type Finding } from "../../text/finding.ts";
import { holdBack } from "../verdict/hold-back.ts";

/**
 * Does the work under the task's lock. A config error on the way is written to log.txt and last_error.txt, once, so
 * that a remote reader sees why nothing continues. `contract` is null while it is not read.
 */
export async function notingRefusal<Value>(
  session: HeldTask,
  contract: TaskContract | null,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw recordRefusal(session, contract, error);
  }
}

/**
 * Does what comes before the task's lock, and records a config error in the same way. The lock is taken for that alone;
 * if another runner holds it, nothing is written. Nor is it if a flag of the call is wrong, and the task is not.
 */
export async function notingEarlyRefusal<Value>(
  place: TaskPlace,
  request: Pick<PassRequest, "repo" | "config">,
  ports: PassPorts,
  work: () => Value,
): Promise<Value> {
  try {
    return work();
  } catch (error) {
    if (!isRefusal(error) || isOfFlag(error, request, ports)) throw error;
    throw recordEarly(place, ports, error) ?? error;
  }
}

function isOfFlag(
  { findings }: TaskPhaseError,
  { repo, config }: Pick<PassRequest, "repo" | "config">,
  { cwd }: Pick<PassPorts, "cwd">,
): boolean {
  const named = config === null ? null : resolve(cwd, config);
  return findings.every(({ code, file }) => (code === "TP_REPO" ? repo !== null : file !== null && file === named));
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
    // What a killed run left comes first, and only a run that can read the task recovers it.
    if (waitsForRecovery(place, ports)) return null;
    return recordRefusal(openHeld(place, openAnchor(place, ports), ports), null, error);
  } catch (problem) {
    if (problem instanceof TaskPhaseError) return null;
    throw problem;
  } finally {
    locks?.release();
  }
}

function recordRefusal(session: TaskSession, contract: TaskContract | null, error: TaskPhaseError): Error {
  const { place, ports, history } = session;
  const at = ports.now().toISOString();
  const pass = history.lastPass + 1;
  const said = ports.redactor.redact(
    `refused before pass ${pass}, exit 78\n\nReasons:\n${error.findings.map((finding) => reasonLine(place, finding)).join("")}`,
  );
  try {
    // The clone of a claimed pass is gone after the call, and the branch must not fall behind this machine.
    if (ports.fence === undefined) holdBack(session, refusal(place, error), contract);
    if (readSaid(place.lastError) === said) return new RefusedError(error, contract, { at, isNews: false });
    // A working tree that was made for one pass, and is gone again, remembers nothing.
    const remembered = ports.fence === undefined ? null : join(anchorFolder(place.taskDir, ports), "refused.txt");
    const isNews = remembered === null || readSaid(remembered) !== said;
    const codes = error.findings.map(({ code, message }) => `${code} ${oneLine(message)}`).join("; ");
    putFile(place.lastError, `${at} ${said}`);
    if (remembered !== null) putFile(remembered, `${at} ${said}`);
    appendDurably(place.log, ports.redactor.redact(`${at} refused before pass ${pass}: ${codes.slice(0, 500)}\n`));
    return new RefusedError(error, contract, { at, isNews });
  } catch (problem) {
    if (!(problem instanceof TaskPhaseError)) throw problem;
    // A failure to record it must not hide why the task was refused.
    return new TaskPhaseError(error.exitName, [...error.findings, ...problem.findings.map(asWarning)], {
      cause: error,
    });
  }
}

/** In the words of the first finding: another machine has other folders above the tasks root. */
function refusal({ tasksRoot }: TaskPlace, { findings, message: all }: TaskPhaseError): Held {
  const [first] = findings;
  const plain = (text: string) => oneLine(text).replaceAll(`${tasksRoot}/`, "");
  const brief = plain(first?.message ?? all);
  const why =
    first === undefined ? brief : `${brief} (${first.code})${first.fix === null ? "" : `; ${plain(first.fix)}`}`;
  return { standing: "refused", brief, why };
}

/** Behind the time; null: nothing was said there. */
function readSaid(file: string): string | null {
  return readText(file, 1024 * 1024)?.replace(/^\S+ /, "") ?? null;
}

function reasonLine({ tasksRoot }: TaskPlace, { code, message, file, line, column, fix }: Finding): string {
  const inRoot = file?.startsWith(`${tasksRoot}/`) === true ? relative(tasksRoot, file) : null;
  const where = inRoot === null ? "" : ` ${[inRoot, line, column].filter((part) => part !== null).join(":")}`;
  return `- ${code}${where}: ${oneLine(message)}${fix === null ? "" : `; ${oneLine(fix)}`}\n`;
}

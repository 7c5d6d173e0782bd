import { addUsage, noUsage, type Usage } from "../../rules/budgets.ts";
import { claimMarginMs } from "../../rules/claim.ts";
import { dayOf, elapsedOf, noTaskUsage, readUsage, type TaskUsage } from "../../rules/usage.ts";
import { createStatCache } from "../../store/cache-file.ts";
import { errorCode, passMachineFault, renderError } from "../../store/error-code.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { listOtherTasks } from "../../task/guarded-paths.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { maxJournalBytes, parseTaskJournal, type TaskJournal } from "../../task/records/task-journal.ts";
import { placeOf, type TaskPlace } from "../../task/records/task-place.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";

interface SeenTask {
  readonly usage: TaskUsage;
  readonly findings: readonly Finding[];
}

// With hundreds of tasks each pass would parse hundreds of journals again.
const tasksSeen = createStatCache<SeenTask>();

/**
 * What one run and the UTC day of `now` have used over all tasks of the root. The task at hand is taken from its
 * journal as this process holds it. Another task never fails this one: of a journal that cannot be read whole, the part
 * that can be read counts, with a warning; a last line that is just being written is left out.
 */
export function readRootUsage(
  place: TaskPlace,
  own: Pick<TaskJournal, "events">,
  run: string | null,
  { now: at, otherUsage }: Pick<PassPorts, "now" | "otherUsage">,
) {
  const now = at();
  const others =
    otherUsage?.().map((usage) => ({ usage, findings: [] })) ??
    listOtherTasks(place).map((folder) => seeTask(placeOf(folder).journal));
  const mine = readUsage(own.events);
  // Its own claim is for the calls that are judged now, or was lost.
  const held = mine.underWay?.isClaim === true ? { ...mine, underWay: null } : mine;
  const tasks = [held, ...others.map((other) => other.usage)];
  const day = dayOf(now.toISOString());
  const ofDay = ({ days }: TaskUsage) => days.get(day);
  const ofRun = ({ runs }: TaskUsage) => (run === null ? undefined : runs.get(run));
  return {
    day: sum(tasks, ofDay, now, () => true),
    /** Nothing if the pass belongs to no run. */
    run: sum(tasks, ofRun, now, (other) => run !== null && other === run),
    /** Tasks that count for less than they used, since their journal cannot be read whole. */
    findings: others.flatMap((other) => other.findings),
  };
}

function sum(
  tasks: readonly TaskUsage[],
  recorded: (task: TaskUsage) => Usage | undefined,
  now: Date,
  counts: (run: string | null) => boolean,
): Usage {
  return tasks.reduce((total, task) => {
    const { underWay } = task;
    const open = underWay !== null && counts(underWay.run) ? expectOf(underWay, now) : noUsage;
    return addUsage(addUsage(total, recorded(task) ?? noUsage), open);
  }, noUsage);
}

/**
 * Another runner's pass counts before it ends, else each of many would take the whole rest of a budget for its own. A claim
 * counts as long as it protects the pass: its runner may be gone.
 */
function expectOf(
  { at, isClaim, passes, timeoutMs, estimateUsd, tokens }: NonNullable<TaskUsage["underWay"]>,
  now: Date,
): Usage {
  const isHeld = now.getTime() < Date.parse(at) + (timeoutMs ?? 0) + claimMarginMs;
  if (isClaim && !isHeld) return noUsage;
  return { passes, moneyUsd: estimateUsd ?? 0, tokens, timeMs: elapsedOf(at, now, timeoutMs) };
}

/** What a task has used, by its journal. */
export function seeTask(journal: string): SeenTask {
  try {
    return tasksSeen(journal, () => readTask(journal));
  } catch (error) {
    passMachineFault(error);
    if (errorCode(error) === "UNKNOWN") throw error;
    // As if another user's folder cannot be looked into.
    return leftOut(journal, renderError(error));
  }
}

function readTask(journal: string): SeenTask {
  const read = readRegularFile(journal, maxJournalBytes);
  if (read.kind === "missing") return { usage: noTaskUsage, findings: [] };
  if (read.kind !== "file") return leftOut(journal, read.kind.replace("_", " "));
  return readWhole(read.bytes.subarray(0, read.bytes.lastIndexOf(newline) + 1), journal);
}

const newline = 0x0a;

function readWhole(bytes: Buffer, journal: string): SeenTask {
  try {
    return { usage: readUsage(parseTaskJournal(bytes, journal).events), findings: [] };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const [problem] = error.findings;
    const lines = (problem?.line ?? 1) - 1;
    const { usage } = readWhole(bytes.subarray(0, endOfLine(bytes, lines)), journal);
    const message = `what this task has used is counted only up to line ${lines} of its journal: ${problem?.message ?? error.message}`;
    return { usage, findings: [warningFinding("TP_USAGE", message, { file: journal, fix: problem?.fix ?? null })] };
  }
}

/** Where the line of this number ends, its newline included; 0 for line 0. */
function endOfLine(bytes: Buffer, line: number): number {
  let end = 0;
  for (let count = 0; count < line; count += 1) end = bytes.indexOf(newline, end) + 1;
  return end;
}

function leftOut(journal: string, why: string): SeenTask {
  const message = `what this task has used cannot be counted: its journal cannot be read (${why})`;
  const fix = "give this user read permission on the task folder, or move it out of the tasks root";
  return { usage: noTaskUsage, findings: [warningFinding("TP_USAGE", message, { file: journal, fix })] };
}

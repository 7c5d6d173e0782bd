import type { OpenCommand } from "../../documents/control.ts";
import { isWorkingPhase, type Phase } from "../../rules/phases.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { accept, hold, type Stop, stop, type TaskSession } from "../../task/session.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { markOpen, pausedBy, placeOfCommand, readControlFile } from "./control-file.ts";
import { isRetryDue, obeyRetry, type TaskAtPrep } from "./reopen.ts";
import { resumeCommand } from "./resume-command.ts";
import { dumpStatus } from "./status-dump.ts";

export interface Obeyed extends TaskAtPrep {
  readonly kind: "obeyed";
}

/**
 * Obeys CONTROL.md before a pass: nothing runs, so SKIP has nothing to skip. PAUSE and RETRY are about the next pass
 * and wait if the phase has none; RETRY can bring a stopped task there. A dry run obeys and marks nothing. Each command
 * is carried out first and ticked then: whoever is killed in between does it once more, which comes to the same. Throws
 * TP_DISK if it cannot be marked, since it would be obeyed again and again.
 */
export function obeyAtPrep(session: TaskSession, contract: TaskContract, found: TaskAtPrep): Stop | Obeyed {
  const read = readControlFile(session.place);
  if (read === null) return { kind: "obeyed", ...found };
  if (read.kind === "unreadable") {
    session.findings.push(...read.findings);
    return stopUnreadable(session.place, read.findings, found.document.view.phase);
  }
  session.findings.push(...read.findings);
  const asked = (command: OpenCommand["command"]) => read.open.some((item) => item.command === command);
  if (asked("STATUS")) session.write((anchor) => dumpStatus(session, anchor, contract, null));
  const retries = asked("RETRY") && isRetryDue(session, found);
  const after = retries ? obeyRetry(session, contract, found) : found;
  const { phase } = after.document.view;
  if (asked("RETRY") && !retries) session.write(() => markRetries(session.place, inVain(session, after)));
  const isDue = { PAUSE: isWorkingPhase(phase), RETRY: retries, ABORT: true, SKIP: true, STATUS: true };
  const due = read.open.filter(({ command }) => isDue[command]);
  for (const item of due) if (item.command !== "RETRY" && !item.seen) journal(session, item, atPrep(item));
  session.write(() => markDue(session, due, { RETRY: waiting(after), SKIP: nothingToSkip }));
  const [abort, pause] = (["ABORT", "PAUSE"] as const).map((word) => due.find(({ command }) => command === word));
  if (abort !== undefined) {
    const why = `aborted by a person: ${placeOfCommand(abort)}`;
    return { ...hold("paused", "runnable", why, phase), aborted: true };
  }
  if (pause !== undefined) {
    const brief = pausedBy(pause);
    return hold("paused", "paused", `paused by a person: ${brief}`, phase, brief);
  }
  return { kind: "obeyed", ...after };
}

/** Why RETRY changes nothing here: the open box would be obeyed at some later time. */
function inVain({ history }: TaskSession, { document, questions }: TaskAtPrep): string {
  if (document.view.phase === "done") return "nothing to retry: the task is done";
  return `nothing to retry${waiting({ questions }, ": ") || ` in ${history.phase ?? "intake"}`}`;
}

/** What a RETRY leaves as it is; empty without an open question. */
function waiting({ questions }: Pick<TaskAtPrep, "questions">, before = ""): string {
  const open = questions.filter((question) => question.open).map(({ id }) => id);
  return open.length === 0 ? "" : `${before}${open.join(", ")} ${open.length === 1 ? "waits" : "wait"} for an answer`;
}

function markRetries(place: TaskPlace, note: string): void {
  markOpen(place, ({ command }) => (command === "RETRY" ? { tick: true, note } : null));
}

export function refuseCancelled({ history, place, ports }: TaskSession, phase: Phase): Stop | null {
  if (history.cancelled === null || phase === "done") return null;
  const resume = resumeCommand(place, isWorkingPhase(phase) ? phase : "PHASE", ports.fence?.checkout ?? null);
  const why = `a person cancelled the task at ${history.cancelled}; write RETRY in CONTROL.md to continue, or: ${resume}`;
  return stop("paused", why, phase);
}

/**
 * Ticks each RETRY that was written while a pass was running, unobeyed: an agent could have written it, to clear the
 * count of its own failures, and it cannot be told from a person.
 */
export function refuseRetries(place: TaskPlace, pass: number): Finding[] {
  const lines: number[] = [];
  markOpen(place, (item) => {
    if (item.command !== "RETRY") return null;
    lines.push(item.line);
    return { tick: true, note: `refused: written during pass ${pass}` };
  });
  const message = `RETRY was written during pass ${pass}, when the pass itself could have written it`;
  const fix = "write it again while no pass is running";
  return [...new Set(lines)].map((line) =>
    warningFinding("TP_CONTROL_RETRY", message, { file: place.control, line, fix }),
  );
}

/** How an item is marked once it was obeyed. */
export function doneNote(item: OpenCommand, at: Date, detail = ""): { tick: boolean; note: string } | null {
  const time = at.toISOString();
  if (item.command === "PAUSE") return item.seen ? null : { tick: false, note: `seen ${time}` };
  return { tick: true, note: `done ${time}${detail === "" ? "" : `, ${detail}`}` };
}

export const nothingToSkip = "nothing to skip";

export function journal(session: TaskSession, { command, line }: OpenCommand, detail: string): void {
  const at = session.ports.now().toISOString();
  const event = { type: "controlled", at, command, detail: `CONTROL.md line ${line}: ${detail}` } as const;
  accept(session, { event, state: null });
}

function stopUnreadable(place: TaskPlace, findings: readonly Finding[], phase: Phase): Stop {
  const what = findings[0]?.message ?? "it is not text";
  // The unreadable text may be an ABORT, so it counts as PAUSE.
  const why = `CONTROL.md cannot be read and may contain a command: ${what}`;
  return stop("paused", `paused, since ${why}. Correct, move or remove ${place.control}`, phase);
}

function atPrep({ command }: OpenCommand): string {
  const details: Readonly<Record<OpenCommand["command"], string>> = {
    PAUSE: "no pass starts until it is ticked or removed",
    ABORT: "no pass was running; this call ends",
    SKIP: nothingToSkip,
    STATUS: "written to artifacts/status.md",
    RETRY: "",
  };
  return details[command];
}

function markDue(
  { place, ports, findings }: TaskSession,
  due: readonly OpenCommand[],
  details: Partial<Record<OpenCommand["command"], string>>,
): void {
  const commands = new Set(due.map(({ command }) => command));
  const at = ports.now();
  const marked = markOpen(place, (item) =>
    commands.has(item.command) ? doneNote(item, at, details[item.command]) : null,
  );
  if (!marked) findings.push(changesAgain(place));
}

export function changesAgain(place: TaskPlace): Finding {
  return warningFinding("TP_CONTROL_BUSY", "CONTROL.md changed at every attempt to mark it; its commands stay open", {
    file: place.control,
    fix: "tick the obeyed commands by hand",
  });
}

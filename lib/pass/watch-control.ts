import type { OpenCommand } from "../documents/control.ts";
import { machineFault } from "../store/error-code.ts";
import { watchFile } from "../store/watch-file.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { StageTrace } from "../task/records/ports.ts";
import type { HeldTask } from "../task/session.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { markOpen, readControlFile } from "./people/control-file.ts";
import { changesAgain, doneNote, journal, nothingToSkip, refuseRetries } from "./people/obey-control.ts";
import { dumpStatus } from "./people/status-dump.ts";
import { checkpointTask, type PassUnderWay, writeCheckpoint } from "./verdict/checkpoint-file.ts";

/** How often checkpoint.json is written while a pass runs. */
export const checkpointMs = 120_000;

/** Watches CONTROL.md, and keeps checkpoint.json fresh, from the end of PREP to the verdict. */
export interface ControlWatch {
  /** The task with a signal that the caller's signal, ABORT and SKIP abort. */
  readonly session: HeldTask;
  /** From here to `modelEnded` a SKIP can end the model. */
  modelBegins(trace: StageTrace): void;
  modelEnded(): void;
  /** The last look, before the verdict. Throws what went wrong meanwhile and was not a fault of a disk or a file. */
  finish(): void;
  /** Ends the watch without a look. */
  stop(): void;
  /** Notes in the journal what was obeyed; after the verdict, since a journal that grows during a pass is tampering. */
  journalObeyed(): void;
  /** A person's ABORT was seen, whether or not it came in time to end anything. */
  aborted(): boolean;
}

/** Calls `act` every so many milliseconds until the function that it returns is called. */
export type Every = (ms: number, act: () => void) => () => void;

const everyMs: Every = (ms, act) => {
  const timer = setInterval(act, ms);
  return () => clearInterval(timer);
};

export interface WatchedPass {
  readonly pass: number;
  readonly model: string | null;
  readonly timeoutMs: number;
}

interface Watching {
  readonly session: HeldTask;
  readonly contract: TaskContract;
  readonly watched: WatchedPass;
  readonly startedAt: Date;
  readonly controller: AbortController;
  readonly obeyed: { readonly item: OpenCommand; readonly detail: string }[];
  reviewing: readonly string[];
  trace: StageTrace | null;
  modelWorks: boolean;
  sawAbort: boolean;
  failure: unknown;
}

export function watchControl(
  given: HeldTask,
  contract: TaskContract,
  watched: WatchedPass,
  every: Every = everyMs,
): ControlWatch {
  const outside = given.ports.signal;
  const controller = new AbortController();
  const forward = (): void => controller.abort(outside.reason);
  if (outside.aborted) forward();
  else outside.addEventListener("abort", forward);
  const reviewing = (roles: readonly string[]): void => {
    watching.reviewing = roles;
    write();
  };
  const session: HeldTask = { ...given, ports: { ...given.ports, signal: controller.signal, reviewing } };
  const watching: Watching = {
    ...{ session, contract, watched, startedAt: session.ports.now(), controller, obeyed: [] },
    ...{ reviewing: [], trace: null, modelWorks: false, sawAbort: false, failure: null },
  };
  const write = () =>
    attempt(watching, "artifacts/checkpoint.json could not be written", () =>
      writeCheckpoint(session, checkpointTask(contract), underWay(watching)),
    );
  const look = () => checkControl(watching);
  const ends = [
    every(contract.config.control.pollMs, () => {
      look();
      checkBranch(watching).catch((error: unknown) => {
        watching.failure ??= error;
      });
    }),
    every(checkpointMs, write),
    () => outside.removeEventListener("abort", forward),
    watchFile(session.place.control, look),
  ];
  const stop = (): void => {
    for (const one of ends.splice(0)) one();
  };
  return {
    session,
    stop,
    modelBegins(trace) {
      watching.trace = trace;
      watching.modelWorks = true;
      look();
    },
    modelEnded() {
      watching.modelWorks = false;
      look();
    },
    finish() {
      look();
      stop();
      if (watching.failure !== null) throw watching.failure;
    },
    journalObeyed() {
      for (const { item, detail } of watching.obeyed.splice(0)) journal(session, item, detail);
    },
    aborted: () => watching.sawAbort,
  };
}

function underWay({ session, watched, startedAt, reviewing, trace }: Watching): PassUnderWay {
  return { ...watched, phase: session.history.phase ?? "intake", startedAt, reviewing, stages: trace?.list() ?? [] };
}

function report({ session: { findings } }: Watching, finding: Finding): void {
  if (!findings.some((known) => known.code === finding.code && known.message === finding.message))
    findings.push(finding);
}

/** If the disk refuses a cache or a mark, that is a warning. Anything else is a defect, thrown at the end. */
function attempt(watching: Watching, what: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const known = error instanceof TaskPhaseError ? error : machineFault(error);
    if (known !== null) report(watching, warningFinding("TP_CONTROL", `${what}: ${known.message}`));
    else watching.failure ??= error;
  }
}

function checkControl(watching: Watching): void {
  const { session, watched, obeyed } = watching;
  const { place, ports } = session;
  attempt(watching, "CONTROL.md could not be marked", () => {
    const read = readControlFile(place);
    if (read === null) return;
    for (const finding of read.findings) report(watching, { ...finding, severity: "warning" });
    if (read.kind === "unreadable" || read.open.length === 0) return;
    const said = new Map<OpenCommand["command"], string>();
    for (const item of read.open) {
      const detail = obey(watching, item);
      if (detail === null) continue;
      obeyed.push({ item, detail });
      said.set(item.command, detail);
    }
    for (const finding of refuseRetries(place, watched.pass)) report(watching, finding);
    const now = ports.now();
    const marked = markOpen(place, (item) => {
      const detail = said.get(item.command);
      if (detail === undefined) return null;
      return doneNote(item, now, item.command === "SKIP" && detail === nothingToSkip ? detail : "");
    });
    if (!marked) report(watching, changesAgain(place));
  });
}

/** Carries it out, and gives the result in words; null: it stays as it is. */
function obey(watching: Watching, item: OpenCommand): string | null {
  const { session, contract, watched, controller } = watching;
  switch (item.command) {
    case "ABORT":
      watching.sawAbort = true;
      end(watching, item, "ABORT");
      return `pass ${watched.pass} is stopped, and no other pass follows`;
    case "SKIP":
      if (!watching.modelWorks || session.history.phase !== "repair" || controller.signal.aborted) return nothingToSkip;
      end(watching, item, "SKIP");
      return `the repair attempt of pass ${watched.pass} is abandoned`;
    case "STATUS":
      attempt(watching, "artifacts/status.md could not be written", () =>
        dumpStatus(session, session.anchor, contract, underWay(watching)),
      );
      return "written to artifacts/status.md";
    case "PAUSE":
      return item.seen ? null : `no pass starts after pass ${watched.pass}`;
    case "RETRY":
      return null;
  }
}

function end({ controller, session: { ports } }: Watching, item: OpenCommand, reason: "ABORT" | "SKIP"): void {
  if (controller.signal.aborted) return;
  ports.tell("EXEC", `line ${item.line} of CONTROL.md says ${reason}: stopping what runs`);
  controller.abort(reason);
}

async function checkBranch({ controller, session: { ports } }: Watching): Promise<void> {
  if (controller.signal.aborted || (await ports.fence?.hasMoved()) !== true || controller.signal.aborted) return;
  ports.tell("EXEC", "somebody else moved the task's branch: stopping what runs");
  controller.abort("MOVED");
}

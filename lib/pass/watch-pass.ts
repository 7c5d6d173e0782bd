import type { StageTrace } from "../anchor/ports.ts";
import { changesAgain, doneNote, journal, nothingToSkip, refuseRetries } from "../people/control.ts";
import { markOpen, readControlFile } from "../people/control-file.ts";
import { dumpStatus } from "../people/status-dump.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { machineFault } from "../store/error-code.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { HeldTask } from "../task/session.ts";
import type { OpenCommand } from "../task-folder/control.ts";
import { checkpointTask, type PassUnderWay, writeCheckpoint } from "../verdict/checkpoint-file.ts";

/** How often checkpoint.json is written while a pass runs. */
export const checkpointMs = 120_000;

/** Watches CONTROL.md, and keeps checkpoint.json fresh, from the end of PREP to the verdict. */
export interface PassWatch {
  /** The same task; its signal is aborted by what the caller's is aborted by, and by ABORT and SKIP. */
  readonly session: HeldTask;
  /** From here to `modelEnded` a SKIP can end the model. */
  modelBegins(trace: StageTrace): void;
  modelEnded(): void;
  /** Reads CONTROL.md now, as between two stages. */
  look(): void;
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
  readonly model: string;
  readonly timeoutMs: number;
}

/** Begins to watch. */
export function watchPass(
  given: HeldTask,
  contract: TaskContract,
  watched: WatchedPass,
  every: Every = everyMs,
): PassWatch {
  const { place } = given;
  const outside = given.ports.signal;
  const controller = new AbortController();
  const forward = (): void => controller.abort(outside.reason);
  if (outside.aborted) forward();
  else outside.addEventListener("abort", forward);
  const session: HeldTask = { ...given, ports: { ...given.ports, signal: controller.signal } };
  const { ports, findings } = session;
  const startedAt = ports.now();
  const obeyed: { readonly item: OpenCommand; readonly detail: string }[] = [];
  let trace: StageTrace | null = null;
  let modelWorks = false;
  let sawAbort = false;
  let failure: unknown = null;

  const underWay = (): PassUnderWay => ({
    ...watched,
    phase: session.history.phase ?? "intake",
    startedAt,
    stages: trace?.list() ?? [],
  });
  const tell = (finding: Finding): void => {
    if (!findings.some((known) => known.code === finding.code && known.message === finding.message))
      findings.push(finding);
  };
  /** The disk refuses a cache or a mark: told, and the pass continues. Anything else is a defect, thrown at the end. */
  const attempt = (what: string, act: () => void): void => {
    try {
      act();
    } catch (error) {
      const known = error instanceof TaskPhaseError ? error : machineFault(error);
      if (known !== null) tell(warningFinding("TP_CONTROL", `${what}: ${known.message}`));
      else failure ??= error;
    }
  };
  const end = (item: OpenCommand, reason: "ABORT" | "SKIP"): void => {
    if (controller.signal.aborted) return;
    ports.tell("EXEC", `line ${item.line} of CONTROL.md says ${reason}: stopping what runs`);
    controller.abort(reason);
  };
  /** Carries it out, and says what came of it; null: it stays as it is. */
  const obey = (item: OpenCommand): string | null => {
    switch (item.command) {
      case "ABORT":
        sawAbort = true;
        end(item, "ABORT");
        return `pass ${watched.pass} is stopped, and no other pass follows`;
      case "SKIP": {
        if (!modelWorks || session.history.phase !== "repair" || controller.signal.aborted) return nothingToSkip;
        end(item, "SKIP");
        return `the repair attempt of pass ${watched.pass} is abandoned`;
      }
      case "STATUS":
        attempt("artifacts/status.md could not be written", () =>
          dumpStatus(session, session.anchor, contract, underWay()),
        );
        return "written to artifacts/status.md";
      case "PAUSE":
        return item.seen ? null : `no pass starts after pass ${watched.pass}`;
      case "RETRY":
        return null;
    }
  };

  const look = (): void =>
    attempt("CONTROL.md could not be marked", () => {
      const read = readControlFile(place);
      if (read === null) return;
      for (const finding of read.findings) tell({ ...finding, severity: "warning" });
      if (read.kind === "unreadable" || read.open.length === 0) return;
      const said = new Map<OpenCommand["command"], string>();
      for (const item of read.open) {
        const detail = obey(item);
        if (detail === null) continue;
        obeyed.push({ item, detail });
        said.set(item.command, detail);
      }
      for (const finding of refuseRetries(place, watched.pass)) tell(finding);
      const now = ports.now();
      const marked = markOpen(place, (item) => {
        const detail = said.get(item.command);
        if (detail === undefined) return null;
        return doneNote(item, now, item.command === "SKIP" && detail === nothingToSkip ? detail : "");
      });
      if (!marked) tell(changesAgain(place));
    });

  const lookAtBranch = async (): Promise<void> => {
    if (controller.signal.aborted || (await ports.fence?.hasMoved()) !== true || controller.signal.aborted) return;
    ports.tell("EXEC", "somebody else moved the task's branch: stopping what runs");
    controller.abort("MOVED");
  };

  const { pollMs } = contract.config.control;
  const ends = [
    every(pollMs, () => {
      look();
      lookAtBranch().catch((error: unknown) => {
        failure ??= error;
      });
    }),
    every(checkpointMs, () =>
      attempt("artifacts/checkpoint.json could not be written", () =>
        writeCheckpoint(session, checkpointTask(contract), underWay()),
      ),
    ),
    () => outside.removeEventListener("abort", forward),
  ];
  const stop = (): void => {
    for (const one of ends.splice(0)) one();
  };

  return {
    session,
    look,
    stop,
    modelBegins(pass) {
      trace = pass;
      modelWorks = true;
      look();
    },
    modelEnded() {
      modelWorks = false;
      look();
    },
    finish() {
      look();
      stop();
      if (failure !== null) throw failure;
    },
    journalObeyed() {
      for (const { item, detail } of obeyed.splice(0)) journal(session, item, detail);
    },
    aborted: () => sawAbort,
  };
}

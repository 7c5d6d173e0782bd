import { dirname, join } from "node:path";
import { readBoardMark } from "../board/mark.ts";
import { putRunReport } from "../models/select/run-files.ts";
import { runtimeFilesOf } from "../models/select/runtime-files.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { readRegularFile } from "../store/read-file.ts";
import { boardNames } from "../task/board-files.ts";
import type { Ending, LoopState } from "./loop-state.ts";
import { digestRun, type RunDigest, renderRunReport } from "./run-report.ts";
import { writeBoard } from "./write-board.ts";

/**
 * Writes the report of this call and brings a board that is there up to date: after each pass, and at the end with
 * `ending`. Nothing is written as long as nothing happened. What goes wrong is a warning: no verdict depends on it.
 */
export async function keepNotes(state: LoopState, ending: Ending | null): Promise<RunDigest | null> {
  if (!state.happened) return null;
  const { ports, request, findings } = state;
  const { target } = request;
  const tasksRoot = target.kind === "root" ? target.tasksRoot : dirname(target.taskDir);
  const facts = { id: state.run, began: state.began, now: ports.now(), ending, worked: [...state.worked.values()] };
  const files = runtimeFilesOf(tasksRoot, ports.env, ports.home);
  let report: string | null = null;
  await attempt("the report of this run could not be written", findings, () => {
    report = putRunReport(files, state.run, renderRunReport(facts, ports));
  });
  if (hasBoard(tasksRoot))
    await attempt("the board could not be brought up to date", findings, () =>
      writeBoard(tasksRoot, request.config, ports),
    );
  return { ...digestRun(facts), report };
}

/** A board that nobody made is not begun, and a file that is not ours is left alone. */
function hasBoard(tasksRoot: string): boolean {
  return Object.values(boardNames).some((name) => {
    const read = readRegularFile(join(tasksRoot, name), 16 * 1024 * 1024);
    return read.kind === "file" && readBoardMark(read.bytes.toString("utf8")) !== null;
  });
}

async function attempt(what: string, findings: Finding[], act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const [first] = error.findings;
    const finding = warningFinding("TP_RUN_NOTES", `${what}: ${error.message}`, {
      file: first?.file ?? null,
      fix: first?.fix ?? null,
    });
    if (!findings.some(({ message }) => message === finding.message)) findings.push(finding);
  }
}

import { runPass } from "../pass/run-pass.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { PassReport } from "../task/request.ts";
import { showPassBegan } from "./keep-notes.ts";
import type { LoopState } from "./loop-state.ts";

/** Null if the task was left aside because it cannot be worked on at all. */
export async function onePass(state: LoopState, taskDir: string): Promise<PassReport | null> {
  const { request, ports, run, asideModels } = state;
  const { repo, model, models, timeoutMs, config } = request;
  try {
    const report = await runPass(
      {
        taskDir,
        repo,
        model,
        models,
        timeoutMs,
        config,
        dryRun: false,
        run: { id: run, asideModels: [...asideModels] },
      },
      {
        ...ports,
        began: () => showPassBegan(state),
      },
    );
    if (report.verdict !== null || report.details.noted > 0) state.happened = true;
    if (report.verdict !== null) state.passes.push(report);
    else state.findings.push(...report.findings);
    ports.watch.ended(report);
    return report;
  } catch (error) {
    if (request.target.kind === "task" || !isOfTask(error)) throw error;
    // Another running runner is not an error.
    const held = error.exitName === "locked";
    state.findings.push(
      ...error.findings.map((finding) => (held ? { ...finding, severity: "info" as const } : finding)),
    );
    state.left.set(taskDir, {
      exitName: error.exitName,
      reason: error.findings[0]?.message ?? error.message,
      mark: null,
    });
    return null;
  }
}

/**
 * Another runner, or what is wrong with that task's files or the runner's record of it, says nothing about the next.
 */
function isOfTask(error: unknown): error is TaskPhaseError {
  if (!(error instanceof TaskPhaseError)) return false;
  return ["locked", "data", "config"].includes(error.exitName) || error.findings[0]?.code === "TP_ANCHOR";
}

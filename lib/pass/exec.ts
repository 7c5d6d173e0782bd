import { join } from "node:path";
import { type ModelOutcome, runModel } from "../agents/run/run-model.ts";
import { putFile } from "../store/put-file.ts";
import { endingOrphans } from "../task/guard/end-orphans.ts";
import { interruptedBy } from "../task/records/ports.ts";
import { recordProcess } from "../task/records/records.ts";
import { beginOf, callsModel, type ModelPlan, type PassCall, type PreparedPass, tierOf } from "./prepared-pass.ts";
import { renderTooMany, rulesOfPass } from "./require-sandbox.ts";

/** EXEC: runs the model once, within its timeout. Nothing of its process tree is alive when this returns. */
export async function execute(prepared: PreparedPass, { trace, ports }: PassCall): Promise<ModelOutcome> {
  if (!callsModel(prepared)) return noRun({ kind: "no_model" });
  trace.enter("EXEC");
  const { session, watch, pass, model, document } = prepared;
  if (!session.ports.signal.aborted) ports.tell("EXEC", `pass ${pass}: ${model.name} works in ${document.view.phase}`);
  ports.began?.(beginOf(session, prepared));
  watch.modelBegins(trace);
  const outcome = await callModel(prepared);
  watch.modelEnded();
  return outcome;
}

async function callModel(prepared: PreparedPass & Pick<ModelPlan, "model">): Promise<ModelOutcome> {
  const { session, model, pass, repo, guard, ahead } = prepared;
  const { place, ports, history } = session;
  if (ahead.tampering.length > 0) {
    const who = ahead.tampering.some(({ by }) => by === "reviewers") ? "a reviewer" : "a check before the work";
    return noRun({ kind: "withheld", reason: `${who} changed something protected, so the model was not called` });
  }
  if (ahead.end !== null) return noRun(ahead.end);
  // A replayed pass is not a process.
  const sandbox = model.adapter === "replay" ? null : rulesOfPass(place, prepared.contract, repo, ports);
  const tooMany = sandbox === null ? null : renderTooMany(sandbox);
  if (tooMany !== null) return noRun({ kind: "not_started", reason: `the sandbox cannot be made: ${tooMany}` });
  const { anchor, current } = guard;
  const { live } = ports;
  live?.running([model.name]);
  // A sandbox ends with its runner by itself, and a replayed pass starts nothing.
  const isGuarded = sandbox === null && model.adapter !== "replay";
  const promptFile = join(current.work_folder, "prompt.md");
  putFile(promptFile, prepared.prompt, { durable: false });
  const work = () =>
    runModel({
      model,
      prompt: prepared.prompt,
      promptFile,
      repo,
      taskDir: place.taskDir,
      phase: prepared.document.view.phase,
      pass,
      workFolder: current.work_folder,
      stdoutPath: join(anchor.staging, "stdout.log"),
      stderrPath: join(anchor.staging, "stderr.log"),
      timeoutMs: prepared.timeoutMs,
      env: ports.env,
      now: ports.now,
      redactor: ports.redactor,
      mark: current.mark,
      abort: ports.signal,
      onStart: (head) => recordProcess(anchor, head),
      ...(live === undefined ? {} : { onSaid: live.heard }),
      tier: tierOf(prepared),
      sandbox,
      playedRecordings: (history.started[model.name] ?? 1) - 1,
    });
  const outcome = await (isGuarded ? endingOrphans(guard.anchor.folder, guard.current.mark, ports.env, work) : work());
  live?.running([]);
  return outcome.end.kind === "interrupted"
    ? { ...outcome, end: interruptedBy(ports.signal, outcome.end.reason) }
    : outcome;
}

function noRun(end: ModelOutcome["end"]): ModelOutcome {
  const silent = { bytes: 0, keptBytes: 0, cut: false };
  return {
    end,
    finalText: "",
    costUsd: null,
    costSource: null,
    tokens: { input: null, output: null },
    turns: null,
    sessionId: null,
    error: null,
    durationMs: 0,
    ended: [],
    stdout: silent,
    stderr: silent,
    note: null,
  };
}

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type ModelOutcome, runModel } from "../../agents/run/run-model.ts";
import { listKeyFiles } from "../../documents/config/find-config.ts";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { mostFindings, readReport } from "../../documents/review-report.ts";
import { renderReviewPrompt } from "../../documents/templates/review-prompt.ts";
import { childMark } from "../../process/mark.ts";
import type { ReviewFinding } from "../../rules/facts.ts";
import { type ModelEnd, renderTrouble } from "../../rules/model-end.ts";
import { makeFolder } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { stateHome } from "../../store/state-home.ts";
import type { SandboxRules } from "../../task/guard/sandbox-rules.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { CurrentPass } from "../../task/records/anchor-shapes.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { type CopyPlan, copyRepo, copyTask } from "./review-copy.ts";

export interface ReviewRound {
  readonly place: TaskPlace;
  readonly contract: TaskContract;
  readonly model: ModelConfig;
  readonly timeoutMs: number;
  readonly phase: "shape" | "review";
  readonly pass: number;
  readonly stateText: string;
  readonly plan: CopyPlan;
  readonly diff: { readonly bytes: Buffer | null; readonly note: string };
  /** Private; each role has a folder of its own in it. */
  readonly folder: string;
  /** For what each reviewer prints. */
  readonly logs: string;
  readonly current: CurrentPass;
  readonly playedRecordings: number;
  readonly ports: PassPorts;
}

export interface RoleOutcome {
  readonly role: string;
  readonly outcome: ModelOutcome;
  /** False if no process was started, as after a signal. */
  readonly started: boolean;
  readonly problem: string | null;
  readonly findings: readonly ReviewFinding[];
}

/** 2 MiB of each output are kept: what counts is the report, and that is read from memory. */
const capBytes = 2 * 1024 * 1024;

/** Gives a role its scratch copy. Nothing of a round runs yet, so no copy can see another one's work. */
export async function prepareRole(round: ReviewRound, role: string): Promise<void> {
  const { repo, task, work, diff } = placesOf(round, role);
  makeFolder(work, 0o700);
  await copyRepo(round.plan, repo);
  copyTask(round.place, task);
  if (round.diff.bytes !== null) putFile(diff, round.diff.bytes);
}

/** Runs one reviewer to its end and reads its report. Nothing of its process tree is alive when this returns. */
export async function runRole(
  round: ReviewRound,
  role: string,
  earlier: readonly ReviewFinding[],
): Promise<RoleOutcome> {
  const { ports, current } = round;
  const { repo, task, work } = placesOf(round, role);
  const prompt = packReviewPrompt(round, role, earlier);
  const promptFile = join(work, "prompt.md");
  putFile(promptFile, prompt);
  // A replayed pass is not a process.
  let started = round.model.adapter === "replay" && !ports.signal.aborted;
  const outcome = await runModel({
    model: round.model,
    prompt,
    promptFile,
    repo,
    taskDir: task,
    phase: round.phase,
    pass: round.pass,
    role,
    workFolder: work,
    stdoutPath: join(round.logs, `${role}.stdout.log`),
    stderrPath: join(round.logs, `${role}.stderr.log`),
    timeoutMs: round.timeoutMs,
    capBytes,
    env: ports.env,
    now: ports.now,
    redactor: ports.redactor,
    mark: childMark(current.mark, `review-${role}`),
    abort: ports.signal,
    onStart: () => {
      started = true;
    },
    tier: "default",
    sandbox: round.contract.config.sandbox === "bwrap" && round.model.adapter !== "replay" ? rules(round, role) : null,
    playedRecordings: round.playedRecordings,
  });
  return { role, outcome, started, ...judge(outcome) };
}

/** Everything can be read, and nothing but its own folder can be written to. */
function rules({ folder, contract, ports }: ReviewRound, role: string): SandboxRules {
  const keys = contract.config.sign === "ssh" ? listKeyFiles(ports) : [];
  return {
    writable: [realpathSync(join(folder, role))],
    readOnly: [],
    hidden: [realpathSync(stateHome(ports.env, ports.home)), ...keys],
  };
}

function packReviewPrompt(round: ReviewRound, role: string, earlier: readonly ReviewFinding[]): string {
  const { contract, wish } = round.contract;
  const { repo, task, diff } = placesOf(round, role);
  const text = renderReviewPrompt({
    role,
    phase: round.phase,
    pass: round.pass,
    task: { id: contract.id, title: contract.title, dir: task },
    repo,
    diff: { path: round.diff.bytes === null ? null : diff, note: round.diff.note },
    brief: wish,
    stateText: round.stateText,
    earlier,
    most: mostFindings,
  });
  return round.ports.redactor.redact(text);
}

function placesOf({ folder }: ReviewRound, role: string) {
  const own = join(folder, role);
  return { repo: join(own, "repo"), task: join(own, "task"), work: join(own, "work"), diff: join(own, "diff.patch") };
}

/** A report counts whatever the exit code; an interrupted run has none, even if it had produced output. */
function judge({ end, error, finalText }: ModelOutcome): Pick<RoleOutcome, "problem" | "findings"> {
  const problem = problemOf(end) ?? (error === null ? null : `the model ended with an error: ${error}`);
  if (problem !== null) return { problem, findings: [] };
  const report = readReport(finalText);
  if (report.kind === "report") return { problem: null, findings: report.findings };
  const trouble = renderTrouble(end);
  return { problem: trouble === null ? report.problem : `${report.problem}; the model ${trouble}`, findings: [] };
}

function problemOf(end: ModelEnd): string | null {
  switch (end.kind) {
    case "exited":
      return end.signal === null ? null : `the model was killed by signal ${end.signal}`;
    case "timed_out":
      return `it did not end within ${Math.round(end.timeout_ms / 1000)} s`;
    case "no_model":
      return null;
    default:
      return end.reason;
  }
}

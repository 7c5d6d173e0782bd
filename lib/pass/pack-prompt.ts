import { join } from "node:path";
import type { ContractCheck } from "../documents/contract.ts";
import { stateForPrompt } from "../documents/prompt-text.ts";
import { readOptionalFile } from "../documents/read-task-file.ts";
import { bySeverity } from "../documents/review-report.ts";
import { renderPrompt } from "../documents/templates/prompt.ts";
import { renderSize } from "../rules/bounds.ts";
import type { TaskEvent } from "../rules/events.ts";
import type { ReviewStanding } from "../rules/facts.ts";
import { isRedirected, withWantedForm } from "../rules/failure.ts";
import { type Phase, phases } from "../rules/phases.ts";
import { isReported } from "../rules/review-standings.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { OpenTask } from "../task/open-task.ts";
import { stands, type TaskPlace } from "../task/records/task-place.ts";
import type { TaskSession } from "../task/session.ts";
import { findLeftover, findTaskPatch } from "../task/work-so-far.ts";
import { compact } from "../text/compact.ts";
import { escapePattern } from "../text/escape-pattern.ts";
import type { Redactor } from "../text/redact.ts";
import { findOpenBrief } from "./people/open-brief.ts";
import { byRetry } from "./people/reopen.ts";
import type { Plan } from "./prepared-pass.ts";
import { untoldError } from "./verdict/last-error.ts";

/**
 * prompt.md is committed, so it names no place of this machine: the task folder and the repo by the variables that the
 * model has for them. Everything else is what the model was given.
 */
export function keptPrompt(prompt: string, places: { readonly taskDir: string; readonly repo: string }): string {
  const names = [
    [places.taskDir, "$TASK_PHASE_TASK_DIR"],
    [places.repo, "$TASK_PHASE_REPO"],
  ] as const;
  return names
    .filter(([path]) => path !== "/")
    .sort(([one], [other]) => other.length - one.length)
    .reduce((text, [path, name]) => text.replace(pathPattern(path), () => name), prompt);
}

/** The path itself or one below it, and none that only begins or ends like it. */
function pathPattern(path: string): RegExp {
  return new RegExp(`(?<![\\w.-])${escapePattern(path)}(?![\\w-])`, "g");
}

/** The whole prompt of the next pass, redacted. */
export function packPrompt(
  session: TaskSession,
  { document, contract, repo, pass, degrade }: Pick<Plan, "document" | "contract" | "repo" | "pass" | "degrade">,
  reviews: readonly ReviewStanding[],
): string {
  const { place, history } = session;
  const { redactor } = session.ports;
  const { counts, lastVerdict } = history;
  const { budget, retries_per_failure } = contract.policy;
  const text = renderPrompt({
    task: { id: contract.contract.id, title: contract.contract.title, dir: place.taskDir },
    repo,
    pass,
    phase: phases[document.view.phase],
    failed: lastVerdict === null ? null : toFailed(lastVerdict),
    retry:
      counts.failure === null || (isJudging(document.view.phase) && isRedirected(counts.failure))
        ? null
        : { attempt: counts.failure.count, of: retries_per_failure },
    leftover: findLeftover(session.journal.events),
    diff: isJudging(document.view.phase) ? findTaskPatch(place, session.journal.events) : null,
    // Before anything is shortened: half of a secret is not known for one.
    brief: redactor.redact(contract.wish),
    briefChange: findOpenBrief(session),
    contractLines: [
      ...watchLine(contract),
      ...boundsLine(contract, document.view.phase),
      ...manualLines(contract),
      ...proofLines(contract),
      ...renderAnswers(place),
      ...resumeLines(session.journal.events),
    ],
    validators: contract.contract.validators.map(toCheckLine),
    scenarios: contract.contract.scenarios.map(toCheckLine),
    protectedGlobs: contract.contract.protected,
    tickets: history.tickets.map((ticket) => ({ ...ticket, text: redactor.redact(ticket.text) })),
    logTail: textOf(place.log),
    lastError: redactor.redact(untoldError(textOf(place.lastError), lastVerdict)),
    stateText: stateForPrompt(document),
    promise: contract.policy.completion_promise,
    userFacing: contract.policy.user_facing,
    advances: contract.contract.advance === "auto",
    budget: { passesUsed: counts.passes, passes: budget.passes, repairsUsed: counts.repairs, repairs: budget.repairs },
    openSteps: contract.steps.filter((step) => !step.done).map((step) => step.text),
    ...reviewParts(document.view.phase === "verify" ? [] : reviews, redactor),
    context: degrade.includes("small_context") ? "small" : "whole",
    selfReview: !degrade.includes("no_self_review"),
  });
  return redactor.redact(text);
}

function toFailed({ verdict, reasons, from, answer }: VerdictEvent) {
  if (verdict !== "rejected" && verdict !== "no_progress") return null;
  const reason = reasons.map((each) => withWantedForm(each, from)).join("\n");
  return { verdict, reason, answer: answer ?? null };
}

/** The phases that are about the change as a whole. */
function isJudging(phase: Phase): boolean {
  return phase === "verify" || phase === "review";
}

/** The reviewers' reports on the current state, and the roles without a readable one. */
function reviewParts(reviews: readonly ReviewStanding[], { redact }: Pick<Redactor, "redact">) {
  const found = reviews
    .filter(isReported)
    .flatMap(({ role, findings }) => findings.map(({ severity, text }) => ({ role, severity, text: redact(text) })));
  return {
    reviewFindings: bySeverity(found),
    reviewsMissing: reviews
      .filter((standing) => !isReported(standing))
      .map(({ role, problem }) => ({ role, problem: redact(problem ?? "its report is about an earlier state") })),
  };
}

function watchLine({ contract }: TaskContract): string[] {
  if (contract.testsChanged === "show") return [];
  return [
    "Tests, and the commands, scripts and settings that the checks run, are compared with those of pass 1. Adding tests is welcome. If a test is changed or removed, or a check, script or setting differs, a person may be asked before `review` and `done`.",
  ];
}

function manualLines({ contract }: TaskContract): string[] {
  if (contract.manual.length === 0) return [];
  const looks = contract.manual.map(({ name, look }) => `${name}: ${look}`).join("; ");
  return [`Before \`done\` a person is asked to look at this, on the finished code: ${looks}`];
}

function boundsLine({ contract: { bounds } }: TaskContract, phase: Phase): string[] {
  if (phase !== "verify" && phase !== "repair") return [];
  const over = bounds.over === "block" ? "is rejected" : "is shown to a person";
  return [`A pass in ${phase} should change at most ${renderSize(bounds[phase])} of the repo; more than that ${over}.`];
}

/** Said only where an open item names a file. */
function proofLines({ steps }: OpenTask): string[] {
  return steps.some(({ text, done }) => !done && text.includes("artifacts/"))
    ? [
        "An item of TASKS.md that names a file, such as `(artifacts/x.png)`, may be ticked once that file is there and not empty.",
      ]
    : [];
}

function toCheckLine(check: ContractCheck) {
  const words = check.command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return { name: check.name, commandLine: words.join(" "), required: check.required };
}

/** Why a person let the task go on, each time until it is done again: wishes of theirs that no other file has. */
function resumeLines(events: readonly TaskEvent[]): string[] {
  const done = events.findLastIndex((event) => event.type === "verdict" && event.to === "done");
  const lines = events
    .slice(done + 1)
    .flatMap((event) => (event.type === "resumed" && event.reason !== byRetry ? [event] : []))
    .map(
      ({ to, reason }) => `A person let the task go on in \`${to}\`, and wants this as much as the brief: ${reason}`,
    );
  return [...new Set(lines.reverse())].slice(0, mostWishes).reverse();
}

/** The newest; a task that is resumed every night must not fill its prompt. */
const mostWishes = 5;

function textOf(path: string): string {
  return readOptionalFile(path)?.toString("utf8") ?? "";
}

/** Lines of the prompt that name the files in which questions were answered, one sentence each. */
function renderAnswers(place: TaskPlace): string[] {
  return compact([
    stands(place.decisions) && "Questions and their answers are in DECISIONS.md of the task folder; read it first.",
    stands(join(place.taskDir, "ASSUMPTIONS.md")) &&
      "Safe defaults that were taken because nobody answered are in ASSUMPTIONS.md; follow them unless DECISIONS.md now says otherwise.",
  ]);
}

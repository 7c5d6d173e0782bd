import { phases } from "../machine/phases.ts";
import type { ContractCheck } from "../task-folder/contract.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { renderPrompt } from "../templates/prompt.ts";
import type { TaskContract } from "./load-contract.ts";
import { lookAtSteps, readTaskFile } from "./look.ts";
import type { TaskSession } from "./session.ts";
import { stateText } from "./state-text.ts";

/** The whole prompt of the next pass, redacted: what the model is given is what prompt.md shows. */
export function packPrompt(
  session: TaskSession,
  document: StateDocument,
  contract: TaskContract,
  repo: string,
  pass: number,
): string {
  const { place, history } = session;
  const { counts, lastVerdict } = history;
  const { budget, retries_per_failure } = contract.policy;
  const failed = lastVerdict !== null && (lastVerdict.verdict === "rejected" || lastVerdict.verdict === "no_progress");
  const text = renderPrompt({
    task: { id: contract.contract.id, title: contract.contract.title, dir: place.taskDir },
    repo,
    pass,
    phase: phases[document.view.phase],
    lastRejection: failed ? lastVerdict.reasons.map((reason) => reason.text).join("\n") : null,
    retry:
      counts.failure === null
        ? null
        : { attempt: counts.failure.count, of: retries_per_failure, failure: counts.failure.signature },
    brief: contract.body,
    contractLines: [],
    validators: contract.contract.validators.map(describeCheck),
    scenarios: contract.contract.scenarios.map(describeCheck),
    protectedGlobs: contract.contract.protected,
    tickets: history.tickets,
    logTail: textOf(place.log),
    lastError: textOf(place.lastError),
    stateText: stateText(document),
    promise: contract.policy.completion_promise,
    userFacing: contract.policy.user_facing,
    budget: { passesUsed: counts.passes, passes: budget.passes, repairsUsed: counts.repairs, repairs: budget.repairs },
    openSteps: lookAtSteps(place)
      .filter((step) => !step.done)
      .map((step) => step.text),
  });
  return session.ports.redactor.redact(text);
}

function describeCheck(check: ContractCheck) {
  const words = check.command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return { name: check.name, commandLine: words.join(" "), required: check.required };
}

function textOf(path: string): string {
  return readTaskFile(path)?.toString("utf8") ?? "";
}

import { wantsLoginStep } from "../../agents/inspect/next-steps.ts";
import type { ModelOutcome } from "../../agents/run/model-run.ts";
import type { Cooldown } from "../../agents/select/cooldowns.ts";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { type ModelEnd, renderTrouble } from "../../rules/model-end.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { type Finding, infoFinding, warningFinding } from "../../text/finding.ts";

/** The verdict of the pass, and the cooldown that it started; null if it started none. */
export interface ModelVerdict {
  readonly event: VerdictEvent;
  readonly cooldown: Cooldown | null;
}

export function modelFindings(
  model: ModelConfig,
  said: Pick<ModelOutcome, "error" | "note" | "setIds" | "fix" | "problems">,
  ended: ModelVerdict,
  ports: Pick<PassPorts, "env">,
): Finding[] {
  const problems = (said.problems ?? []).map((problem) => warningFinding("TP_MODEL_FILE", `${model.name}: ${problem}`));
  return [...endFindings(model, said, ended, ports), ...problems, ...setIdFindings(model, said)];
}

/** Files to which a model gave the rights of their owner, in a sandbox. */
export function setIdFindings(
  { name }: Pick<ModelConfig, "name">,
  { setIds }: Pick<ModelOutcome, "setIds">,
): Finding[] {
  if (setIds === undefined) return [];
  const message = `${name} made a file that runs with its owner's rights (setuid or setgid)`;
  return [
    ...setIds.cleared.map((file) => warningFinding("TP_SETUID", `${message}; the bit was removed`, { file })),
    ...setIds.left.map((file) =>
      warningFinding("TP_SETUID", `${message}; the bit could not be removed`, { file, fix: `chmod ug-s '${file}'` }),
    ),
  ];
}

function endFindings(
  model: ModelConfig,
  said: Pick<ModelOutcome, "error" | "note" | "fix">,
  { event, cooldown }: ModelVerdict,
  { env }: Pick<PassPorts, "env">,
): Finding[] {
  const { name } = model;
  const { end } = event;
  if (cooldown !== null) {
    const time = new Date(cooldown.until * 1_000).toISOString();
    return [infoFinding("TP_MODEL_LIMITED", `${name} is cooling down until ${time} (${cooldown.reason})`)];
  }
  switch (end.kind) {
    case "auth_failed": {
      const fix = `${wantsLoginStep(model, env)}; \`task-phase probe --model ${name}\` checks whether it works`;
      return [warningFinding("TP_MODEL_LOGIN", `${name} is not logged in or its key was refused`, { fix })];
    }
    case "timed_out": {
      const fix = `raise --timeout or the model's \`timeout\`; \`task-phase probe --model ${name}\` checks whether it answers at all`;
      return [warningFinding("TP_MODEL_TIMEOUT", `${name} did not end within ${end.timeout_ms / 1_000} s`, { fix })];
    }
    default: {
      const trouble = troubleOf(end, said);
      return trouble === null
        ? []
        : [warningFinding("TP_MODEL_ERROR", `${name}: ${trouble}`, { fix: said.fix ?? null })];
    }
  }
}

/** How the program went wrong by its own account, whatever came of its work; null if it did not. */
export function troubleOf(end: ModelEnd, { error, note }: Pick<ModelOutcome, "error" | "note">): string | null {
  const trouble = renderTrouble(end);
  if (trouble === null && error === null) return null;
  return note ?? (trouble === null ? error : `it ${trouble}`);
}

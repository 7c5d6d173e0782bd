import type { ModelConfig } from "../config/load-config.ts";
import type { ModelEnd } from "../machine/facts.ts";
import { describeTrouble } from "../machine/model-end.ts";
import { cooldownAfter } from "../models/cooldowns.ts";
import type { ModelOutcome } from "../models/model-run.ts";
import { wantsLoginStep } from "../models/next-steps.ts";
import { type Finding, infoFinding, warningFinding } from "../report/finding.ts";
import type { PassPorts } from "./ports.ts";

/** What a person should know of how the model ended, beside the verdict: its own error, and what to do about it. */
export function modelFindings(
  model: ModelConfig,
  said: Pick<ModelOutcome, "error" | "note" | "setIds">,
  ended: { readonly end: ModelEnd; readonly at: string },
  ports: Pick<PassPorts, "env">,
): Finding[] {
  return [...endFindings(model, said, ended, ports), ...setIdFindings(model, said)];
}

/** Files to which a model gave the rights of their owner, in a sandbox. */
export function setIdFindings(
  { name }: Pick<ModelConfig, "name">,
  { setIds }: Pick<ModelOutcome, "setIds">,
): Finding[] {
  if (setIds === undefined) return [];
  const message = `${name} made a file that runs with its owner's rights, whoever starts it (setuid or setgid)`;
  return [
    ...setIds.cleared.map((file) => warningFinding("TP_SETUID", `${message}; the bit was taken away`, { file })),
    ...setIds.left.map((file) =>
      warningFinding("TP_SETUID", `${message}; the bit could not be taken away`, { file, fix: `chmod ug-s '${file}'` }),
    ),
  ];
}

function endFindings(
  model: ModelConfig,
  said: Pick<ModelOutcome, "error" | "note">,
  { end, at }: { readonly end: ModelEnd; readonly at: string },
  { env }: Pick<PassPorts, "env">,
): Finding[] {
  const { name } = model;
  switch (end.kind) {
    case "auth_failed": {
      const fix = `${wantsLoginStep(model, env)}; \`task-phase probe --model ${name}\` tells whether it works`;
      return [warningFinding("TP_MODEL_LOGIN", `${name} is not logged in or its key was refused`, { fix })];
    }
    case "limited": {
      const { until, reason } = cooldownAfter(end, model, new Date(at));
      const time = new Date(until * 1_000).toISOString();
      return [infoFinding("TP_MODEL_LIMITED", `${name} rests until ${time} (${reason})`)];
    }
    case "timed_out": {
      const fix = `raise --timeout or the model's \`timeout\`; \`task-phase probe --model ${name}\` tells whether it answers at all`;
      return [warningFinding("TP_MODEL_TIMEOUT", `${name} did not end within ${end.timeout_ms / 1_000} s`, { fix })];
    }
    default: {
      const trouble = troubleOf(end, said);
      return trouble === null ? [] : [warningFinding("TP_MODEL_ERROR", `${name}: ${trouble}`)];
    }
  }
}

/** How the program went wrong by its own account, whatever came of its work; null where it did not. */
export function troubleOf(end: ModelEnd, { error, note }: Pick<ModelOutcome, "error" | "note">): string | null {
  const trouble = describeTrouble(end);
  if (trouble === null && error === null) return null;
  return note ?? (trouble === null ? error : `it ${trouble}`);
}

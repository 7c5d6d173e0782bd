import type { ModelConfig } from "../../config/load-config.ts";
import { shorten } from "../../text/shorten.ts";
import type { ModelOutcome } from "../run/model-run.ts";
import { byHandStep, wantsLoginStep } from "./next-steps.ts";

export type ProbeOutcome = "answers" | "hangs" | "wants_login" | "limited" | "missing" | "failed";

export interface ProbeJudgement {
  /** Null if the probe was stopped before it was known. */
  readonly outcome: ProbeOutcome | null;
  /** One line: what it said, or what went wrong. */
  readonly detail: string;
  /** When a limit ends, ISO 8601; null if nothing said so. */
  readonly until: string | null;
  /** The next step; null if there is none. */
  readonly next: string | null;
}

const detailLength = 200;

/** Judges a model by the end of a tiny call. `env` is the runner's own. */
export function judgeProbe(
  model: ModelConfig,
  { end, error, finalText, note }: Pick<ModelOutcome, "end" | "error" | "finalText" | "note">,
  env: Readonly<NodeJS.ProcessEnv>,
): ProbeJudgement {
  const result = (outcome: ProbeOutcome | null, detail: string, next: string | null = null): ProbeJudgement => ({
    outcome,
    detail: shorten(detail.trim(), detailLength),
    until: end.kind === "limited" ? end.until : null,
    next,
  });
  const withNote = (detail: string): string => (note === null ? detail : `${detail}; ${note}`);
  const cli = model.adapter === "command" || model.adapter === "replay" ? null : model.adapter;
  switch (end.kind) {
    case "limited":
      return result("limited", end.reason, limitSteps[end.cause]);
    case "auth_failed":
      return result("wants_login", end.reason, wantsLoginStep(model, env));
    case "timed_out": {
      const longer = `give it more time: task-phase probe --model ${model.name} --timeout 5m; or ${byHandStep(model)}`;
      return result("hangs", withNote(`no answer within ${end.timeout_ms / 1_000} s`), longer);
    }
    case "not_started":
      return result("failed", end.reason, byHandStep(model));
    case "interrupted":
    case "withheld":
      return result(null, "stopped before it answered");
    case "exited": {
      if (error !== null) return result("failed", error, byHandStep(model));
      const how = end.exit_code === null ? `a signal (${end.signal})` : `exit code ${end.exit_code}`;
      // The output of a command is its answer only if the command itself reports success.
      const well = end.result_event && (cli !== null || end.exit_code === 0);
      // The note of a command says how it ended, and its last words.
      if (model.adapter === "command" && end.exit_code !== 0 && note !== null)
        return result("failed", note, byHandStep(model));
      if (!well) return result("failed", withNote(`it ended with ${how} and gave no result`), byHandStep(model));
      if (finalText.trim() === "") return result("failed", withNote("its answer is empty"), byHandStep(model));
      return result("answers", finalText.trim());
    }
  }
}

const limitSteps = {
  rate_limit: "wait until the limit ends, or use another model",
  quota: "check the plan or credit of this account, or use another model",
  overloaded: "the provider is overloaded: probe it again later",
} as const;

import type { ModelConfig } from "../../config/load-config.ts";
import type { ModelOutcome } from "./model-run.ts";

/** What a pass cost: what was reported, else the price of its tokens, else nothing is known. Never 0 for unknown. */
export function costOf(
  { price }: Pick<ModelConfig, "price">,
  reported: number | null,
  tokens: ModelOutcome["tokens"],
): Pick<ModelOutcome, "costUsd" | "costSource"> {
  if (reported !== null) return { costUsd: reported, costSource: "reported" };
  // Half of the tokens would be a price that is too low.
  if (price === null || tokens.input === null || tokens.output === null) return { costUsd: null, costSource: null };
  const costUsd = (tokens.input * price.inputPerMtok + tokens.output * price.outputPerMtok) / 1_000_000;
  return { costUsd, costSource: "price" };
}

import type { ModelConfig } from "../../documents/config/load-config.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { parseObject } from "../../text/json-object.ts";
import { amountOf, mostUsed, unknownTokens } from "../adapters/json-lines.ts";
import type { ModelOutcome } from "./model-run.ts";

export type ModelUsage = Pick<ModelOutcome, "costUsd" | "tokens" | "note">;

const maxBytes = 64 * 1024;

export const unknownUsage: ModelUsage = { costUsd: null, tokens: unknownTokens, note: null };

/**
 * Reads `{"cost_usd": 0.12, "input_tokens": 900, "output_tokens": 80}` as a model wrote it: anything but a
 * number from 0 to `mostUsed` becomes null, with a note. A missing file is fine.
 */
export function readUsage(path: string): ModelUsage {
  const file = readRegularFile(path, maxBytes);
  if (file.kind === "missing") return unknownUsage;
  if (file.kind === "too_big")
    return { ...unknownUsage, note: `the usage file is larger than ${maxBytes} bytes and was not read` };
  if (file.kind !== "file") return { ...unknownUsage, note: `the usage file could not be read (${file.kind})` };
  const value = parseObject(file.bytes.toString("utf8"));
  if (value === null)
    return { ...unknownUsage, note: 'the usage file is not a JSON object such as {"cost_usd": 0.12}' };
  const wrong: string[] = [];
  const read = (key: string): number | null => {
    const found = value[key];
    if (found === undefined || found === null) return null;
    const amount = amountOf(found);
    if (amount === null) wrong.push(key);
    return amount;
  };
  const costUsd = read("cost_usd");
  const tokens = { input: read("input_tokens"), output: read("output_tokens") };
  const note =
    wrong.length === 0 ? null : `in the usage file, ${wrong.join(", ")} should be a number from 0 to ${mostUsed}`;
  return { costUsd, tokens, note };
}

/** The reported cost, else the price of the tokens; null if unknown, never 0 for that. */
export function costOf(
  { price }: Pick<ModelConfig, "price">,
  { costUsd, tokens }: Pick<ModelUsage, "costUsd" | "tokens">,
): Pick<ModelOutcome, "costUsd" | "costSource" | "tokens"> {
  const { input, output } = tokens;
  if (costUsd !== null) return { costUsd, costSource: "reported", tokens };
  // Half the tokens would make the price too low.
  if (price === null || input === null || output === null) return { costUsd: null, costSource: null, tokens };
  const priced = (input * price.inputPerMtok + output * price.outputPerMtok) / 1_000_000;
  return { costUsd: priced, costSource: "price", tokens };
}

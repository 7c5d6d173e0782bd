import { resolve } from "node:path";
import type { AdapterName } from "./adapter-names.ts";
import type { WrittenModel } from "./model-schema.ts";

/** One model of task-phase.yaml, every default filled in. */
export interface ModelConfig {
  readonly name: string;
  readonly adapter: AdapterName;
  /** Null for every adapter but `command`. */
  readonly command: readonly string[] | null;
  readonly prompt: "stdin" | "argument" | "file";
  /** Absolute; null for every adapter but `replay`. */
  readonly recordings: string | null;
  readonly timeoutMs: number;
  /** Names of environment variables that are passed on, beside the usual ones. */
  readonly env: readonly string[];
  readonly args: readonly string[];
  /** The words of the cheap tier in place of those that `args` has for the same flags; null: the adapter's own. */
  readonly cheapArgs: readonly string[] | null;
  /** The estimated cost of a pass before it runs; null: the dearest of its last three. */
  readonly estimateUsd: number | null;
  /** US dollars per million tokens, if the CLI reports tokens and no cost. */
  readonly price: { readonly inputPerMtok: number; readonly outputPerMtok: number } | null;
  /** Beside the adapter's own; matched against the final error only, without regard to case. */
  readonly rateLimitPatterns: readonly RegExp[];
  /** How long it rests after a limit that names no end; 15 minutes. */
  readonly cooldownMs: number;
  /** Folder of the file that names the model, which its relative paths start from. */
  readonly folder: string;
}

const defaultCooldownMs = 15 * 60_000;

/** `folder` is that of task-phase.yaml. */
export function toModelConfig(model: WrittenModel, folder: string): ModelConfig {
  const { price } = model;
  return {
    name: model.name,
    adapter: model.adapter,
    command: model.command ?? null,
    prompt: model.prompt ?? "stdin",
    recordings: model.recordings === undefined ? null : resolve(folder, model.recordings),
    timeoutMs: model.timeout,
    env: model.env,
    args: model.args,
    cheapArgs: model.tiers?.cheap?.args ?? null,
    estimateUsd: model.estimate_usd ?? null,
    price: price ? { inputPerMtok: price.input_per_mtok, outputPerMtok: price.output_per_mtok } : null,
    rateLimitPatterns: model.rate_limit_patterns ?? [],
    cooldownMs: model.cooldown ?? defaultCooldownMs,
    folder,
  };
}

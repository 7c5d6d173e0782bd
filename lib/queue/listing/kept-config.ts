import { type ConfigRequest, findConfig } from "../../documents/config/find-config.ts";
import { type LoadedConfig, loadConfig, type ModelConfig } from "../../documents/config/load-config.ts";
import { requireOwner } from "../../documents/config/require-owner.ts";
import { realOr } from "../../store/folder.ts";
import { figuresOf, statOf } from "./stamp.ts";

/** A configuration as an index keeps it, and what tells whether its file is still the same. */
export interface KeptConfig {
  readonly path: string;
  /** Stat figures of the configuration file. */
  readonly figures: readonly number[];
  readonly config: Omit<LoadedConfig, "models"> & { readonly models: readonly KeptModel[] };
}

type KeptModel = Omit<ModelConfig, "rateLimitPatterns"> & {
  readonly patterns: readonly (readonly [source: string, flags: string])[];
};

export type ConfigRead = ReturnType<typeof readConfig>;

/**
 * The configuration for the tasks of a root: the one that was kept if a run would find the same file, with the same
 * figures, and may believe it; else it is read. `kept` is null if there is no file, or if it changed a moment ago. Throws as
 * `loadConfig` does.
 */
export function readConfig(request: ConfigRequest, before: KeptConfig | null) {
  const found = findConfig(request);
  if (found === null) return { config: loadConfig(request), kept: null };
  const figures = readFigures(found.by === "folder" ? found.path : realOr(found.path));
  if (before !== null && figures !== null && before.path === found.path && isSame(before.figures, figures)) {
    requireOwner(found.path);
    return { config: unpack(before.config), kept: before };
  }
  const config = loadConfig(request);
  const kept = figures === null || config.path === null ? null : { path: config.path, figures, config: pack(config) };
  return { config, kept };
}

/** Null if nothing there can be kept. */
function readFigures(path: string): readonly number[] | null {
  const now = Date.now();
  const stats = statOf(path);
  return stats === undefined ? null : figuresOf(stats, now);
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((figure, at) => figure === right[at]);
}

function pack({ models, ...others }: LoadedConfig): KeptConfig["config"] {
  return {
    ...others,
    models: models.map(({ rateLimitPatterns, ...model }) => ({
      ...model,
      patterns: rateLimitPatterns.map(({ source, flags }) => [source, flags]),
    })),
  };
}

function unpack({ models, ...others }: KeptConfig["config"]): LoadedConfig {
  return {
    ...others,
    models: models.map(({ patterns, ...model }) => ({
      ...model,
      rateLimitPatterns: patterns.map(([source, flags]) => new RegExp(source, flags)),
    })),
  };
}

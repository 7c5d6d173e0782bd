import type { ModelConfig } from "../../documents/config/load-config.ts";
import { findExecutable, findUnusable } from "../../process/find-executable.ts";
import { clearSetIds, listSetIds } from "../../store/set-id.ts";
import { adapters } from "../adapters/adapters.ts";
import { runCliModel } from "./cli-model.ts";
import { programOf, runCommandModel } from "./command-model.ts";
import type { ModelOutcome, ModelRun } from "./model-run.ts";
import { listRecordings, runReplayModel } from "./replay.ts";
import { listWritable } from "./sandboxed.ts";

export type { ModelOutcome, ModelRun } from "./model-run.ts";

export type ModelPresence = { readonly kind: "there" } | { readonly kind: "missing"; readonly reason: string };

/** The way it ends is a fact in the outcome; throws only for the disk. */
export async function runModel(run: ModelRun): Promise<ModelOutcome> {
  const { adapter } = run.model;
  if (adapter === "replay") return runReplayModel(run);
  if (adapter === "command") return withoutSetIds(listWritable(run, null), () => runCommandModel(run));
  const cli = adapters[adapter];
  return withoutSetIds(listWritable(run, cli), () => runCliModel(cli, run));
}

/**
 * Nothing gains rights in a sandbox, but a set-id file that the model left would outside: the kernel lets a file's
 * owner set that. Without a sandbox there is nothing to protect.
 */
async function withoutSetIds(writable: readonly string[], run: () => Promise<ModelOutcome>): Promise<ModelOutcome> {
  if (writable.length === 0) return await run();
  const before = await listSetIds(writable);
  const outcome = await run();
  const setIds = clearSetIds(before, await listSetIds(writable));
  return setIds.cleared.length + setIds.left.length === 0 ? outcome : { ...outcome, setIds };
}

export function findModel(model: ModelConfig, env: Readonly<NodeJS.ProcessEnv>): ModelPresence {
  if (model.adapter === "replay") {
    if (listRecordings(model.recordings ?? "").length > 0) return { kind: "there" };
    return {
      kind: "missing",
      reason: `${model.recordings ?? "the folder of its recordings"} has no recordings such as 0001/`,
    };
  }
  const program = model.adapter === "command" ? programOf(model) : adapters[model.adapter].program;
  if (findExecutable(program, model.folder, env.PATH ?? "") !== null) return { kind: "there" };
  const unusable = findUnusable(program, model.folder, env.PATH ?? "");
  if (unusable !== null) return { kind: "missing", reason: `${unusable} exists but is not executable` };
  const place = program.includes("/") ? "does not exist" : "was not found on PATH";
  return { kind: "missing", reason: `${program || "its command"} ${place}` };
}

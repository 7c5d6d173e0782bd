import { lstatSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { TaskEvent } from "../machine/events.ts";
import type { FeatureProof } from "../machine/facts.ts";
import type { FeatureRow } from "../machine/state-view.ts";
import { maxListedPaths } from "../machine/verdict-event.ts";

/** Where a proof may lie, and what the passes of this task made in the repo. */
export interface ProofPlaces {
  readonly place: TaskPlace;
  readonly repo: string;
  /** True for a repo path, with `/`, that a pass of this task added or changed. */
  readonly madeByPass: (path: string) => boolean;
}

/**
 * For each row that claims to be real: does its proof name a non-empty file under artifacts/, or one of the repo that
 * a pass made? The brief, and a file that was there before the task, prove no feature.
 */
export function proveFeatures(places: ProofPlaces, features: readonly FeatureRow[]): FeatureProof[] {
  return features
    .filter((row) => row.label.startsWith("real_"))
    .map((row) => ({ feature: row.feature, problem: judgeProof(places, row.proof) }));
}

/** Whether a pass of this task changed a path, by its journal and by what the present pass changed. */
export function pathsOfPasses(
  events: readonly TaskEvent[],
  present: readonly { readonly path: string; readonly change: string }[],
): (path: string) => boolean {
  const verdicts = events.filter((event) => event.type === "verdict");
  // A list that was cut leaves open what else the pass changed.
  if (verdicts.some((event) => event.changed_paths.length >= maxListedPaths)) return () => true;
  const made = new Set([...verdicts.flatMap((event) => event.changed_paths), ...present].map(({ path }) => path));
  return (path) => made.has(path);
}

function judgeProof({ place, repo, madeByPass }: ProofPlaces, proof: string): string | null {
  const names = proof.split(/[\s,;]+/).filter((word) => word !== "");
  if (names.length === 0) return "its proof is empty; name a file under artifacts/";
  // A path may be meant from the task folder or from the repo.
  const files = names
    .flatMap((name) => [fileIn(place.taskDir, name), fileIn(repo, name)])
    .filter((path) => path !== null);
  const inArtifacts = (path: string): boolean => path.startsWith(join(place.taskDir, "artifacts") + sep);
  const inRepo = files.filter((path) => path.startsWith(repo + sep));
  if (files.some(inArtifacts)) return null;
  if (inRepo.some((path) => madeByPass(relative(repo, path).split(sep).join("/")))) return null;
  const shown = proof.slice(0, 80);
  return files.length > 0
    ? `its proof "${shown}" is neither under artifacts/ nor a file that a pass of this task made; name such a file`
    : `its proof "${shown}" does not name a file of the task folder or the repo`;
}

/** The absolute path of a non-empty regular file in the folder that is reached without a link; else null. */
export function fileIn(folder: string, name: string): string | null {
  const path = resolve(folder, name.replace(/[#?].*$/, "").replace(/:\d+(:\d+)?$/, ""));
  if (!path.startsWith(folder + sep)) return null;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size === 0) return null;
  return realpathSync(path) === join(realpathSync(folder), relative(folder, path)) ? path : null;
}

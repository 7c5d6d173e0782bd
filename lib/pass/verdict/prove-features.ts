import { lstatSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { NamedProof } from "../../documents/steps.ts";
import { runnerArtifact } from "../../pages/files/list-artifacts.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { FeatureProof, StepProof } from "../../rules/facts.ts";
import type { FeatureRow } from "../../rules/state-view.ts";
import { maxListedPaths } from "../../rules/verdict-event.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";

interface ProofPlaces {
  readonly place: TaskPlace;
  readonly repo: string;
  readonly madeByPass: (path: string) => boolean;
}

/**
 * For each row that claims to be real, whether its proof names a non-empty file under artifacts/, or one that a pass
 * made in the repo. The brief and earlier files prove nothing.
 */
export function proveFeatures(places: ProofPlaces, features: readonly FeatureRow[]): FeatureProof[] {
  return features
    .filter((row) => row.label.startsWith("real_"))
    .map((row) => ({ feature: row.feature, problem: judgeProof(places, row.proof) }));
}

/** Whether a pass changed a path, by the journal and the present pass's changes. */
export function madeByPasses(
  events: readonly TaskEvent[],
  present: readonly { readonly path: string; readonly change: string }[],
): (path: string) => boolean {
  const verdicts = events.filter((event) => event.type === "verdict");
  // A cut list leaves open what else changed.
  if (verdicts.some((event) => event.changed_paths.length >= maxListedPaths)) return () => true;
  const made = new Set([...verdicts.flatMap((event) => event.changed_paths), ...present].map(({ path }) => path));
  return (path) => made.has(path);
}

function judgeProof({ place, repo, madeByPass }: ProofPlaces, proof: string): string | null {
  const names = proof.split(/[\s,;]+/).filter((word) => word !== "");
  if (names.length === 0) return "its proof is empty; name a file under artifacts/";
  // From the task folder or from the repo.
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

/** A non-empty regular file in the folder, reached without a link. */
function fileIn(folder: string, name: string): string | null {
  const path = resolve(folder, name.replace(/[#?].*$/, "").replace(/:\d+(:\d+)?$/, ""));
  if (!path.startsWith(folder + sep)) return null;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size === 0) return null;
  return realpathSync(path) === join(realpathSync(folder), relative(folder, path)) ? path : null;
}

/** For each proof of a ticked item in TASKS.md, whether it is the agent's non-empty file under artifacts/. */
export function proveSteps({ taskDir }: Pick<TaskPlace, "taskDir">, proofs: readonly NamedProof[]): StepProof[] {
  return proofs
    .filter(({ done }) => done)
    .map(({ text, line, path }) => ({ text, line, path, problem: judgeNamed(taskDir, path) }));
}

function judgeNamed(taskDir: string, path: string): string | null {
  const file = fileIn(taskDir, path);
  const inside = file === null ? null : relative(taskDir, file).split(sep).join("/");
  if (inside === null) return "but there is no such non-empty regular file";
  if (!inside.startsWith("artifacts/")) return "but that is not under artifacts/";
  return runnerArtifact(inside) ? "but task-phase wrote that file" : null;
}

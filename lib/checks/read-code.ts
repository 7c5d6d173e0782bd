import { takeFingerprint } from "../git/fingerprint.ts";
import type { Fingerprint } from "../git/fingerprint-entries.ts";
import { twiceIfGitFails } from "../git/run-git.ts";
import type { Tamper } from "../rules/facts.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import type { TaskPlace } from "../task/records/task-place.ts";

/** A repo that git can no longer read has no contents that anything could be proven on. */
const unreadable: Fingerprint = { hash: "unreadable", entries: new Map() };

/**
 * The repo's fingerprint after something ran in it, which may have broken what git needs to read it. What a model or a
 * reviewer left is read whole; what the checks left is compared by stats with what was read before them. Throws what
 * does not come from the repo, such as TP_DISK.
 */
export async function readCode(
  repo: string,
  place: TaskPlace,
  by: Tamper["by"],
  how: "contents" | "stats" = by === "validators" ? "stats" : "contents",
): Promise<{ readonly fingerprint: Fingerprint; readonly problem: Tamper | null }> {
  const excludes = fingerprintExcludes(place, repo);
  const took = await twiceIfGitFails(() => takeFingerprint(repo, excludes, process.env, how));
  if (took.kind === "done") return { fingerprint: took.value, problem: null };
  const detail = took.error.message;
  return {
    fingerprint: unreadable,
    problem: { path: ".git", change: "changed", guard: "git", by, detail, restored: false },
  };
}

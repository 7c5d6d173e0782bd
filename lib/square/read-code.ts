import type { TaskPlace } from "../anchor/task-place.ts";
import { type Fingerprint, takeFingerprint } from "../git/fingerprint.ts";
import type { Tamper } from "../machine/facts.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { fingerprintExcludes } from "../task/look.ts";

export interface CodeLook {
  readonly fingerprint: Fingerprint;
  /** Null if the repo could be read. */
  readonly problem: Tamper | null;
}

/** A repo that git can no longer read has no contents that anything could be proven on. */
const unreadable: Fingerprint = { hash: "unreadable", entries: new Map() };

/**
 * The repo's fingerprint after something ran in it, which may have broken what git needs to read it. What a model or a
 * reviewer left is read whole; what the checks left is compared by stats with what was read before them.
 */
export async function readCode(repo: string, place: TaskPlace, by: Tamper["by"]): Promise<CodeLook> {
  const excludes = fingerprintExcludes(place, repo);
  try {
    return {
      fingerprint: await takeFingerprint(repo, excludes, process.env, by === "validators" ? "stats" : "contents"),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const detail = error.message;
    return {
      fingerprint: unreadable,
      problem: { path: ".git", change: "changed", guard: "git", by, detail, restored: false },
    };
  }
}

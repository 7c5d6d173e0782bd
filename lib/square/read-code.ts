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

/** The repo's fingerprint after something ran in it, which may have broken what git needs to read it. */
export async function readCode(repo: string, place: TaskPlace, by: Tamper["by"]): Promise<CodeLook> {
  try {
    return { fingerprint: await takeFingerprint(repo, fingerprintExcludes(place, repo)), problem: null };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const detail = error.message;
    return {
      fingerprint: unreadable,
      problem: { path: ".git", change: "changed", guard: "git", by, detail, restored: false },
    };
  }
}

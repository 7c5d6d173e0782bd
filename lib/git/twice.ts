import { TaskPhaseError } from "../report/errors.ts";

export type Looked<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "unreadable"; readonly error: TaskPhaseError };

/**
 * Looks again if git cannot read the repository, since another git may have been at work in it, or memory was short. If
 * it fails twice, that says something about the repository. Anything else that is thrown does not, and is thrown on.
 */
export async function twiceIfGitFails<Value>(look: () => Promise<Value>): Promise<Looked<Value>> {
  for (let first = true; ; first = false) {
    try {
      return { kind: "done", value: await look() };
    } catch (error) {
      if (!(error instanceof TaskPhaseError) || error.findings[0]?.code !== "TP_GIT") throw error;
      if (!first) return { kind: "unreadable", error };
    }
  }
}

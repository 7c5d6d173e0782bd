import { relative } from "node:path";
import type { AcceptedStep, ClaimedPass, FenceRefusal } from "../anchor/ports.ts";
import { placeOf, runnersPaths } from "../anchor/task-place.ts";
import { commitPaths } from "../git/commit.ts";
import { listChanged } from "../git/head.ts";
import { runGit } from "../git/run-git.ts";
import { hasErrors } from "../report/finding.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { KeptCode } from "./code-fence.ts";
import { type FenceRequest, markJournal, refuseRewound } from "./see-branch.ts";

export type CommittedStep =
  | { readonly kind: "committed"; readonly sha: string | null }
  | { readonly kind: "refused"; readonly refusal: FenceRefusal };

/** The code first, where it is in a repository of its own: the step then names it. */
export async function nameCodeOf(
  { code }: FenceRequest,
  step: AcceptedStep,
  by: Date,
  { kind }: ClaimNote,
): Promise<KeptCode> {
  return code === null ? { kind: "kept", step } : await code.keep(step, by, kind !== null);
}

/** One commit on top of `parent`, whatever an agent did to the branch: its own commits are in it, as files. */
export async function commitStep(
  { clone, code: own, place, ref, env }: FenceRequest,
  step: ClaimedPass | AcceptedStep,
  parent: string,
  leftovers: readonly string[],
): Promise<CommittedStep> {
  const { git } = clone;
  const options = { cwd: git.top, env };
  await runGit(git, ["update-ref", "-m", "task-phase", ref, parent], options);
  await runGit(git, ["symbolic-ref", "-m", "task-phase", "HEAD", ref], options);
  // Whatever went wrong here, no commit takes away what stands for all machines.
  const { journal } = placeOf(step.taskDir);
  const shown = relative(git.top, journal);
  const before = { commit: parent, journal: await markJournal(git, parent, shown, env) };
  refuseRewound({ journal, shown }, before, "nothing was pushed; only task-phase writes the journal");
  const left = new Set(leftovers);
  const isClaim = "until" in step;
  const repo = own === null ? step.repo : git.top;
  const code = isClaim ? [] : (await listChanged(git, repo, env)).filter((path) => !left.has(path));
  const made = await commitPaths({
    repo,
    scratch: place.scratch,
    paths: code,
    folders: [step.taskDir],
    always: runnersPaths,
    message: step.message,
    checked: isClaim || own !== null ? null : step.checked,
    signer: (await step.signer?.()) ?? null,
    record: null,
    env,
  });
  if (hasErrors(made.findings)) return { kind: "refused", refusal: { exitName: "failure", findings: made.findings } };
  return { kind: "committed", sha: made.sha };
}

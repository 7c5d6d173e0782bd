import type { AcceptedStep, ClaimedPass, FenceRefusal } from "../anchor/ports.ts";
import { placeOf } from "../anchor/task-place.ts";
import { commitPaths } from "../git/commit.ts";
import { listChanged } from "../git/dirty.ts";
import { runGit } from "../git/run-git.ts";
import { hasErrors } from "../report/finding.ts";
import type { FenceRequest } from "./fence-request.ts";
import { refuseRewound } from "./refuse-rewound.ts";

export type CommittedStep =
  | { readonly kind: "committed"; readonly sha: string | null }
  | { readonly kind: "refused"; readonly refusal: FenceRefusal };

/** One commit on top of `parent`, whatever an agent did to the branch: its own commits are in it, as files. */
export async function commitStep(
  { clone, place, ref, env }: FenceRequest,
  step: ClaimedPass | AcceptedStep,
  parent: string,
  leftovers: readonly string[],
): Promise<CommittedStep> {
  const { git } = clone;
  const options = { cwd: git.top, env };
  await runGit(git, ["update-ref", "-m", "task-phase", ref, parent], options);
  await runGit(git, ["symbolic-ref", "-m", "task-phase", "HEAD", ref], options);
  // Whatever went wrong here, no commit takes away what stands for all machines.
  await refuseRewound(git, placeOf(step.taskDir), parent, env);
  const left = new Set(leftovers);
  const isClaim = "until" in step;
  const code = isClaim ? [] : (await listChanged(git, step.repo, env)).filter((path) => !left.has(path));
  const made = await commitPaths({
    repo: step.repo,
    scratch: place.scratch,
    paths: code,
    folders: [step.taskDir],
    message: step.message,
    checked: isClaim ? null : step.checked,
    signer: (await step.signer?.()) ?? null,
    env,
  });
  if (hasErrors(made.findings)) return { kind: "refused", refusal: { exitName: "failure", findings: made.findings } };
  return { kind: "committed", sha: made.sha };
}

import { join, relative } from "node:path";
import { commitPaths } from "../git/commit.ts";
import { listChanged } from "../git/head.ts";
import { besideObjects } from "../git/objects.ts";
import type { GitPlace } from "../git/place.ts";
import { runGit } from "../git/run-git.ts";
import { readText } from "../store/read-file.ts";
import type { AcceptedStep, ClaimedPass, FenceRefusal } from "../task/records/ports.ts";
import { placeOf, runnersPaths } from "../task/records/task-place.ts";
import { type Finding, hasErrors } from "../text/finding.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { KeptCode } from "./code-fence.ts";
import { type FenceRequest, type MarkedCommit, markJournal, refuseRewound } from "./see-branch.ts";

export type CommittedStep =
  /** `findings`: warnings, such as what was left out. */
  | { readonly kind: "committed"; readonly sha: string | null; readonly findings: readonly Finding[] }
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

export interface StepBase {
  readonly parent: string;
  /** The step before this one, if the same call pushed it. */
  readonly pushed: MarkedCommit | null;
  readonly leftovers: readonly string[];
}

/** One commit on top of `parent`, whatever an agent did to the branch: its own commits are in it, as files. */
export async function commitStep(
  { clone, code: own, place, ref, local, env }: FenceRequest,
  step: ClaimedPass | AcceptedStep,
  { parent, pushed, leftovers }: StepBase,
): Promise<CommittedStep> {
  const { git } = clone;
  if (!isAt(git, ref, parent)) {
    const options = { cwd: git.top, env };
    await runGit(git, ["update-ref", "-m", "task-phase", ref, parent], options);
    await runGit(git, ["symbolic-ref", "-m", "task-phase", "HEAD", ref], options);
  }
  // Whatever went wrong here, no commit may remove what all machines have accepted.
  const { journal } = placeOf(step.taskDir);
  const shown = relative(git.top, journal);
  const isPushed = pushed?.commit === parent;
  const before = isPushed ? pushed : { commit: parent, journal: await markJournal(git, parent, shown, env) };
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
    // What an agent wrote into the clone's own objects is never taken for what was hashed here.
    ...(local !== null && { variables: besideObjects(local.tree, local.objects) }),
    env,
  });
  if (hasErrors(made.findings)) return { kind: "refused", refusal: { exitName: "failure", findings: made.findings } };
  return { kind: "committed", sha: made.sha, findings: made.findings };
}

/** As the files say it: any other way of git to say the same is no answer. */
function isAt({ gitDir, commonDir }: GitPlace, ref: string, commit: string): boolean {
  const says = (folder: string, name: string) => readText(join(folder, name), 4096)?.trim();
  return says(gitDir, "HEAD") === `ref: ${ref}` && says(commonDir, ref) === commit;
}

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identifyPid, isRunning } from "../process/identity.ts";
import { removeAll, statEntry } from "../store/folder.ts";
import { readText } from "../store/read-file.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { identityVariables } from "./git-settings.ts";
import { giveObjects } from "./give-objects.ts";
import { goesBack } from "./log.ts";
import { besideObjects } from "./objects.ts";
import type { GitPlace } from "./place.ts";
import { knownSettings } from "./plain-place.ts";
import { runGit } from "./run-git.ts";
import { type PushAnswer, type RefSwap, type RemoteRef, type SwapEnd, swapWith } from "./swap-ref.ts";
import { checkedOutIn } from "./worktrees.ts";

/** A person's own repository, which needs no transport: what it gets is written beside its objects. */
export interface OwnRemote {
  readonly tree: GitPlace;
  /** The folder where git puts the objects that it does not have. */
  readonly objects: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Like `swapRef`. `beside`: a ref that keeps the commit, and moves with the other in one step. No hook runs, and a
 * branch that is checked out is refused.
 */
export async function swapOwn(
  own: OwnRemote,
  swap: Pick<RefSwap, "ref" | "expected" | "commit" | "wait"> & { readonly beside: string },
): Promise<SwapEnd> {
  const { ref, expected, commit, beside } = swap;
  let isMoved = false;
  const push = async (): Promise<PushAnswer> => {
    if (checkedOutIn(own.tree, ref) !== null) return { kind: "refused", why: "the branch is checked out" };
    try {
      await moveOwn(own, [`${ref} ${commit} ${expected ?? "0".repeat(commit.length)}`, `${beside} ${commit}`]);
    } catch (error) {
      return unknown(error);
    }
    isMoved = true;
    return { kind: "pushed" };
  };
  const read = async (): Promise<RemoteRef> =>
    isMoved ? { kind: "ref", commit } : await readOwnRef(own, ref).catch(unknown);
  const contains = async (theirs: string) =>
    await goesBack(own.tree, theirs, commit, own.env).catch((error: unknown) => unknown(error) && null);
  const end = await swapWith({ push, read, contains }, swap);
  // An earlier run had moved it, or a person's branch has it by now.
  if (end.kind === "swapped" && !isMoved) await moveOwn(own, [`${beside} ${commit}`]);
  return end;
}

/** Names a commit there; false if there can be no such ref. */
export async function tryMoveOwn(own: OwnRemote, ref: string, commit: string): Promise<boolean> {
  try {
    await moveOwn(own, [`${ref} ${commit}`]);
    return true;
  } catch (error) {
    return !unknown(error);
  }
}

/** Throws TP_GIT. */
export async function readOwnRef({ tree, env }: OwnRemote, ref: string): Promise<RemoteRef> {
  const { stdout } = await runGit(tree, ["for-each-ref", "--format=%(objectname)%09%(refname)", "--", ref], { env });
  const lines = stdout.toString("utf8").split("\n");
  const line = lines.find((each) => each.endsWith(`\t${ref}`));
  return { kind: "ref", commit: line?.split("\t")[0] ?? null };
}

/**
 * Objects first: no ref may ever name what a clean-up could take, or a kill keep away. Under a `git gc --prune=now` they
 * come in a pack, too: if it looked before the ref moves, it takes the loose ones, and no pack that it did not know.
 */
async function moveOwn(own: OwnRemote, updates: readonly string[]): Promise<void> {
  const { tree, objects, env } = own;
  const store = objectsIn(tree);
  giveObjects(objects, store);
  const marks = isCollecting(tree) ? await givePack(own) : [];
  const variables = identityVariables(await knownSettings(tree, env), env);
  const input = Buffer.from(updates.map((each) => `update ${each}\n`).join(""));
  try {
    await runGit(tree, ["update-ref", "-m", "task-phase", "--stdin"], { env, variables, input, durable: true });
  } finally {
    marks.forEach(removeAll);
  }
  if (marks.length === 0) await giveAgain(own);
}

/** After a ref moved: what a clean-up that began before may have taken, or may still take, is there again. */
export async function giveAgain(own: OwnRemote): Promise<void> {
  if (isCollecting(own.tree)) (await givePack(own)).forEach(removeAll);
  giveObjects(own.objects, objectsIn(own.tree));
}

function objectsIn({ commonDir }: GitPlace): string {
  return join(commonDir, "objects");
}

/**
 * What a person can do about the lock of a ref that a dead git left; null: there is none. Git closes such a file before it
 * moves the ref, so nothing shows whether a running one still needs it, and only a person can remove it.
 */
export function renderRefLock({ commonDir }: GitPlace, refs: readonly string[]): string | null {
  const files = [...refs, "packed-refs"].map((name) => join(commonDir, `${name}.lock`));
  const lock = files.find((file) => statEntry(file) !== null);
  return lock === undefined ? null : `if no git is running there, a power cut or a kill left ${lock}: remove it`;
}

/** Gives all loose objects as a pack, too. Returns its mark, which keeps it while no ref names its objects. */
async function givePack({ tree, objects, env }: OwnRemote): Promise<string[]> {
  const loose = readdirSync(objects)
    .filter((folder) => /^[0-9a-f]{2}$/.test(folder))
    .flatMap((folder) => readdirSync(join(objects, folder)).map((name) => `${folder}${name}\n`));
  const folder = join(objects, "pack");
  const call = { env, variables: besideObjects(tree, objects), input: Buffer.from(loose.join("")) };
  await runGit(tree, ["pack-objects", "-q", "--window=0", join(folder, "pack")], call);
  const marks = readdirSync(folder)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => name.replace(/pack$/, "keep"));
  for (const mark of marks) writeFileSync(join(folder, mark), "task-phase\n");
  giveObjects(objects, objectsIn(tree));
  removeAll(folder);
  return marks.map((mark) => join(objectsIn(tree), "pack", mark));
}

/** Whether a `git gc` runs in the repository. */
function isCollecting({ commonDir }: GitPlace): boolean {
  const [, first] = /^(\d{1,9}) /.exec(readText(join(commonDir, "gc.pid"), 4096) ?? "") ?? [];
  return first !== undefined && isRunning(Number(first)) && identifyPid(Number(first), "git").command === "git";
}

/** A failure that may pass, such as a full disk or another git's lock. */
function unknown(error: unknown): { readonly kind: "unknown"; readonly why: string } {
  if (!(error instanceof TaskPhaseError)) throw error;
  return { kind: "unknown", why: error.message };
}

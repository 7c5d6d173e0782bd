import { dirname, join } from "node:path";
import { readSettings } from "../../git/git-settings.ts";
import { findUnfinished, readHead } from "../../git/head.ts";
import { listTree } from "../../git/list-tree.ts";
import { listDiffering } from "../../git/log.ts";
import { networkVariables } from "../../git/network.ts";
import { blobName, readBlob } from "../../git/objects.ts";
import { findGitPlace, type GitPlace } from "../../git/place.ts";
import { findCommit } from "../../git/revision.ts";
import { durableSetting, runGit } from "../../git/run-git.ts";
import { startGit } from "../../git/start-git.ts";
import { renderEnd } from "../../git/swap-ref.ts";
import { isTornFrom, readPlaced } from "../../git/torn-files.ts";
import { checkedOutIn } from "../../git/worktrees.ts";
import { syncFile } from "../../store/append-file.ts";
import { gatherSyncs, removeAll, statEntry } from "../../store/folder.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { branchName } from "../../text/ref-name.ts";
import type { Landing } from "./land-task.ts";

/** Names the merge while a landing of the task is under way in a working tree. */
export function landRef(task: string): string {
  return `refs/task-phase/land/${task}`;
}

/**
 * Puts the working tree in order that a landing left which was cut off: it was clean when that began, and git syncs no file that
 * it checks out. A file of the merge that is missing, cut short, full of zeros or of the other side becomes what the target
 * has; any other one a person has changed since. The paths that were put in order, or why that failed. Throws TP_GIT and
 * TP_DISK.
 */
export async function finishLanding(
  { work: { tree }, task, target }: Landing,
  { env }: Pick<PassPorts, "env">,
): Promise<readonly string[] | string> {
  const merge = await findCommit(tree, landRef(task.id), env);
  const folder = merge === null ? null : checkedOutIn(tree, target.ref);
  const place = folder === null ? null : findGitPlace(folder);
  if (merge === null || place === null) return [];
  const elsewhere = await findElsewhere(place, target.ref, env);
  if (elsewhere !== null) return elsewhere;
  const before = `${merge}^1`;
  const { there, gone } = await listTorn(place, [before, merge], target.commit, env);
  for (const path of [...there, ...gone]) removeAll(join(place.top, path));
  const input = (paths: readonly string[]) => Buffer.from(paths.map((path) => `${path}\0`).join(""));
  // With the index: whether git had written it by then is open.
  const drop = ["update-index", "--force-remove", "-z", "--stdin"];
  if (gone.length > 0) await runGit(place, drop, { env, input: input(gone), durable: true });
  const restore = ["restore", `--source=${target.commit}`, "--staged", "--worktree"];
  const words = [...restore, "--pathspec-from-file=-", "--pathspec-file-nul"];
  const end = there.length === 0 ? null : await gitInTree(place, words, { env, input: input(there) });
  if (end !== null && end.exitCode !== 0) return renderEnd({ ...end, stdout: "" });
  await syncChanged(place, before, merge, env);
  return [...there, ...gone].sort();
}

/** Why a working tree is not on the branch that it comes back to, so that git would move another one; null: it is. */
export async function findElsewhere(place: GitPlace, ref: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  if ((await readHead(place, env))?.ref === ref) return null;
  return `a ${findUnfinished(place) ?? "checkout"} of ${branchName(ref)} is in progress in ${place.top}`;
}

/** Paths of the merge whose bytes are no person's: those that the target has, and those that it does not have. */
async function listTorn(place: GitPlace, sides: readonly string[], target: string, env: NodeJS.ProcessEnv) {
  const [before = new Map(), after = new Map(), now = new Map()] = [
    await listTree(place, sides[0] ?? "", env),
    await listTree(place, sides[1] ?? "", env),
    await listTree(place, target, env),
  ];
  const torn: { there: string[]; gone: string[] } = { there: [], gone: [] };
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const oids = [before.get(name)?.oid, after.get(name)?.oid];
    if (oids[0] === oids[1]) continue;
    const path = Buffer.from(name, "latin1").toString("utf8");
    const due = now.get(name)?.oid ?? null;
    const bytes = readPlaced(join(place.top, path));
    if (bytes === "other") continue;
    const oid = bytes === null ? null : blobName(bytes, target.length);
    if (oid === due || !(await isOurs(bytes, oid))) continue;
    torn[due === null ? "gone" : "there"].push(path);

    async function isOurs(kept: Buffer | null, own: string | null): Promise<boolean> {
      if (kept === null || own === null || oids.includes(own)) return true;
      for (const side of oids) {
        const whole = side === undefined ? null : await readBlob(place, side, env);
        if (whole !== null && isTornFrom(kept, whole)) return true;
      }
      return false;
    }
  }
  return torn;
}

/** Runs git as a person would who checks out, with their settings, but without hooks. No signal cuts their tree off. */
export async function gitInTree(
  place: GitPlace,
  args: readonly string[],
  { env, input }: Pick<PassPorts, "env"> & { readonly input?: Buffer },
) {
  const { own } = await readSettings(place, env);
  const variables = { ...networkVariables({ own, repo: [] }, env, place.gitDir), GIT_MERGE_AUTOEDIT: "no" };
  return await startGit({
    args: ["--literal-pathspecs", "-c", durableSetting, "-c", "core.hooksPath=/dev/null", ...args],
    cwd: place.top,
    env: variables,
    timeoutMs: 600_000,
    maxBytes: 1 << 20,
    ...(input !== undefined && { input }),
  });
}

/** Git syncs its objects and refs, but no file that it checks out. Throws TP_DISK. */
export async function syncChanged(place: GitPlace, from: string, to: string, env: NodeJS.ProcessEnv): Promise<void> {
  const folders = gatherSyncs();
  for (const name of await listDiffering(place, [from, to], env)) {
    const path = join(place.top, name.toString("utf8"));
    if (statEntry(path)?.isFile() === true) syncFile(path);
    for (let folder = dirname(path); folder.length >= place.top.length; folder = dirname(folder))
      if (statEntry(folder)?.isDirectory() === true) folders.add(folder);
  }
  folders.sync();
}

import { isAbsolute, join, relative } from "node:path";
import { findTrailer, goesBack } from "../git/log.ts";
import type { GitPlace } from "../git/place.ts";
import { showUrl } from "../git/push-target.ts";
import { shownId } from "../pass/checkpoint/commit-message.ts";
import { configError, dataError, type TaskPhaseError } from "../text/errors.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { shorten } from "../text/shorten.ts";
import type { Mirror } from "./mirror.ts";

export interface RepoWords {
  /** The top of the clone of the tasks, and the folder of the task in it. */
  readonly top: string;
  readonly taskDir: string;
  /** `repo` in the brief; null: it has none. */
  readonly repo: string | null;
  /** `fleet.code`. */
  readonly code: string | null;
  readonly readme: string;
}

/** As far up as `repo` may lead: each level is a folder that is made. */
const mostAbove = 8;

/**
 * Where the code of a claimed pass is: null if it is in the clone of the tasks, else both trees in `pair`, a folder of
 * this task alone, so that `repo` of the brief leads from the one to the other as it does for people. By its words
 * alone: nothing on disk counts. Throws a config error (TP_CODE_PLACE) for a `repo` that does not go with `fleet.code`.
 */
export function placeTrees(pair: string, { top, taskDir, repo, code, readme }: RepoWords) {
  const refuse = (message: string, fix: string): TaskPhaseError =>
    configError("TP_CODE_PLACE", message, { file: readme, fix });
  const shown = shorten(repo ?? "", 100);
  if (repo !== null && isAbsolute(repo)) {
    throw refuse(`repo: ${shown} is an absolute path, but a claimed pass works in clones`, writeRelative);
  }
  // From the top on, so that no root of a disk stops a way up.
  const way = repo === null ? [] : join(relative(top, taskDir), repo, ".").split("/");
  if (way[0] !== "..") {
    if (code === null) return null;
    const message = "fleet.code names a repository for the code, but `repo` in the brief does not lead to it";
    throw refuse(message, writeRelative);
  }
  if (code === null) {
    const message = `repo: ${shown} leads out of the repository of the tasks, but nothing says where to clone the code from`;
    throw refuse(message, "add its URL to task-phase.yaml: fleet: { code: URL }");
  }
  const above = way.findIndex((name) => name !== "..");
  if (above < 0 || above > mostAbove) {
    throw refuse(`repo: ${shown} names no folder beside the repository of the tasks`, writeRelative);
  }
  const tasks = join(pair, ...Array.from({ length: above - 1 }, () => "above.clone"), "tasks.clone");
  const folder = join(pair, ...way.slice(above));
  if (isIn(folder, tasks) || isIn(tasks, folder)) {
    const message = `repo: ${shown} has the same name as the clone of the tasks`;
    throw refuse(message, "give the folder of the code another name");
  }
  return { tasks, code: folder };
}

const writeRelative =
  "write a path relative to the task folder that leads beside the repository of the tasks, such as repo: ../../../app";

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

interface CodeBranch {
  readonly mirror: Mirror;
  readonly url: string;
  readonly task: string;
  /** The task's branch there, a full name. */
  readonly ref: string;
  /** What the tasks name as the code of their last step; null: nothing yet. */
  readonly named: string | null;
  /** `--takeover` was given for the tasks: continue from what is there. */
  readonly takeover: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The code that a pass goes on from: what the task's last step names, and what people committed on top of it on the
 * task's branch. Null: nothing is named and there is no such branch, so it begins where new branches do. Throws a data
 * error if what was named is gone (TP_CODE_GONE), or if the branch does not go back to it (TP_CODE_MOVED).
 */
export async function beginCode(
  request: CodeBranch,
): Promise<{ readonly commit: string; readonly findings: readonly Finding[] } | null> {
  const { mirror, url, task, ref, named, takeover, env } = request;
  const there = mirror.commitOf(ref);
  if (named === null) return there === null ? null : { commit: there, findings: [] };
  const own = codeRefOf(task, named);
  if (mirror.commitOf(own) !== named) {
    const message = `${showUrl(url)} does not have the code that the last step of ${task} names: ${own}`;
    const fix = `put it back from a clone that has it: git push ${showUrl(url)} +${named}:${own}`;
    throw dataError("TP_CODE_GONE", message, { fix });
  }
  if (there === null || there === named) return { commit: named, findings: [] };
  if (await goesBack(mirror.place, there, named, env)) return { commit: there, findings: [] };
  const branch = `${branchName(ref)} of ${showUrl(url)}`;
  const short = named.slice(0, 12);
  const isBehind = await goesBack(mirror.place, named, there, env);
  const message = `${branch} ${isBehind ? "is behind" : "does not contain"} the code that the last step of ${task} names, ${short}`;
  if (isBehind || takeover) {
    const fix = isBehind
      ? "nothing to do: this pass continues from that code, and the branch follows once a pass is accepted"
      : `this pass continues from that code and leaves the branch as it is; merge ${own} into the branch`;
    return { commit: named, findings: [warningFinding("TP_CODE_BRANCH", message, { fix })] };
  }
  throw dataError("TP_CODE_MOVED", message, {
    fix: `git fetch ${showUrl(url)} ${own}, merge FETCH_HEAD into the branch and push it; or use --takeover to continue without what is there`,
  });
}

/**
 * How a commit of the tasks names the code that belongs to it, where that is in a repository of its own: by a trailer,
 * and in the code's remote by a ref of that commit's own name, which nothing moves.
 */
const trailer = "Task-Phase-Code";

/** For example `refs/task-phase/code/T-1/COMMIT`. */
export function codeRefOf(task: string, commit: string): string {
  return `${codeRefsOf(task)}${commit}`;
}

/** What all of them begin with. */
export function codeRefsOf(task: string): string {
  return `refs/task-phase/code/${task}/`;
}

/** `message` ends with trailers. */
export function nameCode(message: string, commit: string): string {
  return `${message.trimEnd()}\n${trailer}: ${commit}\n`;
}

/** The code that the newest step of the task before `commit` names, or with `alone` that one; null: none does. */
export async function findNamedCode(
  git: GitPlace,
  { commit, task, alone = false }: { commit: string; task: string; alone?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const named = await findTrailer(git, { commit, task: shownId(task), name: trailer, alone }, env);
  return named !== null && /^[0-9a-f]{40,64}$/.test(named) ? named : null;
}

import { realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import {
  isPartial,
  isShallow,
  listChanges,
  listCommits,
  listVerdictCommits,
  pathspecsBelow,
  readCommits,
} from "../git/commits.ts";
import { isFile, shownName } from "../git/list-tree.ts";
import { type GitObjects, openObjects, sizesOf } from "../git/objects.ts";
import { findGitPlace, type GitPlace } from "../git/place.ts";
import { findCommit, listSince } from "../git/revision.ts";
import type { ForgedStep } from "../rules/shapes/reports/check.ts";
import { usageError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import type { Finding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import type { ParseJournal } from "./journal-chain.ts";
import { type JudgedSignatures, judgeSignatures, type SignatureRule } from "./judge-signatures.ts";
import { judgeTask } from "./judge-task.ts";
import { firstProblems, forgedStep, noGit, nothing, type Problem, partial, renderProblem, shallow } from "./problem.ts";
import { judgedFiles, type WalkedTask, walkTasks } from "./walk-tasks.ts";

/** For branches without a working tree. */
interface BranchHistoryRequest extends JudgedHistory {
  readonly place: GitPlace;
  /** The tasks root in the commits: empty, or with a final slash; bytes as latin1. */
  readonly prefix: string;
  /** Tips of the branches; the last one is the tip of each task that `tips` does not name. */
  readonly heads: readonly string[];
  readonly tips: ReadonlyMap<string, string>;
}

interface JudgedHistory {
  /** The only folder to judge; null: all that ever existed. */
  readonly task: string | null;
  /** This commit and its ancestors are trusted. */
  readonly since: string | null;
  readonly env: NodeJS.ProcessEnv;
  readonly parseJournal: ParseJournal;
  /** Absent: signatures are not checked. */
  readonly signatures?: SignatureRule | null;
}

export interface HistoryReport {
  readonly findings: readonly Finding[];
  readonly exits: readonly ExitName[];
  /** Commits that touch a task; here and below, without trusted ones. */
  readonly commits: number;
  readonly transitions: number;
  readonly events: number;
  readonly tasks: number;
  readonly forged: readonly ForgedStep[];
  readonly signatures: Omit<JudgedSignatures, "problems"> | null;
}

/**
 * Judges every committed step of STATE.md files and journals reachable from HEAD by the rules for models, people and
 * the runner. Changes nothing, and runs no program of the repository. Throws TP_GIT, and a usage error if `since` is no
 * commit.
 */
export async function checkHistory(
  request: JudgedHistory & { readonly tasksRoot: string; readonly standing: readonly string[] },
): Promise<HistoryReport> {
  const root = realpathSync(request.tasksRoot);
  const place = findGitPlace(root);
  if (place === null) return stopped(noGit(root));
  const scope = { place, prefix: prefixOf(place, root), heads: null, tips: new Map<string, string>() };
  return judgeCommits(request, scope, join(place.top, "/"), () => nothing(root, request.standing));
}

export function checkBranches(request: BranchHistoryRequest): Promise<HistoryReport> {
  return judgeCommits(request, request, "", () => nothing(request.place.top, []));
}

interface Scope extends Pick<BranchHistoryRequest, "place" | "prefix" | "tips"> {
  readonly heads: readonly string[] | null;
}

/** `top` prefixes paths of the repository in findings. */
async function judgeCommits(
  request: JudgedHistory,
  { place, prefix, heads, tips }: Scope,
  top: string,
  describeNothing: () => ReturnType<typeof nothing>,
): Promise<HistoryReport> {
  if (isShallow(place)) return stopped(shallow(place));
  const { env } = request;
  const commits = await listCommits(place, env, heads);
  const changes = await listChanges(place, commits, pathspecsBelow(prefix, judgedFiles), env);
  const task = request.task === null ? null : Buffer.from(request.task).toString("latin1");
  const last = commits.at(-1)?.sha;
  const judgedOnly = await findJudged(place, request, heads ?? (last === undefined ? [] : [last]));
  const walk = walkTasks(commits, changes, prefix, task, judgedOnly, tips);
  const problems: Problem[] = [];
  let events = 0;
  let signatures: JudgedSignatures | null = null;
  const objects = await openObjects(place, env);
  let lost = false;
  const read: GitObjects["read"] = async (oid, maxBytes) => {
    const object = await objects.read(oid, maxBytes);
    if (object.kind === "missing") lost = true;
    return object;
  };
  try {
    const sizes = await sizesOf(place, journalsOf(walk.tasks), env);
    for (const walked of walk.tasks) {
      const path = `${top}${shownName(`${prefix}${walked.name}`)}/artifacts/journal.jsonl`;
      const judged = await judgeTask(walked, { read, sizes, parseJournal: request.parseJournal }, path);
      problems.push(...firstProblems(judged.problems));
      events += judged.events;
    }
    if (request.signatures != null) {
      const judged = commits
        .map((commit, order) => ({ commit, order }))
        .filter(({ commit }) => judgedOnly?.has(commit.sha) ?? true);
      const shas = judged.map(({ commit }) => commit.sha);
      const trailers = await listVerdictCommits(place, shas, env);
      signatures = await judgeSignatures(place, walk.tasks, judged, trailers, request.signatures, read);
      problems.push(...signatures.problems);
    }
  } finally {
    objects.close();
  }
  if (lost && (await isPartial(place, env))) return stopped(partial(place));
  problems.sort((a, b) => a.order - b.order);
  const words = await readCommits(place, [...new Set(problems.map(({ sha }) => sha))], env);
  const findings = problems.map((problem) => renderProblem(problem, top, prefix, words));
  if (walk.tasks.every(({ steps }) => steps.length === 0)) {
    const { finding, exits } = describeNothing();
    return { ...noneJudged, findings: [finding], exits };
  }
  const judged = walk.tasks.map(({ steps }) => steps.filter((step) => step.judged).length);
  return {
    findings,
    exits: problems.filter(({ severity }) => severity === "error").map(({ exit }) => exit),
    commits: walk.commits,
    transitions: judged.reduce((sum, count) => sum + count, 0),
    events,
    tasks: judged.filter((count) => count > 0).length,
    forged: problems.flatMap((problem, index) =>
      problem.severity === "error" ? [forgedStep(problem, findings[index], words)] : [],
    ),
    signatures,
  };
}

async function findJudged(place: GitPlace, { since, env }: JudgedHistory, heads: readonly string[]) {
  if (since === null) return null;
  const commit = await findCommit(place, since, env);
  if (commit !== null && heads.length > 0) return listSince(place, heads, commit, env);
  throw usageError("TP_USAGE_SINCE", `--since does not name a commit of this repository: '${shorten(since)}'`, {
    file: place.top,
    fix: "give the name of a commit, a branch or a tag, and fetch it first",
  });
}

/** The tasks root in trees: empty, or with a final slash; bytes as latin1. */
function prefixOf(place: GitPlace, root: string): string {
  const path = relative(place.top, root);
  return path === "" ? "" : `${Buffer.from(path.split(sep).join("/")).toString("latin1")}/`;
}

function journalsOf(tasks: readonly WalkedTask[]): string[] {
  const entries = tasks.flatMap(({ steps }) => steps.flatMap(({ now, before }) => [now, ...before]));
  const files = entries.flatMap(({ journal }) => (journal !== null && isFile(journal) ? [journal.oid] : []));
  return [...new Set(files)];
}

const noneJudged = { commits: 0, transitions: 0, events: 0, tasks: 0, forged: [], signatures: null };

function stopped(finding: Finding): HistoryReport {
  return { ...noneJudged, findings: [finding], exits: ["config"] };
}

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../report/finding.ts";
import { infoFinding, warningFinding } from "../report/finding.ts";
import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { shorten } from "../text/shorten.ts";
import { listFiltered } from "./attributes.ts";
import { busyFinding, findUnfinished, readHead } from "./head.ts";
import { identityVariables } from "./identity.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { readSettings } from "./settings.ts";
import { insideOf, isRuntime, joinNul, nestedWhy, type SortedPaths, sortPaths } from "./stage.ts";
import { type StagedEntry, stageEntries, stagePaths } from "./stage-paths.ts";

export interface CommitRequest {
  /** The repo, or any folder of its working tree. */
  readonly repo: string;
  /** A private folder for the index of the commit. */
  readonly scratch: string;
  /** Relative to the repo, as `pathKey` writes them. */
  readonly paths: readonly string[];
  /** Absolute folders of which all that differs and is not ignored is committed too. */
  readonly folders: readonly string[];
  readonly message: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface CommitResult {
  /** Null where nothing differed, or nothing could be committed. */
  readonly sha: string | null;
  readonly findings: readonly Finding[];
}

/**
 * Commits exactly these paths, as they stand on disk, on top of what is checked out. Whatever else a person staged or
 * changed stays as it is: the commit is built in an index of its own, and only the entries of the committed paths are
 * renewed in the repository's. Left out: what git ignores, nested repositories, paths with a filter (its program could
 * be a pass's), the runner's moving parts. Hooks do not run, and nothing is signed. Throws TP_GIT.
 */
export async function commitPaths(request: CommitRequest): Promise<CommitResult> {
  const place = findGitPlace(request.repo);
  if (place === null) return { sha: null, findings: [] };
  const busy = findUnfinished(place);
  if (busy !== null) return { sha: null, findings: [busyFinding(place, "committed", busy)] };
  const scratch = mkdtempSync(join(request.scratch, "commit-"));
  try {
    return await commitWith(request, place, join(scratch, "index"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function commitWith(request: CommitRequest, place: GitPlace, index: string): Promise<CommitResult> {
  const { env } = request;
  const settings = await readSettings(place, env);
  // An index of its own, made from the commit: no entry in it remembers the times of a file, so each file is read.
  const variables = { GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: "1" };
  const git = async (args: readonly string[], input?: Buffer, more: Readonly<Record<string, string>> = {}) => {
    const extra = ["i18n.commitEncoding=UTF-8"];
    const options = { cwd: place.top, env, extra, variables: { ...variables, ...more } };
    const end = await runGit(place, args, input === undefined ? options : { ...options, input });
    return end.stdout.toString("utf8").trim();
  };
  const head = await readHead(place, env);
  if (head !== null) await git(["read-tree", head.commit]);
  const { sorted, findings } = await choosePaths(request, place, variables);
  const entries = await stagePaths(place, sorted, { env, variables });
  const tree = await git(["write-tree"]);
  if (head === null ? sorted.present.length === 0 : tree === head.tree) return { sha: null, findings };
  const parent = head === null ? [] : ["-p", head.commit];
  const message = Buffer.from(request.message);
  const author = identityVariables(settings, env);
  const sha = await git(["commit-tree", "--no-gpg-sign", ...parent, "-F", "-", tree], message, author);
  const subject = `commit: ${shorten(request.message.split("\n")[0] ?? "", 100)}`;
  // The old value stands beside the new one: a commit that somebody else made in between is not lost.
  await git(["update-ref", "-m", subject, "HEAD", sha, head?.commit ?? ""], undefined, author);
  findings.push(...(await renewIndex(place, entries, sorted.gone, env)));
  if (head?.ref === null) {
    const message = `the commit ${sha.slice(0, 12)} stands on no branch: HEAD is detached`;
    findings.push(infoFinding("TP_GIT_DETACHED", message, { file: place.top, fix: `keep it: git branch NAME ${sha}` }));
  }
  return { sha, findings };
}

/** All that is asked for and may be committed, relative to the top. */
async function choosePaths(
  request: CommitRequest,
  place: GitPlace,
  variables: Readonly<Record<string, string>>,
): Promise<{ sorted: SortedPaths; findings: Finding[] }> {
  const options = { cwd: place.top, env: request.env, variables };
  const inside = insideOf(place, request.repo) ?? Buffer.alloc(0);
  const asked = request.paths.map((path) => joinBytes(inside, pathBytes(path))).filter((path) => !isRuntime(path));
  const sorted = sortPaths(place, [...asked, ...(await listFolders(request, place, options))]);
  const ignored = await listIgnored(place, sorted.present, options);
  const kept = sorted.present.filter((path) => !ignored.has(path.toString("latin1")));
  const filtered = await listFiltered(place, kept, { env: request.env, variables });
  const present = kept.filter((path) => !filtered.has(path.toString("latin1")));
  const left = kept.filter((path) => filtered.has(path.toString("latin1")));
  const nested = sorted.left.filter(({ why }) => why === nestedWhy).map(({ path }) => path);
  const why = "a filter program of git's settings, such as git-lfs, applies to them; the runner runs none";
  return {
    sorted: { ...sorted, present },
    findings: [
      ...(left.length === 0 ? [] : [leftOut(place, left, why)]),
      ...(nested.length === 0 ? [] : [leftOut(place, nested, "they belong to a repository of their own")]),
    ],
  };
}

interface GitOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly variables: Readonly<Record<string, string>>;
}

async function listFolders(request: CommitRequest, place: GitPlace, options: GitOptions): Promise<Buffer[]> {
  const folders = request.folders.map((folder) => insideOf(place, folder)).filter((folder) => folder !== null);
  if (folders.length === 0) return [];
  const list = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--"];
  const names = folders.map((folder) => (folder.length === 0 ? "." : folder.toString("utf8")));
  const listed = splitNul((await runGit(place, [...list, ...names], options)).stdout);
  return listed.filter((path) => path.at(-1) !== 0x2f && !isRuntime(path));
}

/** A path that is tracked counts as not ignored, whatever a rule says. */
async function listIgnored(place: GitPlace, paths: readonly Buffer[], options: GitOptions): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  // It reads its input as patterns, and knows no literal ones: a name must not begin with the colon of one.
  const { GIT_LITERAL_PATHSPECS: _, ...variables } = options.variables;
  const here = Buffer.from("./");
  const input = joinNul(paths.map((path) => Buffer.concat([here, path])));
  const accept = [0, 1];
  const { stdout } = await runGit(place, ["check-ignore", "-z", "--stdin"], { ...options, variables, input, accept });
  return new Set(splitNul(stdout).map((path) => path.subarray(here.length).toString("latin1")));
}

/** So that git status shows the committed paths as clean; a person's other entries are not touched. */
async function renewIndex(
  place: GitPlace,
  entries: readonly StagedEntry[],
  gone: readonly Buffer[],
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  try {
    await stageEntries(place, entries, gone, { env, variables: {} });
    // What the files were when they were stored is not known to git yet: it looks at them once.
    await runGit(place, ["update-index", "-q", "--refresh"], { cwd: place.top, env, accept: [0, 1] });
    return [];
  } catch (error) {
    const message = `committed, but git's index could not be renewed: ${(error as Error).message}`;
    const fix = "git reset -q, when no other git is at work there; no file changes";
    return [warningFinding("TP_GIT_INDEX", message, { file: place.top, fix })];
  }
}

function leftOut(place: GitPlace, paths: readonly Buffer[], why: string): Finding {
  const names = paths.slice(0, 5).map((path) => shorten(pathKey(path), 100));
  const more = paths.length > names.length ? ` and ${paths.length - names.length} more` : "";
  const message = `not committed: ${names.join(", ")}${more}; ${why}`;
  return warningFinding("TP_GIT_LEFT_OUT", message, { file: place.top, fix: "commit them yourself" });
}

import { readlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { addTo } from "../text/add-to.ts";
import { errorFinding, type Finding, warningFinding } from "../text/finding.ts";
import { nameSome } from "../text/shorten.ts";
import { listFiltered } from "./attributes.ts";
import type { GitOptions } from "./git-answer.ts";
import { type GitSettings, settingOf } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { listHidden } from "./sort-delivery.ts";
import { insideOf, isRuntime, isUnder, joinNul, keyInside, sortPaths } from "./stage.ts";
import { type StagedEntry, stageAsGit, stageEntries, writeBlobs } from "./stage-paths.ts";

export interface PathRequest {
  readonly repo: string;
  /** Code, as `pathKey` relative to the repo; stored byte by byte, since that is what was checked. */
  readonly paths: readonly string[];
  /** Absolute folders whose differences are stored as a person's git would, ignored files left out. */
  readonly folders: readonly string[];
  /** Paths in them, relative to each, of which everything is stored, whatever the repo's ignore files say. */
  readonly always?: readonly string[];
  /** What was proven: code of which git stores just that is taken, whatever is on disk. */
  readonly checked: { readonly proven?: ReadonlyMap<string, { readonly oid: string }> | null } | null;
}

type StageOptions = Required<Pick<GitOptions, "env" | "variables">> &
  Pick<GitOptions, "durable"> & { readonly settings: GitSettings };

/**
 * Stages paths in an index that contains the commit below it. Leaves out ignored paths but those of `always` and code in
 * the repository's index, paths in nested repositories, those that a sparse checkout hides, paths whose bytes git would
 * convert (a filter, line endings, `$Id$`, an encoding), what is not a regular file, and the runner's moving parts.
 * `findings`: errors for code that is left out; warnings for anything else, and for a file of secrets, which holds no
 * task up. Throws TP_GIT.
 */
export async function choosePaths(place: GitPlace, request: PathRequest, options: StageOptions) {
  const inside = insideOf(place, request.repo) ?? Buffer.alloc(0);
  const code = request.paths.map((path) => joinBytes(inside, pathBytes(path))).filter((path) => !isRuntime(path));
  const isCode = new Set(code.map((path) => path.toString("latin1")));
  const own = await listAlways(place, request, options);
  const isOwn = new Set(own.map((path) => path.toString("latin1")));
  const sorted = sortPaths(place, [...code, ...(await listFolders(place, request.folders, options)), ...own]);
  const left = new Map<string, Buffer[]>();
  const leave = (path: Buffer, why: string): void => addTo(left, why, path);
  for (const { path, why } of sorted.left) leave(path, why);
  // Of code counts what the repository's own index has, as for the fingerprint: an agent may force what git ignores into it.
  const { GIT_INDEX_FILE: _, ...ofRepo } = options.variables;
  const presentCode = sorted.present.filter((path) => isCode.has(path.toString("latin1")));
  const [ignored, untracked, filtered] = await Promise.all([
    listIgnored(place, presentCode, options),
    listIgnored(place, presentCode, { ...options, variables: ofRepo }),
    // A clone does not have the settings of a repository that set up git-lfs for itself alone.
    listFiltered(place, sorted.present, { ...options, also: "lfs" }),
  ]);
  // What a sparse checkout hides is not on disk, and nobody deleted it. Without one, a person marked the file as their own.
  const isSparse = /^(?:true|yes|on|1)$/i.test(settingOf(options.settings, "core.sparsecheckout") ?? "");
  const hidden = isSparse && sorted.gone.length > 0 ? await listHidden(place, options.env, /^[Ss] /) : new Set();
  const isHidden = (path: Buffer) => hidden.has(path.toString("latin1"));
  for (const path of sorted.gone.filter(isHidden)) leave(path, hiddenWhy);
  const deleted = sorted.gone.filter((path) => !isHidden(path));
  const gone = [...deleted, ...presentCode.filter((path) => untracked.has(path.toString("latin1")))];
  const present = sorted.present.filter((path) => {
    const id = path.toString("latin1");
    const isForced = isCode.has(id) && ignored.has(id) && !untracked.has(id);
    if (isForced && !isOwn.has(id) && looksSecret(path)) {
      leave(path, secretWhy);
      return false;
    }
    const isIgnored = untracked.has(id) && !isOwn.has(id);
    if (!isIgnored && filtered.has(id)) leave(path, filterWhy);
    return !isIgnored && !filtered.has(id);
  });
  const proven = (path: Buffer) => request.checked?.proven?.get(keyInside(inside, path));
  const raw = await writeBlobs(place, present, options);
  const asGit = await stageAsGit(place, present, { ...options, raw });
  const staged = raw.flatMap((entry) => {
    const id = entry.path.toString("latin1");
    const other = asGit.get(id);
    if (other === entry.oid) return [entry];
    const isTaken = !isCode.has(id) || proven(entry.path)?.oid === other;
    if (other !== undefined && isTaken) return [{ ...entry, oid: other }];
    leave(entry.path, bytesWhy);
    return [];
  });
  await stageEntries(place, staged, gone, options);
  const findings = [...left].flatMap(([why, paths]) => {
    const [ours, others] = [
      paths.filter((path) => isCode.has(path.toString("latin1"))),
      paths.filter((path) => !isCode.has(path.toString("latin1"))),
    ];
    return [
      ...(ours.length === 0 ? [] : [leftOut(place, ours, why, why === secretWhy ? "warning" : "error")]),
      ...(others.length === 0 ? [] : [leftOut(place, others, why, "warning")]),
    ];
  });
  return { staged, gone, findings: [...findings, ...linksOut(place, staged)] };
}

/** Such a link's target exists on this machine only. */
function linksOut(place: GitPlace, staged: readonly StagedEntry[]): Finding[] {
  const out = staged.filter(({ path, mode }) => {
    if (mode !== "120000") return false;
    const file = join(place.top, path.toString("latin1"));
    const target = readlinkSync(joinBytes(Buffer.from(place.top), path), { encoding: "latin1" });
    return relative(place.top, resolve(dirname(file), target)).split("/")[0] === "..";
  });
  if (out.length === 0) return [];
  const message = `committed links that point out of the repository: ${somePaths(out.map(({ path }) => pathKey(path)))}`;
  const fix = "they are broken in a clone: put the contents into the repository";
  return [warningFinding("TP_GIT_LINK_OUT", message, { file: place.top, fix })];
}

const filterWhy = "a filter program of git's settings, such as git-lfs, applies; the runner runs none";
const hiddenWhy = "a sparse checkout hides it, so it stays as it is in the commit below";
const secretWhy = "git ignores it, and it is named like a file of secrets";
const bytesWhy = "because of attributes or core.autocrlf, git would store bytes other than those that were checked";

async function listFolders(place: GitPlace, folders: readonly string[], options: StageOptions): Promise<Buffer[]> {
  const inside = folders.map((folder) => insideOf(place, folder)).filter((folder) => folder !== null);
  if (inside.length === 0) return [];
  const list = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--"];
  const names = inside.map((folder) => (folder.length === 0 ? "." : folder.toString("utf8")));
  return await listPaths(place, [...list, ...names], options);
}

/** Without folders, and without the runner's moving parts. */
async function listPaths(place: GitPlace, args: readonly string[], options: StageOptions): Promise<Buffer[]> {
  const listed = splitNul((await runGit(place, args, options)).stdout);
  return listed.filter((path) => path.at(-1) !== 0x2f && !isRuntime(path));
}

/** What git ignores of `always`, such as logs where a repo ignores all logs; never what looks like a file of secrets. */
async function listAlways(
  place: GitPlace,
  { folders, always = [] }: PathRequest,
  options: StageOptions,
): Promise<Buffer[]> {
  const inside = folders.flatMap((folder) => insideOf(place, folder) ?? []);
  const names = inside.flatMap((folder) => always.map((path) => join(folder.toString("utf8"), path)));
  if (names.length === 0) return [];
  const list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"];
  const listed = await listPaths(place, [...list, ...names], options);
  if (listed.length === 0) return [];
  // A person who keeps the whole folder out of git means it.
  const ignored = await listIgnored(place, inside, options);
  const whole = inside.filter((folder) => ignored.has(folder.toString("latin1")));
  return listed.filter((path) => !looksSecret(path) && !whole.some((folder) => isUnder(path, folder)));
}

export function looksSecret(path: Buffer): boolean {
  return /(?:^|\/)\.env(?:\.|$)/.test(path.toString("latin1"));
}

/** A tracked path is never ignored. */
async function listIgnored(place: GitPlace, paths: readonly Buffer[], options: StageOptions): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  // check-ignore reads its input as patterns and has no literal ones: escape a leading colon.
  const { GIT_LITERAL_PATHSPECS: _, ...variables } = options.variables;
  const here = Buffer.from("./");
  const input = joinNul(paths.map((path) => Buffer.concat([here, path])));
  const call = { env: options.env, variables, input, accept: [0, 1] };
  const { stdout } = await runGit(place, ["check-ignore", "-z", "--stdin"], call);
  return new Set(splitNul(stdout).map((path) => path.subarray(here.length).toString("latin1")));
}

function leftOut(place: GitPlace, paths: readonly Buffer[], why: string, severity: "error" | "warning"): Finding {
  const message = `not committed: ${somePaths(paths.map(pathKey))}: ${why}`;
  const make = severity === "error" ? errorFinding : warningFinding;
  const fix =
    why === secretWhy
      ? "if it is no secret, commit it yourself; else take it out of the index: git rm --cached PATH"
      : why === hiddenWhy
        ? "the pass ran without it; git sparse-checkout add, with its folder, brings it back"
        : "commit it yourself, if it belongs there";
  return make("TP_GIT_LEFT_OUT", message, { file: place.top, fix });
}

export function somePaths(paths: readonly string[]): string {
  return nameSome(paths, 5, 100);
}

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { storing } from "../store/error-code.ts";
import { makeFolder, removeAll } from "../store/folder.ts";
import { pathBytes } from "../store/path-key.ts";
import { hasCode } from "../text/errors.ts";
import { joinLines } from "./git-answer.ts";
import type { TreeEntry } from "./list-tree.ts";
import { besideObjects, blobName } from "./objects.ts";
import { findGitPlace, type GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { stageEntries } from "./stage-paths.ts";

/** A repository of the runner's own, which has one commit: the work as at pass 1. No path of it leads to the repo. */
export interface HistoryBelow {
  readonly objects: string;
  readonly commit: string;
  /** The newest tag below the work, since programs ask git for their version; null without one. */
  readonly tag: { readonly name: string; readonly oid: string } | null;
  /** The submodules of every copy. */
  readonly submodules: Blobs;
  /** Whether the repo has the work committed, so that each copy has its files in a commit too; missing: it is staged. */
  readonly isCommitted?: boolean;
}

/** What git calls the files of one version, by path; submodules too. */
export type Blobs = ReadonlyMap<string, TreeEntry>;

/** Where `findDelivered` puts new objects of the same history. */
export function newObjects(folder: string): string {
  return join(folder, "objects");
}

/** Equal in all copies, so that their logs show one commit. */
const author = {
  ...{ GIT_AUTHOR_NAME: "task-phase", GIT_AUTHOR_EMAIL: "task-phase@localhost", GIT_AUTHOR_DATE: "@1 +0000" },
  ...{ GIT_COMMITTER_NAME: "task-phase", GIT_COMMITTER_EMAIL: "task-phase@localhost", GIT_COMMITTER_DATE: "@1 +0000" },
};

/**
 * Packs the objects of both versions, and commits the earlier one. Null if git does not have them all, as in a partial
 * clone: then a copy is no repository. Throws TP_DISK.
 */
export async function makeHistory(
  place: GitPlace,
  folder: string,
  versions: { readonly start: string; readonly before: Blobs; readonly now: Blobs; readonly submodules: Blobs },
  env: NodeJS.ProcessEnv,
): Promise<HistoryBelow | null> {
  const { start, before, now, submodules } = versions;
  const objects = newObjects(folder);
  const variables = { ...besideObjects(place, objects), GIT_INDEX_FILE: join(folder, "index"), ...author };
  const options = { env, variables };
  try {
    makeFolder(join(objects, "pack"), 0o700);
    removeAll(join(folder, "index"));
    await stageEntries(place, staged(before), [], options);
    const tree = text(await runGit(place, ["write-tree", "--missing-ok"], options));
    const commit = text(await runGit(place, ["commit-tree", "-m", "The code as at pass 1", tree], options));
    const blobs = [...now.values()].filter(({ mode }) => mode !== "160000").map(({ oid }) => oid);
    // By the commit, since git writes no tree that the repo has already.
    const input = joinLines([commit, ...new Set(blobs)]);
    const pack = ["pack-objects", "-q", "--revs", "--window=0", join(objects, "pack", "pack")];
    await runGit(place, pack, { ...options, input, extra: ["pack.compression=1"] });
    const tags = await runGit(place, ["describe", "--tags", "--abbrev=0", start], { env, accept: [0, 128] });
    const name = tags.stdout.toString("utf8").trim();
    if (name === "") return { objects, commit, tag: null, submodules };
    const tagger = "tagger task-phase <task-phase@localhost> 1 +0000";
    const made = Buffer.from(`object ${commit}\ntype commit\ntag ${name}\n${tagger}\n\n${name}\n`);
    // To a plain `git describe` only a tag with a message is one.
    const oid = text(await runGit(place, ["mktag"], { ...options, input: made }));
    return { objects, commit, tag: { name, oid }, submodules };
  } catch (error) {
    if (hasCode(error, "TP_GIT")) return null;
    throw error;
  }
}

/** Makes a copy a repository: the commit below it, and everything that it holds staged. Throws TP_DISK. */
export function placeHistory(
  copy: string,
  { objects, commit, tag }: Pick<HistoryBelow, "objects" | "commit" | "tag">,
  blobs: Blobs,
  texts: ReadonlyMap<string, string>,
): void {
  const gitDir = join(copy, ".git");
  const write = (name: string, content: string | Buffer): void =>
    writeFileSync(join(gitDir, name), content, { mode: 0o600 });
  const changed = [...texts].map(([path, content]): [string, TreeEntry] => [
    path,
    { mode: blobs.get(path)?.mode ?? "100644", oid: blobName(Buffer.from(content), commit.length) },
  ]);
  storing("make the history in", gitDir, () => {
    removeAll(gitDir);
    for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
      mkdirSync(join(gitDir, name), { recursive: true, mode: 0o700 });
    write("HEAD", "ref: refs/heads/main\n");
    write("refs/heads/main", `${commit}\n`);
    if (tag !== null) write("packed-refs", `${tag.oid} refs/tags/${tag.name}\n`);
    write("objects/info/alternates", `${objects}\n`);
    const format = commit.length === 40 ? "" : "[extensions]\n\tobjectFormat = sha256\n";
    write("config", `[core]\n\trepositoryFormatVersion = ${format === "" ? 0 : 1}\n\tbare = false\n${format}`);
    for (const [path, { oid }] of changed) {
      mkdirSync(join(gitDir, "objects", oid.slice(0, 2)), { recursive: true, mode: 0o700 });
      const content = Buffer.from(texts.get(path) ?? "");
      const object = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
      write(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`, deflateSync(object));
    }
    write("index", indexBytes(staged(new Map([...blobs, ...changed]))));
  });
}

/** Commits what `placeHistory` staged, on a branch above `main`. Throws TP_GIT and TP_DISK. */
export async function commitCopy(copy: string, parent: string, env: NodeJS.ProcessEnv): Promise<void> {
  const place = findGitPlace(copy);
  if (place === null) return;
  const options = { env, variables: author };
  const tree = text(await runGit(place, ["write-tree", "--missing-ok"], options));
  const commit = text(await runGit(place, ["commit-tree", "-p", parent, "-m", "The change", tree], options));
  storing("make the history in", place.gitDir, () => {
    writeFileSync(join(place.gitDir, "refs/heads/change"), `${commit}\n`, { mode: 0o600 });
    writeFileSync(join(place.gitDir, "HEAD"), "ref: refs/heads/change\n", { mode: 0o600 });
  });
}

/** Ten numbers of four bytes: times, device, inode, mode, owner, size. */
const statBytes = 40;
const modeAt = 24;

/**
 * The bytes of an index (version 2, see gitformat-index) that names these blobs, by path as bytes, and knows nothing of
 * the files on disk, so that git looks at each when it is asked. Written here, since a process for each copy would cost
 * more than all the rest of it.
 */
function indexBytes(blobs: readonly (TreeEntry & { readonly path: Buffer })[]): Buffer {
  const sorted = blobs.toSorted((one, other) => Buffer.compare(one.path, other.path));
  const head = Buffer.alloc(12);
  head.write("DIRC", "latin1");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(sorted.length, 8);
  const entries = sorted.map(({ path, mode, oid }) => {
    const name = Buffer.from(oid, "hex");
    const length = statBytes + name.length + 2 + path.length;
    // One to eight zeros end an entry, so that the next one begins at a multiple of eight.
    const entry = Buffer.alloc(length + 8 - (length % 8));
    entry.writeUInt32BE(Number.parseInt(mode, 8), modeAt);
    name.copy(entry, statBytes);
    entry.writeUInt16BE(Math.min(path.length, 0xfff), statBytes + name.length);
    path.copy(entry, statBytes + name.length + 2);
    return entry;
  });
  const body = Buffer.concat([head, ...entries]);
  const hash = createHash(sorted[0]?.oid.length === 64 ? "sha256" : "sha1");
  return Buffer.concat([body, hash.update(body).digest()]);
}

function staged(blobs: Blobs) {
  return [...blobs].map(([path, blob]) => ({ path: pathBytes(path), ...blob }));
}

function text({ stdout }: { readonly stdout: Buffer }): string {
  return stdout.toString("latin1").trim();
}

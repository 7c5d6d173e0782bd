import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, statEntry } from "../store/folder.ts";
import { hashFile } from "../store/hash-file.ts";
import { joinBytes } from "../store/path-key.ts";
import { sha256 } from "../text/sha256.ts";
import type { TreeEntry } from "./list-tree.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";
import { joinNul } from "./stage.ts";
import { stageEntries } from "./stage-paths.ts";

/** The settings of a colleague's git: what `core.autocrlf` of this machine does to a file stays on this machine. */
const plainLines = ["core.autocrlf=false", "core.eol=lf", "core.symlinks=true"];

export interface CheckedOut {
  /** The file or link that git wrote. */
  readonly file: Buffer;
  readonly isLink: boolean;
  readonly digest: string;
}

/**
 * What a clone would have of these blobs, by path as latin1: with line endings, `$Id$` and encodings as the attributes
 * say, and no filter program run. Written into `folder`, which is the caller's to remove. A blob that is missing has no
 * entry. Throws TP_GIT and TP_DISK.
 */
export async function checkOut(
  place: GitPlace,
  blobs: ReadonlyMap<string, TreeEntry>,
  folder: string,
  { env, variables }: { readonly env: NodeJS.ProcessEnv; readonly variables: Readonly<Record<string, string>> },
): Promise<ReadonlyMap<string, CheckedOut>> {
  if (blobs.size === 0) return new Map();
  makeFolder(folder, 0o700);
  const out = join(folder, "out");
  const call = { env, variables: { ...variables, GIT_INDEX_FILE: join(folder, "index") }, extra: plainLines };
  const entries = [...blobs].map(([path, blob]) => ({ path: Buffer.from(path, "latin1"), ...blob }));
  await stageEntries(place, entries, [], call);
  const input = joinNul(entries.map(({ path }) => path));
  const words = ["checkout-index", "-f", "-q", "-z", "--stdin", `--prefix=${out}/`];
  await runGit(place, words, { ...call, input, accept: [0, 1, 128] });
  return new Map(
    entries.flatMap(({ path }): [string, CheckedOut][] => {
      const file = joinBytes(Buffer.from(out), path);
      const isLink = statEntry(file)?.isSymbolicLink() === true;
      const read = isLink ? null : hashFile(file);
      if (read !== null && read.kind !== "file") return [];
      const digest = read === null ? sha256(readlinkSync(file, { encoding: "buffer" })) : read.sha256;
      return [[path.toString("latin1"), { file, isLink, digest }]];
    }),
  );
}

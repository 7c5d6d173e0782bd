import { joinBytes, pathBytes, pathKey } from "../store/path-key.ts";
import { readRegularFile } from "../store/read-file.ts";
import { listFiltered } from "./attributes.ts";
import { looksSecret } from "./choose-paths.ts";
import { nameFile, nameLink } from "./delivered-blobs.ts";
import { listTree, type TreeEntry } from "./list-tree.ts";
import { listDiffering } from "./log.ts";
import { blobName } from "./objects.ts";
import type { GitPlace } from "./place.ts";
import { findCommit } from "./revision.ts";
import { codeFilter, distinct, insideOf, isUnder, keyInside } from "./stage.ts";
import type { ProvenCode } from "./unproven.ts";

export interface CheckedCode {
  /** Path, relative to the repo, to `type mode digest`. */
  readonly entries: ReadonlyMap<string, string>;
  readonly leaveOut: readonly string[];
  readonly since: string | null;
  /** All code that passes of the task changed, as `pathKey` relative to the repo. */
  readonly changed: readonly string[];
  /** Uncommitted work of passes that were not accepted. */
  readonly left: readonly string[];
  /** What was proven, as `ProvenCode` has it; null or missing: only the checks ran. */
  readonly proven?: ProvenCode["tree"] | null;
}

/**
 * The code, named from the top, that a commit stores differently from what was checked: of all that differs since the
 * task began, an agent's own commits included, and of all that its passes changed. Objects, disk and fingerprint must
 * agree, apart from line endings that git converts. Throws TP_GIT.
 */
export async function findUnchecked(
  place: GitPlace,
  repo: string,
  commit: string,
  checked: CheckedCode,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const inside = insideOf(place, repo) ?? Buffer.alloc(0);
  const isCode = codeFilter(place, checked.leaveOut);
  const differing = await listDifferingFrom(place, checked.since, commit, env);
  const isDiffering = new Set(differing.map((path) => path.toString("latin1")));
  const fromTop = (path: string): Buffer => joinBytes(inside, pathBytes(path));
  const left = new Set(checked.left.map((path) => fromTop(path).toString("latin1")));
  const paths = distinct([...differing, ...checked.changed.map(fromTop)]).filter(
    (path) => isUnder(path, inside) && isCode(path) && !left.has(path.toString("latin1")),
  );
  const [entries, filtered] = await Promise.all([listTree(place, commit, env), listFiltered(place, paths, { env })]);
  return paths
    .filter((path) => {
      const id = path.toString("latin1");
      // The result of a filter is not known; a commit since then is.
      if (filtered.has(id)) return !isDiffering.has(id);
      // Left out, and said so: it holds no task up.
      if (!entries.has(id) && looksSecret(path)) return false;
      const recorded = checked.entries.get(keyInside(inside, path));
      return !isAsChecked(joinBytes(Buffer.from(place.top), path), entries.get(id) ?? null, recorded);
    })
    .map(pathKey);
}

/** Compares with the previous commit if `since` is unknown or gone. */
async function listDifferingFrom(
  place: GitPlace,
  since: string | null,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<Buffer[]> {
  const known = since === null ? null : await findCommit(place, since, env);
  return await listDiffering(place, known === null ? ["--no-commit-id", "--root", commit] : [known, commit], env);
}

function isAsChecked(file: Buffer, entry: TreeEntry | null, recorded: string | undefined): boolean {
  if (entry === null || recorded === undefined) return entry === null && recorded === undefined;
  // Submodules are separate repositories; they are reported where they are excluded.
  if (entry.mode === "160000") return true;
  const [type, , digest] = recorded.split(" ");
  if (entry.mode === "120000") return type === "link" && nameLink(file, digest ?? "", entry.oid.length) === entry.oid;
  return type === "file" && isFile(file, entry.oid, digest ?? "");
}

/** Also as git stores it without carriage returns. */
function isFile(file: Buffer, oid: string, digest: string): boolean {
  const name = nameFile(file, digest, oid.length);
  if (name === null || name === oid) return name === oid;
  const turned = withoutReturns(file);
  return turned !== null && blobName(turned, oid.length) === oid;
}

/** Larger files are hardly texts with line endings to convert. */
const largestText = 8 * 1024 * 1024;

/** A file as git stores it if it converts line endings; null if it is none, or too large. */
export function withoutReturns(file: Buffer): Buffer | null {
  const read = readRegularFile(file, largestText);
  return read.kind === "file" ? Buffer.from(read.bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1") : null;
}

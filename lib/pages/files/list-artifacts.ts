import { isUtf8 } from "node:buffer";
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { encodeSegment } from "../../documents/templates/relative-href.ts";
import { showHidden } from "../../documents/templates/visible.ts";
import { runnerArtifacts } from "../../rules/guarded-files.ts";
import { createStatCache } from "../../store/cache-file.ts";
import { lookOr } from "../../store/error-code.ts";
import { hashFile } from "../../store/hash-file.ts";
import { joinBytes } from "../../store/path-key.ts";

/** One regular file under artifacts/. */
export interface ArtifactRow {
  /** Relative to the task folder, with `/`; hidden characters and bytes that are no UTF-8 are spelled out. */
  readonly path: string;
  /** The path as an address relative to the task folder, percent-encoded from the bytes of the name. */
  readonly href: string;
  readonly size: number;
  readonly sha256: string;
  readonly kind: "agent" | "runner";
}

type Digest = Pick<ArtifactRow, "size" | "sha256">;

/** Rewritten with every verdict, so a digest of them would be wrong at once. They are never listed. */
const living = new Set(runnerArtifacts.map((name) => `artifacts/${name}`));

/** Leftovers of a runner that was killed while writing one of them. */
const debris = /^artifacts\/\.tp-[0-9a-f]{16}\.tmp$/;

/** True for a path, relative to the task folder, that a task-phase command writes. */
export function runnerArtifact(path: string): boolean {
  return living.has(path) || debris.test(path) || path === "artifacts/passes" || path.startsWith("artifacts/passes/");
}

/**
 * The digests of all regular files in an absolute folder, by their path in it, if they are known and nothing in the
 * folder is another; else null.
 */
export type KnownFiles = (folder: string) => ReadonlyMap<string, Digest> | null;

/**
 * The regular files under artifacts/, sorted by path, each with its size and digest. Links, FIFOs and sockets are never
 * followed or opened, and are left out, as is a file that vanishes or cannot be read meanwhile. A file that this process
 * has read is not read again as long as its stats are the same. `agent` leaves out what the runner wrote, and does not
 * read it; `known` is asked for the folder of each pass.
 */
export function listArtifacts(
  taskDir: string,
  which: "agent" | "all" = "all",
  known: KnownFiles = () => null,
): ArtifactRow[] {
  const rows: ArtifactRow[] = [];
  walk({ at: join(taskDir, "artifacts"), path: "artifacts", href: "artifacts" }, { which, known, rows });
  return rows.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Place {
  /** Absolute; as bytes if they are no UTF-8. */
  readonly at: string | Buffer;
  readonly path: string;
  readonly href: string;
}

interface Walk {
  readonly which: "agent" | "all";
  readonly known: KnownFiles;
  readonly rows: ArtifactRow[];
}

function walk(folder: Place, all: Walk): void {
  for (const entry of readFolder(folder.at)) {
    const place = placeIn(folder, entry.name);
    const kind = runnerArtifact(place.path) ? "runner" : "agent";
    if (living.has(place.path) || debris.test(place.path) || (kind === "runner" && all.which === "agent")) continue;
    if (entry.isDirectory() && !takeKnown(place, all)) walk(place, all);
    if (!entry.isFile()) continue;
    const digest = digestOf(place.at);
    if (digest !== null) all.rows.push({ path: place.path, href: place.href, ...digest, kind });
  }
}

const passFolder = /^artifacts\/passes\/[^/]+$/;

/** False if the folder has to be read. */
function takeKnown(folder: Place, { known, rows }: Walk): boolean {
  const files = passFolder.test(folder.path) && typeof folder.at === "string" ? known(folder.at) : null;
  for (const [name, digest] of files ?? []) {
    const place = name.split("/").reduce((at, part) => placeIn(at, Buffer.from(part)), folder);
    rows.push({ path: place.path, href: place.href, ...digest, kind: "runner" });
  }
  return files !== null;
}

/** Such a name is the same in a text and in an address. */
const plainName = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

function placeIn({ at, path, href }: Place, name: Buffer): Place {
  const text = name.toString("latin1");
  if (plainName.test(text) && typeof at === "string")
    return { at: `${at}/${text}`, path: `${path}/${text}`, href: `${href}/${text}` };
  const inner = joinBytes(Buffer.from(at), name);
  return {
    at: isUtf8(inner) ? inner.toString("utf8") : inner,
    path: `${path}/${renderName(name)}`,
    href: `${href}/${encodeSegment(name)}`,
  };
}

function readFolder(folder: string | Buffer): Dirent<Buffer>[] {
  return lookOr(() => {
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  }, []);
}

// A pass lists the agent's files before its model, after it, and for the evidence.
const digestsSeen = createStatCache<Digest | null>();

function digestOf(path: string | Buffer): Digest | null {
  return typeof path === "string" ? digestsSeen(path, () => readDigest(path)) : readDigest(path);
}

/** Reads in pieces, since an artifact may be larger than memory. */
function readDigest(path: string | Buffer): Digest | null {
  const read = hashFile(path);
  return read.kind === "file" ? { size: read.size, sha256: read.sha256 } : null;
}

function renderName(name: Buffer): string {
  if (isUtf8(name))
    return showHidden(name.toString("utf8")).replace(/[\n\t]/g, (character) =>
      character === "\n" ? "\\x0a" : "\\x09",
    );
  return showHidden(name.toString("latin1")).replace(
    /[\u00a0-\u00ff]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16)}`,
  );
}

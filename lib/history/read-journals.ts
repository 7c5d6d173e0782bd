import { isFile } from "../git/list-tree.ts";
import { blobName, type GitObjects } from "../git/objects.ts";
import { type Chain, isPrefix, type JournalVersion, type ParseJournal, readChain, versionOf } from "./journal-chain.ts";
import type { WalkedTask } from "./walk-tasks.ts";

export interface BlobSource {
  readonly read: GitObjects["read"];
  /** Bytes by name; missing blobs have no entry. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly parseJournal: ParseJournal;
}

export interface TaskJournals {
  readonly versions: ReadonlyMap<string, JournalVersion | string>;
  /** Commits with a readable journal, by order. */
  readonly held: readonly { readonly order: number; readonly version: JournalVersion }[];
}

const maxJournalBytes = 64 * 1024 * 1024;
/** Limit for the journals of a task that do not continue each other. */
const maxKeptBytes = 256 * 1024 * 1024;
/** Longer journals tried as continuations of a shorter one. */
const maxTried = 8;

/**
 * Every journal that a task ever had, newest first. An older one that begins a newer one, which its blob name proves,
 * is not read: a journal of several megabytes is read and parsed once.
 */
export async function readJournals(task: WalkedTask, source: BlobSource, path: string): Promise<TaskJournals> {
  const versions = new Map<string, JournalVersion | string>();
  const chains: Chain[] = [];
  let kept = 0;
  const entries = task.steps.flatMap(({ now, before }) => [...before.map((at) => at.journal), now.journal]);
  for (const entry of entries.reverse()) {
    if (entry === null || !isFile(entry) || versions.has(entry.oid)) continue;
    const size = source.sizes.get(entry.oid);
    const known = size === undefined ? null : findBeginning(chains, size, entry.oid);
    if (known !== null) {
      versions.set(entry.oid, known);
      continue;
    }
    const read = await source.read(entry.oid, Math.min(maxJournalBytes, maxKeptBytes - kept));
    if (read.kind !== "blob") {
      const why = read.kind === "missing" ? "it is not in this repository" : `it is too large (${read.size} bytes)`;
      versions.set(entry.oid, why);
      continue;
    }
    kept += read.bytes.length;
    const chain = readChain(read.bytes, path, source.parseJournal);
    chains.push(chain);
    versions.set(entry.oid, versionOf(chain, read.bytes.length));
  }
  const held = task.steps.flatMap(({ order, now }) => {
    const version = versions.get(now.journal?.oid ?? "");
    return version === undefined || typeof version === "string" ? [] : [{ order, version }];
  });
  return { versions, held };
}

function findBeginning(chains: readonly Chain[], size: number, oid: string): JournalVersion | null {
  for (const chain of chains.slice(-maxTried).reverse()) {
    const { bytes } = chain;
    if (bytes.length >= size && blobName(bytes.subarray(0, size), oid.length) === oid) return versionOf(chain, size);
  }
  return null;
}

/** Journals of commits after `order` that continue this one; all of them if there is none yet. */
export function continuations(
  { held }: TaskJournals,
  version: JournalVersion | null,
  order: number,
): ReadonlyMap<Chain, number> {
  const found = new Map<Chain, number>();
  const strangers = new Set<Chain>();
  for (const { order: at, version: one } of held) {
    const { chain } = one;
    if (at <= order || strangers.has(chain) || one.count <= (found.get(chain) ?? version?.count ?? 0)) continue;
    if (version !== null && !isPrefix(version, versionOf(chain, chain.bytes.length))) strangers.add(chain);
    else found.set(chain, one.count);
  }
  return found;
}

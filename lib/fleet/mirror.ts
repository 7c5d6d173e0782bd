import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readSettings } from "../git/git-settings.ts";
import { fetchCall, type Network, withNetwork } from "../git/network.ts";
import { bareAt, type GitPlace } from "../git/place.ts";
import { type RemoteHead, readRemoteHead, renderEnd } from "../git/swap-ref.ts";
import { type FileLock, tryLock } from "../store/lock.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile, readText } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import type { ClaimPlace } from "./claim-place.ts";

export interface Mirror {
  readonly place: GitPlace;
  /** The commit of a full ref name; null: there is no such branch. */
  commitOf(ref: string): string | null;
  /** Whether the remote has no branch at all, as one without commits. */
  readonly isEmpty: boolean;
  /** The default branch of the remote, a full ref name; null: it names none that is there. HEAD of the mirror says it too. */
  readonly head: string | null;
}

export interface MirrorRequest extends Pick<ClaimPlace, "mirror" | "mirrorLock" | "scratch"> {
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** What is fetched beside the branches, such as `refs/task-phase/code/T-1/*`; missing: nothing. */
  readonly refs?: readonly string[];
  /** As that of `RefSwap`. */
  readonly wait: (ms: number) => Promise<boolean>;
}

const firstWaitMs = 200;
const lockWaitMs = 50;
/** The first one brings the whole history. */
const longestFetchMs = 1_800_000;

/**
 * Fetches all branches of the remote, and what `refs` names, into the mirror. A missing mirror is made under a
 * temporary name and renamed once it is whole, so that no other process sees half of one. Nothing is ever removed from
 * it: the working trees borrow its objects. A string says why the remote could not be read.
 */
export async function fetchMirror(request: MirrorRequest): Promise<Mirror | string> {
  openPrivateFolder(dirname(request.mirror));
  openPrivateFolder(request.scratch);
  const lock = await waitForLock(request);
  if (lock === null) return "another run kept fetching it";
  try {
    clearHalves(request.mirror);
    if (existsSync(join(request.mirror, "HEAD"))) {
      const why = await fetchInto(request, request.mirror);
      return why ?? openMirror(request.mirror);
    }
    const half = mkdtempSync(`${request.mirror}.new-`);
    makeBare(half);
    const why = await fetchInto(request, half);
    if (why !== null) rmSync(half, { recursive: true, force: true });
    else renameSync(half, request.mirror);
    return why ?? openMirror(request.mirror);
  } finally {
    lock.release();
  }
}

async function waitForLock({ mirrorLock, wait }: MirrorRequest): Promise<FileLock | null> {
  for (;;) {
    const lock = tryLock(mirrorLock);
    if (lock !== null) return lock;
    if (!(await wait(lockWaitMs))) return null;
  }
}

/** What a run that was cut off had begun; the lock is held. */
function clearHalves(mirror: string): void {
  const folder = dirname(mirror);
  for (const name of readdirSync(folder).filter((each) => each.startsWith(`${basename(mirror)}.new-`)))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Git's own maintenance is off: it does not know which clones borrow the objects. */
function makeBare(folder: string): void {
  for (const name of ["objects", join("refs", "heads")]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "HEAD"), headText(null));
  writeFileSync(join(folder, "config"), "[core]\n\tbare = true\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n");
}

/** A branch that is not there, as in a repository without commits, says that there is no default branch. */
function headText(ref: string | null): string {
  return `ref: ${ref ?? "refs/heads/none"}\n`;
}

/** The refs are one file, and HEAD another; each is replaced whole. A string says why the remote could not be read. */
async function fetchInto(request: MirrorRequest, folder: string): Promise<string | null> {
  const { url, refs = [], wait } = request;
  const place = bareAt(folder);
  const settings = await readSettings(place, request.env);
  return await withNetwork({ ...request, place, settings }, async (network) => {
    const known = readRegularFile(join(folder, "packed-refs"), mostRefBytes);
    if (known.kind === "file") writeFileSync(join(network.gitDir, "packed-refs"), known.bytes);
    const fetched = await fetchBranches(network, url, ["refs/heads/*", ...refs], wait);
    if (fetched.kind === "unknown") return fetched.why;
    const packed = readRegularFile(join(network.gitDir, "packed-refs"), mostRefBytes);
    putFile(join(folder, "packed-refs"), packed.kind === "file" ? packed.bytes : "");
    putFile(join(folder, "HEAD"), headText(fetched.ref));
    return null;
  });
}

/** Some hundred thousand branches. */
const mostRefBytes = 64 * 1024 * 1024;

async function fetchBranches(
  network: Network,
  url: string,
  refs: readonly string[],
  wait: (ms: number) => Promise<boolean>,
): Promise<RemoteHead> {
  const refspecs = refs.map((each) => `+${each}:${each}`);
  const args = fetchCall(url, refspecs, ["--prune"]);
  for (let pause = firstWaitMs; ; pause *= 2) {
    const head = await fetchOnce(network, url, args);
    if (head.kind === "head") return head;
    if (!(await wait(pause))) return head;
  }
}

async function fetchOnce(network: Network, url: string, args: readonly string[]): Promise<RemoteHead> {
  for (const [words, limitMs] of [[args, longestFetchMs], [packCall]] as const) {
    const end = await network.call(words, limitMs);
    if (end.exitCode !== 0) return { kind: "unknown", why: renderEnd(end) };
  }
  return await readRemoteHead(network, url);
}

const packCall = ["pack-refs", "--all", "--prune"];

function openMirror(folder: string): Mirror {
  const commits = readRefs(folder);
  const head = (readText(join(folder, "HEAD"), mostRefBytes) ?? "").slice("ref: ".length).trim();
  return {
    head: commits.has(head) ? head : null,
    place: bareAt(folder),
    isEmpty: ![...commits.keys()].some((ref) => ref.startsWith("refs/heads/")),
    commitOf: (ref) => commits.get(ref) ?? null,
  };
}

function readRefs(folder: string): Map<string, string> {
  const lines = (readText(join(folder, "packed-refs"), mostRefBytes) ?? "").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, commit, ref] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? [];
      return commit === undefined || ref === undefined ? [] : [[ref, commit] as const];
    }),
  );
}

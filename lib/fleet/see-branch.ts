import { rmSync } from "node:fs";
import { dirname, relative } from "node:path";
import * as v from "valibot";
import { pushCall, withNetwork } from "../git/network.ts";
import { readBlob } from "../git/objects.ts";
import type { GitPlace } from "../git/place.ts";
import { showUrl } from "../git/push-target.ts";
import { type Taken, writeTaken } from "../queue/views/taken-words.ts";
import type { PassRunner } from "../rules/events.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonOr } from "../store/read-file.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { readTaskJournal } from "../task/records/task-journal.ts";
import { placeOf, type TaskPlace } from "../task/records/task-place.ts";
import { dataError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { sha256 } from "../text/sha256.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { ClaimContext, WaitUntil } from "./claim-context.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { ClaimPlace } from "./claim-place.ts";
import type { CodeFence } from "./code-fence.ts";
import type { OpenBranch } from "./open-branch.ts";

/**
 * Compares the branch that was fetched with the furthest that this machine knows of, and remembers it if it continues
 * that. A refused one changes nothing, so that the next call refuses it too; only `--takeover` accepts what is there.
 * Throws a data error (TP_JOURNAL_REWOUND).
 */
export async function seeFetched(
  context: ClaimContext,
  { clone, ref, tip }: Pick<OpenBranch, "clone" | "ref" | "tip">,
  { journal }: Pick<TaskPlace, "journal">,
): Promise<void> {
  const { request, place, ports } = context;
  const shown = relative(clone.git.top, journal);
  const seen = readSeen(place.seen);
  // After a change of fleet.ref it is about another branch, and says nothing of this one. A person who deletes a branch of
  // their own repository means that.
  const known = seen?.ref === ref && (tip !== null || request.local === null) ? seen : null;
  if (known !== null && !request.takeover) refuseRewound({ journal, shown }, known, restoreFix(context, known, tip));
  if (tip === null) {
    if (request.takeover || request.local !== null) rmSync(place.seen, { force: true });
    return;
  }
  if (tip === known?.commit) return;
  const mark = await markJournal(clone.git, tip, shown, ports.env);
  writeSeen(place.seen, { version: 1, ref, commit: tip, journal: mark, attempt: seen?.attempt ?? null });
}

/** Can be typed as it is: the commit may be nowhere but in the mirror. It takes away nothing that was pushed since. */
function restoreFix({ request, place }: ClaimContext, { ref, commit }: SeenBranch, tip: string | null): string {
  const branch = quoteWord(branchName(ref));
  if (request.local !== null)
    return `git branch -f ${branch} ${commit} puts it back; git branch -D ${branch} has the task begin anew from your working tree`;
  const lease = `--force-with-lease=${ref}:${tip ?? ""}`;
  const words = ["git", `--git-dir=${place.mirror}`, "push", lease, showUrl(request.url), `${commit}:${ref}`];
  return `${words.map(quoteWord).join(" ")} puts it back; if the change was intended, use --takeover to continue from what is there`;
}

/**
 * Records a commit that was just pushed: it may be gone before any other machine has fetched it. `taken`: what it has of a
 * person's words; null: nothing new.
 */
export async function seePushed(
  { clone, place, ref, env, local }: FenceRequest,
  note: ClaimNote,
  commit: string,
  taken: Taken | null,
): Promise<MarkedCommit> {
  const { git, settings } = clone;
  const kept = seenRef(note.task);
  // Its objects end with the clone. If the mirror does not take them, only the command that restores them will fail. One's
  // own repository has moved this ref with the branch.
  if (local === null)
    await withNetwork(
      { place: git, settings, scratch: place.scratch, env, signal: null, url: place.mirror },
      (network) => network.call(pushCall(place.mirror, `+${commit}`, kept)),
    );
  // Before the note of the branch: a kill in between has the same edits taken again, which changes nothing.
  if (taken !== null) writeTaken(place.taken, taken);
  const journal = await markJournal(git, commit, relative(git.top, placeOf(note.task_dir).journal), env);
  writeSeen(place.seen, { version: 1, ref, commit, journal, attempt: note.attempt });
  return { commit, journal };
}

/** Keeps the furthest commit of a task, where its branch may be deleted or forced back. */
export function seenRef(task: string): string {
  return `refs/task-phase/seen/${task}`;
}

/** A journal by its beginning: enough to know whether another one continues it, without any object of git. */
const markShape = v.object({ events: v.number(), bytes: v.number(), sha256: v.string() });

/**
 * The furthest that this machine knows a task's branch to have been. It is not in the mirror, whose refs follow whatever
 * the remote says, nor in the note, which ends with its pass.
 */
const seenShape = v.object({
  version: v.literal(1),
  /** A full name. */
  ref: v.string(),
  commit: v.string(),
  journal: markShape,
  /** The last attempt of this machine whose claim was pushed; null: there was none. */
  attempt: v.nullable(v.string()),
});
type SeenBranch = v.InferOutput<typeof seenShape>;
export type MarkedCommit = Pick<SeenBranch, "commit" | "journal">;

/** Null if there is none, or none that a run wrote. */
export function readSeen(file: string): SeenBranch | null {
  return readJsonOr(file, seenShape, 64 * 1024, null);
}

/** Durably. Throws TP_DISK. */
function writeSeen(file: string, seen: SeenBranch): void {
  openPrivateFolder(dirname(file));
  putFile(file, `${JSON.stringify(seen)}\n`, { mode: 0o600 });
}

const newline = 0x0a;

/** The journal at `path` of a commit; that of a commit without one is empty. */
export async function markJournal(
  git: GitPlace,
  commit: string,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<v.InferOutput<typeof markShape>> {
  const bytes = (await readBlob(git, `${commit}:${path}`, env)) ?? Buffer.alloc(0);
  return { events: bytes.filter((byte) => byte === newline).length, bytes: bytes.length, sha256: sha256(bytes) };
}

/**
 * A journal only grows. Throws a data error if the one at `journal` does not continue that of a commit which is known to
 * have been the branch: somebody forced the branch back, and what they took away is not there to be judged. `shown`: the
 * journal's path in the repository.
 */
export function refuseRewound(
  { journal, shown }: { readonly journal: string; readonly shown: string },
  seen: MarkedCommit,
  fix: string,
): void {
  const now = readTaskJournal(journal);
  const { events, bytes, sha256: digest } = seen.journal;
  const begin = now?.bytes.subarray(0, bytes) ?? Buffer.alloc(0);
  if (begin.length === bytes && sha256(begin) === digest) return;
  const message = `the journal had ${events} events at commit ${seen.commit.slice(0, 12)}, but the branch no longer continues from them (it has ${now?.seq ?? 0} events)`;
  throw dataError("TP_JOURNAL_REWOUND", message, { file: shown, fix });
}

export interface OwnRepository {
  readonly tree: GitPlace;
  /** As in `ClaimPlace`. */
  readonly objects: string;
  /**
   * Nothing more is taken along until `act` is over, so that the branch has exactly what `act` gets, once it pushed that;
   * null: nothing new.
   */
  holdingWords<Value>(act: (taken: Taken | null) => Promise<Value>): Promise<Value>;
  /** Called with each durable verdict. */
  onward(commit: string): Promise<Finding[]>;
}

/** The parts that the fence of one task needs. */
export interface FenceRequest extends Pick<OpenBranch, "clone" | "ref" | "base"> {
  /** Null: the clone holds the code too. */
  readonly code: CodeFence | null;
  readonly place: Pick<ClaimPlace, "note" | "scratch" | "lost" | "mirror" | "seen" | "taken">;
  /** The person's own repository, and what the branch has of their words by now; null: another remote. */
  readonly local: OwnRepository | null;
  readonly url: string;
  /** The branch that it begins at if the remote does not have it yet, a full name. */
  readonly begins: string;
  readonly runner: PassRunner;
  /** As in the fence. */
  readonly met: ReadonlySet<string>;
  readonly unmerged: ReadonlySet<string>;
  /** As it is before the first push: `tip` is what the branch is in the remote. */
  readonly note: ClaimNote;
  readonly env: NodeJS.ProcessEnv;
  /** Pauses between attempts; false: no time is left. `until`: how long what is pushed is worth it. */
  readonly wait: WaitUntil;
  readonly now: () => Date;
}

import { relative } from "node:path";
import { placeOf, type TaskPlace } from "../anchor/task-place.ts";
import { pushCall, withNetwork } from "../git/network.ts";
import { showUrl } from "../git/push-target.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { FenceRequest } from "./fence-request.ts";
import type { OpenBranch } from "./open-branch.ts";
import { refuseRewound } from "./refuse-rewound.ts";
import { markJournal, readSeen, removeSeen, type SeenBranch, writeSeen } from "./seen-branch.ts";

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
  // After a change of fleet.ref it is about another branch, and says nothing of this one.
  const known = seen?.ref === ref ? seen : null;
  if (known !== null && !request.takeover) refuseRewound({ journal, shown }, known, restoreFix(context, known, tip));
  if (tip === null) {
    if (request.takeover) removeSeen(place.seen);
    return;
  }
  if (tip === known?.commit) return;
  const mark = await markJournal(clone.git, tip, shown, ports.env);
  writeSeen(place.seen, { version: 1, ref, commit: tip, journal: mark, attempt: seen?.attempt ?? null });
}

/** Can be typed as it is: the commit may be nowhere but in the mirror. It takes away nothing that was pushed since. */
function restoreFix({ request, place }: ClaimContext, { ref, commit }: SeenBranch, tip: string | null): string {
  const lease = `--force-with-lease=${ref}:${tip ?? ""}`;
  const words = ["git", `--git-dir=${place.mirror}`, "push", lease, showUrl(request.url), `${commit}:${ref}`];
  return `${words.map(quoteWord).join(" ")} puts it back; if the change was intended, use --takeover to continue from what is there`;
}

/**
 * Remembers that the branch of the remote is this commit of the clone, which nobody may have fetched when somebody takes
 * it away.
 */
export async function seePushed(
  { clone, place, ref, env }: FenceRequest,
  note: ClaimNote,
  commit: string,
): Promise<void> {
  const { git, settings } = clone;
  const kept = `refs/task-phase/seen/${note.task}`;
  // Its objects end with the clone. If the mirror does not take them, only the command that restores them will fail.
  await withNetwork({ place: git, settings, scratch: place.scratch, env, signal: null, url: place.mirror }, (network) =>
    network.call(pushCall(place.mirror, `+${commit}`, kept)),
  );
  const journal = await markJournal(git, commit, relative(git.top, placeOf(note.task_dir).journal), env);
  writeSeen(place.seen, { version: 1, ref, commit, journal, attempt: note.attempt });
}

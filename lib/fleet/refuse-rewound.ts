import { relative } from "node:path";
import { parseTaskJournal, readTaskJournal } from "../anchor/task-journal.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { GitPlace } from "../git/place.ts";
import { runGit } from "../git/run-git.ts";
import { dataError } from "../report/errors.ts";

/**
 * A journal only grows. Throws a data error if the one that is checked out does not go on from that of a commit which
 * was the branch when this machine last looked: somebody forced the branch back, and what they took away is not there
 * to be judged. `former` has to be in the object store; null: nothing is known.
 */
export async function refuseRewound(
  git: GitPlace,
  place: TaskPlace,
  former: string | null,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (former === null) return;
  const path = relative(git.top, place.journal);
  const args = ["cat-file", "blob", `${former}:${path}`];
  const { exitCode, stdout: before } = await runGit(git, args, { cwd: git.top, env, accept: [0, 128] });
  if (exitCode !== 0) return;
  const now = readTaskJournal(place.journal);
  if (now?.bytes.subarray(0, before.length).equals(before) === true) return;
  const had = parseTaskJournal(before, place.journal).seq;
  throw dataError(
    "TP_JOURNAL_REWOUND",
    `the journal had ${had} events at commit ${former.slice(0, 12)}, but the branch no longer continues from them (it has ${now?.seq ?? 0} events)`,
    {
      file: path,
      fix: `git push --force REMOTE ${former}:BRANCH puts it back; if the change was intended, use --takeover to continue from what is there`,
    },
  );
}

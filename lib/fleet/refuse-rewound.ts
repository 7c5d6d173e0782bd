import { readTaskJournal } from "../anchor/task-journal.ts";
import { dataError } from "../report/errors.ts";
import { sha256 } from "../text/sha256.ts";
import type { SeenBranch } from "./seen-branch.ts";

/**
 * A journal only grows. Throws a data error if the one at `journal` does not continue that of a commit which is known to
 * have been the branch: somebody forced the branch back, and what they took away is not there to be judged. `shown`: the
 * journal's path in the repository.
 */
export function refuseRewound(
  { journal, shown }: { readonly journal: string; readonly shown: string },
  seen: Pick<SeenBranch, "commit" | "journal">,
  fix: string,
): void {
  const now = readTaskJournal(journal);
  const { events, bytes, sha256: digest } = seen.journal;
  const begin = now?.bytes.subarray(0, bytes) ?? Buffer.alloc(0);
  if (begin.length === bytes && sha256(begin) === digest) return;
  throw dataError(
    "TP_JOURNAL_REWOUND",
    `the journal had ${events} events at commit ${seen.commit.slice(0, 12)}, but the branch no longer continues from them (it has ${now?.seq ?? 0} events)`,
    { file: shown, fix },
  );
}

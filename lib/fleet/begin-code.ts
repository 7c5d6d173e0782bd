import { goesBack } from "../git/log.ts";
import { showUrl } from "../git/push-target.ts";
import { dataError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { branchName } from "../text/ref-name.ts";
import type { Mirror } from "./mirror.ts";
import { codeRefOf } from "./named-code.ts";

/** Where a pass begins in the code's remote. */
export interface CodeBegin {
  readonly commit: string;
  readonly findings: readonly Finding[];
}

export interface CodeBranch {
  readonly mirror: Mirror;
  readonly url: string;
  readonly task: string;
  /** The task's branch there, a full name. */
  readonly ref: string;
  /** What the tasks name as the code of their last step; null: nothing yet. */
  readonly named: string | null;
  /** Where the tasks were told to go on from what is there. */
  readonly takeover: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The code that a pass goes on from: what the task's last step names, and what people committed on top of it on the
 * task's branch. Null: nothing is named and there is no such branch, so it begins where new branches do. Throws a data
 * error if what was named is gone (TP_CODE_GONE), or if the branch does not go back to it (TP_CODE_MOVED).
 */
export async function beginCode(request: CodeBranch): Promise<CodeBegin | null> {
  const { mirror, url, task, ref, named, takeover, env } = request;
  const there = mirror.commitOf(ref);
  if (named === null) return there === null ? null : { commit: there, findings: [] };
  const own = codeRefOf(task, named);
  if (mirror.commitOf(own) !== named) {
    const message = `${showUrl(url)} does not have the code that the last step of ${task} names: ${own}`;
    const fix = `put it back from a clone that has it: git push ${showUrl(url)} +${named}:${own}`;
    throw dataError("TP_CODE_GONE", message, { fix });
  }
  if (there === null || there === named) return { commit: named, findings: [] };
  if (await goesBack(mirror.place, there, named, env)) return { commit: there, findings: [] };
  const branch = `${branchName(ref)} of ${showUrl(url)}`;
  const short = named.slice(0, 12);
  const isBehind = await goesBack(mirror.place, named, there, env);
  const message = `${branch} ${isBehind ? "is behind" : "does not contain"} the code that the last step of ${task} names, ${short}`;
  if (isBehind || takeover) {
    const fix = isBehind
      ? "nothing to do: this pass continues from that code, and the branch follows once a pass is accepted"
      : `this pass continues from that code and leaves the branch as it is; merge ${own} into the branch`;
    return { commit: named, findings: [warningFinding("TP_CODE_BRANCH", message, { fix })] };
  }
  throw dataError("TP_CODE_MOVED", message, {
    fix: `git fetch ${showUrl(url)} ${own}, merge FETCH_HEAD into the branch and push it; or use --takeover to continue without what is there`,
  });
}

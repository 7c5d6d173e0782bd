import type { GitPlace } from "../git/place.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { errorFinding, type Finding, warningFinding } from "../report/finding.ts";
import { shorten } from "../text/shorten.ts";

export function noGit(root: string): Finding {
  return errorFinding("TP_HISTORY_NO_GIT", "--history checks commits, but this folder is in no git repository", {
    file: root,
    fix: "omit --history, or check a clone",
  });
}

export function shallow(place: GitPlace): Finding {
  return errorFinding("TP_HISTORY_SHALLOW", "the history is incomplete: this is a shallow clone", {
    file: place.top,
    fix: "fetch the rest with git fetch --unshallow; in CI set fetch-depth: 0 (GitHub) or GIT_DEPTH: 0 (GitLab)",
  });
}

export function partial(place: GitPlace): Finding {
  return errorFinding("TP_HISTORY_PARTIAL", "files of the history are missing: this is a partial clone", {
    file: place.top,
    fix: "clone without --filter",
  });
}

/**
 * No commit has a task here. If task folders are on disk all the same, a gate that passed would have looked at
 * nothing of what it is there for.
 */
export function nothing(root: string, standing: readonly string[]): { finding: Finding; exits: readonly ExitName[] } {
  if (standing.length === 0) {
    const text = "no commit has a STATE.md or a journal of a task here, and there is no task folder here either";
    const fix = "check that the tasks root is the right one";
    return { finding: warningFinding("TP_HISTORY_EMPTY", text, { file: root, fix }), exits: [] };
  }
  const names = standing.slice(0, 5).map((name) => shorten(name, 40));
  const which = `${names.join(", ")}${standing.length > 5 ? " and more" : ""}`;
  const text = `there are task folders here but none was ever committed (${which}), so nothing was judged`;
  const fix = "commit them with STATE.md and artifacts/journal.jsonl, and make sure that git does not ignore them";
  return { finding: errorFinding("TP_HISTORY_UNCOMMITTED", text, { file: root, fix }), exits: ["data"] };
}

import type { GitPlace } from "../git/place.ts";
import type { AllowedSigners } from "../git/signatures.ts";
import { checkBranches } from "../history/check-history.ts";
import type { BranchTask } from "../queue/views/inspect-branches.ts";
import { renderMovedSince } from "../rules/headline.ts";
import type { CheckKeys } from "../rules/shapes/reports/check.ts";
import { parseTaskJournal } from "../task/records/task-journal.ts";
import { usageError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { distinctFindings, type Finding, hasErrors, infoFinding } from "../text/finding.ts";
import { judgeHistory, makeRule } from "./check-history.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type Line, paint } from "./paint.ts";
import { findBranchTask, readBranches } from "./read-branches.ts";

/** `check --history --git`: the tasks of a repository as its branches have them, and every commit that these go back to. */
export async function checkRepository(
  repository: GitPlace,
  allowed: AllowedSigners | null,
  context: CommandContext,
): Promise<{
  readonly result: CommandResult & { readonly answer: readonly Line[] };
  readonly exits: readonly ExitName[];
}> {
  const { flags, env } = context;
  if (!flags.on("history")) {
    throw usageError("TP_USAGE_GIT", "--git is only for --history: every other check reads a task folder", {
      fix: "add --history, or omit --git",
    });
  }
  const read = await readBranches(repository, context);
  const named = flags.text("task-dir");
  const tasks = named === null ? read.tasks : [findBranchTask(read.tasks, named)];
  const folders = new Map(tasks.flatMap((task) => folderOf(task)));
  const ids = tasks.map(({ id, place }) => id ?? place.name);
  const branches = named === null ? read.branches : read.branches.filter(({ id }) => ids.includes(id));
  const [only] = named === null ? [] : folders.keys();
  const history = await judgeHistory(async () =>
    checkBranches({
      place: repository,
      prefix: read.prefix,
      heads: [...branches.map(({ commit }) => commit), ...(read.base === null ? [] : [read.base.commit])],
      tips: folders,
      task: only === undefined ? null : Buffer.from(only, "latin1").toString("utf8"),
      since: flags.text("since"),
      env,
      parseJournal: parseTaskJournal,
      signatures: await makeRule(
        allowed === null ? null : { allowed, id: named === null ? null : (ids[0] ?? null) },
        repository.top,
        env,
      ),
    }),
  );
  const found = tasks.flatMap((task) => [...task.findings, ...movedFindings(task)]);
  const findings = distinctFindings([...found, ...history.findings]);
  const json: CheckKeys = { ok: !hasErrors(findings), tasks: tasks.map(toKeys), history: history.json };
  const exits = [...tasks.flatMap(({ unreadable }) => unreadable ?? []), ...history.exits];
  return {
    result: { exitName: "ok", json, story: [], answer: [...tasks.map(toLine), ...history.answer], findings },
    exits,
  };
}

/** The name of its folder in the commits, its bytes as latin1, and the last commit of the branch that counts. */
function folderOf({ readAt }: BranchTask): [name: string, commit: string][] {
  if (readAt === null) return [];
  return [[Buffer.from(readAt.path.split("/").at(-1) ?? "").toString("latin1"), readAt.commit]];
}

/** In the words that `check` uses for a folder. */
function movedFindings({ facts: { moved }, readAt }: BranchTask): Finding[] {
  if (moved === null) return [];
  return [infoFinding("TP_MOVED_SINCE", `done, ${renderMovedSince(moved)}`, { file: readAt?.path ?? null })];
}

function toKeys({ readAt, place, findings }: BranchTask): CheckKeys["tasks"][number] {
  return { folder: readAt?.path ?? place.name, ok: !hasErrors(findings), verdicts: 0 };
}

function toLine({ id, place, findings }: BranchTask): Line {
  const ok = !hasErrors(findings);
  return [`${id ?? place.name}: `, paint(ok ? "good" : "bad", ok ? "nothing is wrong" : "wrong")];
}

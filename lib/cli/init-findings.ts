import { realpathSync } from "node:fs";
import path from "node:path";
import { placeOf } from "../anchor/task-place.ts";
import { findGitTop } from "../git/list-paths.ts";
import { taskRefOf } from "../git/task-branches.ts";
import { recordNewTask } from "../guard/new-tasks.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../report/finding.ts";
import { judgeReady } from "../task/judge-ready.ts";
import { loadContract } from "../task/load-contract.ts";
import { judgeChecksAt, readyPlace } from "../task/require-ready.ts";
import type { CommandContext } from "./command.ts";
import type { FlagName } from "./command-table.ts";

/** Flags that say what is in the brief. */
export const briefFlags: readonly FlagName[] = [
  "title",
  "id",
  "brief",
  "repo",
  "priority",
  "depends-on",
  "validator",
  "user-facing",
];

/** Without the note the folder is as good; only a pass of another task that is running would take it for its own. */
export function noteMade(taskDir: string, context: CommandContext): Finding[] {
  try {
    recordNewTask(realpathSync(taskDir), context);
    return [];
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return error.findings.map((finding) => warningFinding(finding.code, finding.message, finding));
  }
}

/** `named`: the one word named the folder, and was no title. `from`: where a text came from that nobody asked for. */
export function unusedWords(context: CommandContext, taskDir: string, named: boolean, from: string | null): Finding[] {
  const given = briefFlags.filter((name) => context.flags.on(name) && !(named && name === "title"));
  const words = given.map((name) => `--${name}`);
  if (from === "stdin" && !given.includes("brief")) words.push("the text on stdin");
  if (words.length === 0) return [];
  return [
    warningFinding("TP_INIT_FLAGS_NOT_USED", `the brief already existed and was kept; not used: ${words.join(", ")}`, {
      file: path.join(taskDir, "README.md"),
      fix: "change the brief by hand",
    }),
  ];
}

export function missingRepo(repo: string | null, taskDir: string): Finding[] {
  if (repo !== null || findGitTop(taskDir) !== null) return [];
  return [
    infoFinding("TP_INIT_NO_GIT", "the task folder is in no git repo, and no --repo was given", {
      file: path.join(taskDir, "README.md"),
      fix: "set repo to the working tree in the front matter of the brief, or give --repo to run",
    }),
  ];
}

/** Reasons for which the first run would refuse, as warnings. An empty new brief is the next step, not a mistake. */
export function foretell(context: CommandContext, taskDir: string): Finding[] {
  const place = placeOf(realpathSync(taskDir));
  let found: readonly Finding[];
  try {
    const contract = loadContract(place, context.flags.text("config"), context);
    const at = readyPlace(place, 0);
    found = [
      ...judgeRef(contract.contract.id, place.readme),
      ...judgeReady(contract, at),
      ...judgeChecksAt(at, contract, context.flags.text("repo"), context),
    ];
  } catch (error) {
    // A brief that was there before is judged above, whatever it says.
    if (!(error instanceof TaskPhaseError)) throw error;
    return [];
  }
  return found
    .filter(({ code }) => code !== "TP_BRIEF_EMPTY")
    .map((finding) => warningFinding(finding.code, finding.message, finding));
}

/** With `run --claim` the id is the last part of the name of a branch. */
function judgeRef(id: string, file: string): readonly Finding[] {
  try {
    taskRefOf(id, undefined, { file });
    return [];
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return error.findings;
  }
}

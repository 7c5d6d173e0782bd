import { realpathSync } from "node:fs";
import path from "node:path";
import { foretellAt, judgeChecksAt, judgeCommands, readyPlace } from "../checks/require-ready.ts";
import { findGitTop } from "../git/list-paths.ts";
import { taskRefOf } from "../git/task-branches.ts";
import { type BriefSource, readValidators } from "../scaffold/init/given-brief.ts";
import { idFromFolder, judgeId } from "../scaffold/init/names.ts";
import { judgeReady } from "../task/judge-ready.ts";
import type { ListedTask } from "../task/list-tasks.ts";
import { loadContract } from "../task/load-contract.ts";
import { placeOf } from "../task/records/task-place.ts";
import { catchForeseen } from "../text/attempt.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding, infoFinding, warningFinding } from "../text/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { quoteWord } from "../text/shell-words.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import type { FlagName } from "./command-table.ts";
import type { Foretold } from "./init-brief.ts";
import type { TaskRepo } from "./init-checks.ts";
import type { InitTarget } from "./init-target.ts";
import { show } from "./write-lines.ts";

/** The ids of the tasks that were named by id or folder. Throws a usage error that names each one that is not there. */
export function readDependencies(
  context: CommandContext,
  target: InitTarget,
  tasks: readonly ListedTask[],
  source: BriefSource | null,
): string[] {
  const root = `${show(context, target.tasksRoot)}/`;
  const ids = new Set(tasks.map(({ id }) => id));
  const byFolder = new Map(tasks.map(({ id, folder }) => [path.basename(folder), id]));
  const found: string[] = [];
  const findings: Finding[] = [];
  for (const word of context.flags.list("depends-on")) {
    const id = ids.has(word) ? word : byFolder.get(word.replace(/\/+$/, "").split("/").at(-1) ?? "");
    const isJudgedLater = word === target.id || judgeId(word, "--depends-on").length > 0;
    if (id === undefined && !isJudgedLater) findings.push(unknown(word, "--depends-on", null));
    else found.push(id ?? word);
  }
  for (const word of listed(source))
    if (!ids.has(word)) findings.push(unknown(word, "depends_on", source?.from ?? null));
  if (findings.length > 0) throw new TaskPhaseError("usage", findings);
  return [...new Set(found)];

  function unknown(word: string, where: string, file: string | null): Finding {
    const key = idFromFolder(word);
    const near = ids.has(key) ? key : nearestTask(word, byFolder);
    return errorFinding("TP_INIT_DEPENDENCY", `${where} names ${shorten(word)}, but no task in ${root} has that id`, {
      file,
      fix: near === null ? "correct it, or make that task first" : `did you mean ${near}?`,
    });
  }
}

function nearestTask(word: string, byFolder: ReadonlyMap<string, string>): string | null {
  const near = nearestWord(word, [...byFolder.values(), ...byFolder.keys()]);
  return near === null ? null : (byFolder.get(near) ?? near);
}

function listed(source: BriefSource | null): string[] {
  const value = source?.given.front?.keys.depends_on;
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** A validator of the command line that cannot start is a slip of the hand: a run would refuse it. */
export function refuseUnstartable({ flags, env, cwd }: CommandContext, repo: string | null): void {
  const { validators } = readValidators(flags.list("validator"));
  const judged = validators.filter(({ command: [word = ""] }) => repo !== null || !word.includes("/"));
  const findings = judgeCommands(judged, null, repo ?? cwd, env, writeFlag);
  if (findings.length === 0) return;
  const said = findings.map((finding) => ({ ...finding, message: `--validator: ${finding.message}` }));
  throw new TaskPhaseError("usage", said);
}

function writeFlag(name: string, instead: readonly string[]): string {
  const text = `${name}=${instead.map(quoteWord).join(" ")}`;
  const quoted = text.includes("'") && !/["$`\\!]/.test(text) ? `"${text}"` : quoteWord(text);
  return `write --validator ${quoted}`;
}

export const briefFlags: readonly FlagName[] = [
  "title",
  "id",
  "brief",
  "issue",
  "repo",
  "priority",
  "depends-on",
  "validator",
  "user-facing",
  "shape",
];

/** `named`: the one word named the folder, and was no title. `from`: the source of a text that was not asked for. */
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

export function missingRepo({ folder, named }: TaskRepo, taskDir: string, isGiven: boolean): Finding[] {
  if (isGiven || findGitTop(taskDir) !== null || (folder !== null && named === null)) return [];
  const says = folder === null ? "no --repo was given" : `the brief names the folder around its tasks, ${folder}`;
  return [
    infoFinding("TP_INIT_NO_GIT", `the task folder is in no git repo, and ${says}`, {
      file: path.join(taskDir, "README.md"),
      fix: "set repo to the working tree in the front matter of the brief, such as `repo: ../..`, or give --repo to run",
    }),
  ];
}

/** Nothing is foretold of a brief that cannot be read. */
export function foretell(context: CommandContext, taskDir: string): Foretold {
  const place = placeOf(realpathSync(taskDir));
  const judge = (): Foretold => {
    const contract = loadContract(place, context.flags.text("config"), context);
    const at = readyPlace(place, 0);
    const found = [
      ...judgeRef(contract.contract.id, place.readme),
      ...judgeReady(contract, at),
      ...judgeChecksAt(at, contract, context.flags.text("repo"), context),
      ...foretellAt(at, contract, context.flags.text("repo"), context),
    ];
    const findings = found.filter(({ code }) => code !== "TP_BRIEF_EMPTY");
    return {
      findings: findings.map((finding) => warningFinding(finding.code, finding.message, finding)),
      lacksModel: contract.config.models.length === 0,
    };
  };
  // A brief that was there before is judged above, whatever it says.
  return catchForeseen(judge, () => ({ findings: [], lacksModel: false }));
}

/** With `run --claim` the id is the last part of the name of a branch. */
function judgeRef(id: string, file: string): readonly Finding[] {
  const judge = () => {
    taskRefOf(id, undefined, { file });
    return [];
  };
  return catchForeseen(judge, ({ findings }) => findings);
}

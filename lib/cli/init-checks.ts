import path from "node:path";
import { type LoadedConfig, loadConfig } from "../documents/config/load-config.ts";
import type { PartialContract } from "../documents/contract-schema.ts";
import type { BriefData } from "../documents/templates/render-task-files.ts";
import { findGitTop } from "../git/list-paths.ts";
import { findLostGit } from "../git/place.ts";
import { checkSources, findChecks } from "../scaffold/init/find-checks.ts";
import type { BriefSource } from "../scaffold/init/given-brief.ts";
import type { FoundCheck } from "../scaffold/init/repo-files.ts";
import { leadsToFolder } from "../store/folder.ts";
import { orIfForeseen } from "../text/attempt.ts";
import { configError } from "../text/errors.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext } from "./command.ts";
import type { InitTarget } from "./init-target.ts";

/** What becomes of the repo's own commands, and the lines that say so. */
export interface ChosenChecks extends Pick<BriefData, "validators" | "offered"> {
  readonly story: readonly string[];
  readonly report: readonly { name: string; command: string[]; why: string; required: boolean }[];
}

const nothing: ChosenChecks = { validators: [], offered: [], story: [], report: [] };

export type TaskRepo = ReturnType<typeof repoOf>;

/**
 * `folder`: the working tree that a run will take, absolute; null if it would find none. `named`: what the brief has to
 * name for that, if its text does not; null: nothing. Outside git, the folder that holds the tasks root is the repo if it
 * names a test command; else a person says.
 */
export function repoOf(
  { flags, cwd, home }: CommandContext,
  { taskDir, tasksRoot, repo }: Pick<InitTarget, "taskDir" | "tasksRoot" | "repo">,
  source: BriefSource | null,
) {
  const given = flags.text("repo");
  const own = source?.given.front?.keys.repo;
  const named = given === null ? repo : path.resolve(cwd, given);
  if (given === null && typeof own === "string") return { folder: path.resolve(taskDir, own), named };
  const folder = named ?? findGitTop(firstFolder(taskDir));
  if (folder !== null) return { folder, named };
  const lost = findLostGit(firstFolder(taskDir));
  if (lost !== null) throw configError("TP_NO_REPO", lost.message, lost);
  const around = path.dirname(tasksRoot);
  const isNone = around === home || !leadsToFolder(around) || findChecks(around).checks.length === 0;
  return isNone ? { folder: null, named } : { folder: around, named: around };
}

function firstFolder(folder: string): string {
  return leadsToFolder(folder) ? folder : firstFolder(path.dirname(folder));
}

/**
 * The first test command that the repo names becomes the required validator, unless the person, the brief or
 * task-phase.yaml names one; what else it names is written down as comments, since a check that fails before the work
 * would hold the task up. With `--all-checks` all are required.
 */
export function chooseChecks(
  context: CommandContext,
  target: Pick<InitTarget, "taskDir">,
  source: BriefSource | null,
  repo: string | null,
): ChosenChecks {
  const { flags } = context;
  const defaults = defaultsFor(context, target);
  const named = flags.on("validator") || flags.on("no-validator") || source?.given.front?.keys.validators !== undefined;
  if (named || repo === null || !leadsToFolder(repo) || (defaults.validators ?? []).length > 0) return nothing;
  const { checks, notes } = findChecks(repo, context.cwd);
  const live = flags.on("all-checks") ? distinct(checks) : checks.filter(({ name }) => name === "tests").slice(0, 1);
  const other = flags.on("all-checks") ? [] : nameApart(checks.filter((check) => !live.includes(check)));
  const missing = live.some(({ name }) => name === "tests") ? [] : [renderMissing(notes)];
  return {
    validators: live.map(({ name, command }) => ({ name, command })),
    offered: other,
    story: [
      ...live.map((check) => `${shortly(check)} (${check.why})`),
      ...missing,
      ...(other.length === 0 ? [] : [`also found, as comments in the brief: ${other.map(shortly).join("; ")}`]),
    ],
    report: [...live.map((check) => row(check, true)), ...other.map((check) => row(check, false))],
  };
}

function row({ name, command, why }: Named, required: boolean): ChosenChecks["report"][number] {
  return { name, command: [...command], why, required };
}

/** The first check of each kind: later ones belong to tools beside the repo's main one. */
function distinct(checks: readonly FoundCheck[]): FoundCheck[] {
  return checks.filter((check, index) => checks.findIndex(({ name }) => name === check.name) === index);
}

type Named = Omit<FoundCheck, "name"> & { readonly name: string };

/** Checks of one contract have names of their own. */
function nameApart(checks: readonly FoundCheck[]): Named[] {
  const taken = new Set(["tests"]);
  return checks.map((check) => {
    const [program = ""] = check.command;
    let name = taken.has(check.name) ? `${check.name}-${program}` : check.name;
    for (let number = 2; taken.has(name); number += 1) name = `${check.name}-${program}-${number}`;
    taken.add(name);
    return { ...check, name };
  });
}

function shortly({ name, command }: Named): string {
  return `${name}: ${command.map(quoteWord).join(" ")}`;
}

function renderMissing(notes: readonly string[]): string {
  const [note = `looked from here to the top of the repo for ${checkSources}`] = notes;
  return `tests: none found (${note})`;
}

/** Of task-phase.yaml; none if it cannot be read: a run says what is wrong with it. */
export function defaultsFor(context: CommandContext, target: Pick<InitTarget, "taskDir">): PartialContract {
  return configFor(context, target)?.defaults ?? {};
}

export function configFor(
  { flags, env, home, cwd }: CommandContext,
  { taskDir }: Pick<InitTarget, "taskDir">,
): LoadedConfig | null {
  return orIfForeseen(() => loadConfig({ configFlag: flags.text("config"), env, home, taskDir, cwd }), null);
}

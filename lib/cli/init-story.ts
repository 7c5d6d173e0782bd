import { realpathSync } from "node:fs";
import path from "node:path";
import type { Written } from "../init/apply.ts";
import { isDone } from "../task/dependencies.ts";
import { readIfGood, taskFiles } from "../task-folder/task-files.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext } from "./command.ts";
import { findTasksRoot } from "./find-root.ts";
import type { TaskConfig } from "./init-config.ts";
import { show } from "./show-path.ts";

export interface InitOutcome {
  readonly taskDir: string;
  /** Null if a brief that was there cannot be read. */
  readonly id: string | null;
  readonly written: Written;
  readonly config: TaskConfig;
  /** Where the text of a new brief came from; null: from the template. */
  readonly from: string | null;
  /** What was chosen, and why. */
  readonly chosen: readonly string[];
  /** The files for git that were made or completed. */
  readonly forGit: readonly string[];
}

/** What was made, what was chosen and why, and the one next step. */
export function tellInit(context: CommandContext, outcome: InitOutcome): { story: string[]; next: string } {
  const { taskDir, written, config, from, chosen, forGit } = outcome;
  const folder = show(context, taskDir);
  const whole = written.kept.length === 0;
  const next = nextStep(context, outcome);
  return {
    story: [
      ...(whole ? [`made ${folder}`] : written.made.map((name) => `made ${path.join(folder, name)}`)),
      ...(written.kept.length === 0 ? [] : [`kept in ${folder}: ${written.kept.join(", ")}`]),
      ...(config.made ? [`made ${show(context, config.path)}${tellModels(config)}`] : []),
      ...(forGit.length === 0
        ? []
        : [`${forGit.map((file) => show(context, file)).join(" and ")}: pull requests fold the runner's files`]),
      ...(from === null ? [] : [`brief: from ${from}`]),
      ...chosen,
      next,
    ],
    next,
  };
}

function tellModels({ models }: TaskConfig): string {
  if (models.length === 0) return " without a model: no agent CLI is on PATH";
  return ` with the agent CLIs on PATH: ${models.join(", ")} (task-phase probe checks whether they answer)`;
}

function nextStep(context: CommandContext, outcome: InitOutcome): string {
  const { taskDir, id, config } = outcome;
  const name = nameOf(context, taskDir, id);
  if (isDone(realpathSync(taskDir)))
    return `${id ?? name} is done; task-phase resume ${name} --to intake --reason WHY opens it again`;
  const steps = [
    ...(isEmpty(taskDir)
      ? [`say in ${show(context, path.join(taskDir, "README.md"))} what ${id ?? name} is about`]
      : []),
    ...(config.made && config.models.length === 0 ? [`name a model in ${show(context, config.path)}`] : []),
  ];
  const run = `task-phase run ${name}`;
  return steps.length === 0 ? `next: ${run}` : `next: ${steps.join(", and ")}; then: ${run}`;
}

/** As short as the other commands understand it from here. */
function nameOf({ cwd }: CommandContext, taskDir: string, id: string | null): string {
  const root = findTasksRoot(cwd);
  const found = id !== null && root !== null && realpathSync(root) === realpathSync(path.dirname(taskDir));
  return quoteWord(found ? id : show({ cwd }, taskDir));
}

/** A run refuses a brief that says nothing; one that cannot be read is another matter. */
function isEmpty(taskDir: string): boolean {
  return readIfGood(taskFiles.brief, taskDir)?.isEmpty === true;
}

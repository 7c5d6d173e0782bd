import { existsSync } from "node:fs";
import path from "node:path";
import { type CalledProgram, cronPath, crontabLine, findProgram, isOnCronPath } from "../agents/inspect/discover.ts";
import type { LoadedConfig } from "../documents/config/load-config.ts";
import { readIfGood, taskFiles } from "../documents/read-task-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import { isDone } from "../task/list-tasks.ts";
import { quoteWord } from "../text/shell-words.ts";

interface CronPlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly tasksRoot: string | null;
  readonly config: LoadedConfig | null;
}

const mostTasks = 200;
const maxScript = 1 << 20;

/** `known`: node, git and the agents. task-phase itself and the programs of checks and models are found here. */
export function inspectCron({ env, tasksRoot, config }: CronPlace, known: readonly CalledProgram[]) {
  const open = tasksRoot === null ? [] : listTaskFolders(tasksRoot).filter((folder) => !isDone(folder));
  const checks = open.slice(0, mostTasks).flatMap((folder) => {
    const contract = readIfGood(taskFiles.brief, folder, config?.defaults)?.contract;
    const repo = contract?.repo == null ? path.dirname(path.dirname(folder)) : path.resolve(folder, contract.repo);
    const all = [...(contract?.validators ?? []), ...(contract?.scenarios ?? [])];
    return all.flatMap(({ command }) => namesIn(command, repo));
  });
  const models = (config?.models ?? []).flatMap(({ command, folder }) => namesIn(command ?? [], folder));
  const names = new Set([...checks, ...models]);
  const called = [...names].flatMap((program) => named(program) ?? []);
  // Started by its path, as from a checkout.
  const beside = path.join(path.dirname(process.argv[1] ?? ""), "task-phase-loop");
  const own = named("task-phase-loop") ?? (existsSync(beside) ? { program: "task-phase-loop", path: beside } : null);
  const all = [...known, ...(own === null ? [] : [own]), ...called];
  const missing = all.filter(
    (one, index) => !isOnCronPath(one) && all.findIndex(({ program }) => program === one.program) === index,
  );
  return {
    /** What a pass calls here by name, and cron would not find, or find another one of. */
    missing,
    /** The first line that the crontab needs; null if none. */
    line: missing.length === 0 ? null : crontabLine(missing),
    /** The line that works on the tasks around the current folder; null if there are none. */
    entry: tasksRoot === null ? null : entryFor(tasksRoot),
  };

  function named(program: string): CalledProgram | null {
    const found = findProgram(program, env.PATH ?? "");
    return found === null ? null : { program, path: found };
  }
}

/** The programs that a command starts by name: its own, those of a shell's line, and the interpreter of a script. */
function namesIn(command: readonly string[], folder: string): string[] {
  const start = command.findIndex((word) => !/^\w+=/.test(word) && path.basename(word) !== "env");
  const [head = "", ...rest] = start < 0 ? [] : command.slice(start);
  const line = /^(?:ba|z|da|k)?sh$/.test(path.basename(head)) && rest.includes("-c") ? rest.at(-1) : undefined;
  const inLine = line?.split(/&&|\|\||[;|\n]/).flatMap((part) => namesIn(part.trim().split(/\s+/), folder)) ?? [];
  const own = head.includes("/") ? interpreterOf(path.resolve(folder, head)) : head;
  return [...inLine, own].filter((name) => /^[\w.+-]+$/.test(name));
}

/** The program that env looks for; empty if the file is no such script. */
function interpreterOf(file: string): string {
  const read = readRegularFile(file, maxScript);
  return read.kind === "file"
    ? (/^#!\s*\S*\/env\s+(?:-S\s+)?([\w.+-]+)/.exec(read.bytes.toString("latin1"))?.[1] ?? "")
    : "";
}

/** A line of a crontab: there a percent sign ends the command. */
function entryFor(tasksRoot: string): string {
  const name = quoteWord(path.basename(tasksRoot));
  const lock =
    findProgram("flock", cronPath) === null ? "" : `flock --nonblock --conflict-exit-code 75 ${name}/.cron.lock `;
  const command = `cd ${quoteWord(path.dirname(tasksRoot))} && ${lock}task-phase-loop --tasks-root ${name} --max-seconds 3300`;
  return `*/10 * * * * ${command.replaceAll("%", "\\%")}`;
}

import { readdirSync } from "node:fs";
import path from "node:path";
import { renderTemplate } from "../documents/templates/render-template.ts";
import { workingPhases } from "../rules/phases.ts";
import type { CompletionKeys } from "../rules/shapes/reports/people.ts";
import { readText } from "../store/read-file.ts";
import { usageError } from "../text/errors.ts";
import { renderKnownNames } from "../text/nearest.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import type { CommandSpec, FlagSpec } from "./command-spec.ts";
import { commandTable } from "./command-table.ts";
import { findTasksRoot, isFile } from "./find-root.ts";
import { helpTopics } from "./help.ts";

const shells = ["bash", "zsh", "fish"] as const;
/** The commands that have a program of their own. */
const programs = ["init", "run", "loop"];

export async function runCommand({ flags, cwd }: CommandContext): Promise<CommandResult> {
  const asked = flags.text("shell") ?? "";
  const lines = asked === "tasks" ? listNames(cwd) : renderScript(asked).trimEnd().split("\n");
  return {
    exitName: "ok",
    json: { shell: asked, lines } satisfies CompletionKeys,
    answer: lines,
    findings: [],
  };
}

function renderScript(shell: string): string {
  if (!(shells as readonly string[]).includes(shell)) {
    throw usageError("TP_USAGE_SHELL", shell === "" ? "no shell was named" : `no completions for ${shell}`, {
      fix: `${renderKnownNames(shell, shells, "known shells")}; for example eval "$(task-phase completion bash)"`,
    });
  }
  const names = commandTable.map(({ name }) => name);
  const words = [...names, "help", "version"];
  return renderTemplate(`completion.${shell}`, {
    words,
    helpWords: [...names, ...Object.keys(helpTopics)],
    shells,
    phases: workingPhases,
    programs: ["task-phase", ...programs.map((name) => `task-phase-${name}`)],
    commands: commandTable.map(toCompletion),
    described: [
      ...commandTable.map(({ name, summary }) => ({ name, summary: quoteWord(summary) })),
      { name: "help", summary: quoteWord("shows the help of a command or a topic") },
      { name: "version", summary: quoteWord("shows the version") },
    ],
  });
}

function toCompletion({ name, flags, words = [] }: CommandSpec) {
  const shown = flags.filter(({ hidden }) => hidden !== true);
  const kinds = [...new Set(shown.map(takesOf).filter((kind) => kind !== ""))];
  const first = flags.find((flag) => flag.name === words[0]);
  const word = first === undefined ? "" : takesOf(first);
  return {
    name,
    // Free text has no completion, and the flags are offered in its place.
    word: word === "none" ? "" : word,
    kinds: kinds.map((takes) => ({
      takes,
      patterns: shown.filter((flag) => takesOf(flag) === takes).map((flag) => `--${flag.name}`),
    })),
    flags: shown.map((flag) => ({
      name: flag.name,
      long: `--${flag.name}`,
      short: flag.short ?? "",
      summary: quoteWord(flag.help),
      fish: fishValue(takesOf(flag)),
    })),
    fish: [
      `-c task-phase -n '__fish_seen_subcommand_from ${name}'`,
      ...(programs.includes(name) ? [`-c task-phase-${name}`] : []),
    ],
  };
}

/** What follows a flag: empty for a switch, `none` for what no shell could know. */
function takesOf({ name, label }: FlagSpec): string {
  if (label === undefined) return "";
  if (label === "TASK" || name === "depends-on") return "task";
  return { FILE: "file", FOLDER: "directory", PHASE: "phase" }[label] ?? "none";
}

function fishValue(takes: string): string {
  if (takes === "") return "";
  if (takes === "task") return " -x -a '(task-phase completion tasks 2> /dev/null)'";
  if (takes === "phase") return ` -x -a '${workingPhases.join(" ")}'`;
  return takes === "none" ? " -x" : " -r -F";
}

/**
 * The tasks of the root that is found from here, by id or else by folder. Quick and without judgement: a task that is
 * wrong is offered too, and a name that a shell could take for something else is not.
 */
function listNames(cwd: string): string[] {
  const root = findTasksRoot(cwd);
  if (root === null) return [];
  const folders = readdirSync(root).filter((name) => isFile(path.join(root, name, "STATE.md")));
  return folders.map((name) => idIn(path.join(root, name, "README.md")) ?? name).filter((name) => plainName.test(name));
}

const plainName = /^[\w][\w.-]*$/;

function idIn(brief: string): string | null {
  const head = /^---\r?\n([\s\S]*?)\n---/.exec(readText(brief, 1024 * 1024) ?? "")?.[1] ?? "";
  return /^id:[ \t]*["']?([\w.-]+)["']?[ \t]*(?:#.*)?\r?$/m.exec(head)?.[1] ?? null;
}

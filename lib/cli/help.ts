import { type Phase, phaseNames, phases } from "../machine/phases.ts";
import { exitCodes, exitMeanings } from "../report/exit-codes.ts";
import type { CommandSpec, FlagSpec } from "./command-spec.ts";
import { commandTable, sharedFlags } from "./command-table.ts";

const width = 100;

/** The help of one command: examples first. `program` is how it was called, as `task-phase run`. */
export function commandHelp(spec: CommandSpec, program: string): string {
  const shared = new Set<string>(sharedFlags.map((flag) => flag.name));
  const own = spec.flags.filter((flag) => !shared.has(flag.name));
  const sections = [
    `${program}: ${spec.summary}`,
    section(
      "Examples",
      spec.examples.map((example) => `  ${program} ${example}`.trimEnd()),
    ),
    section("Usage", [`  ${usageLine(spec, program)}`]),
    ...(own.length > 0 ? [section("Flags", flagRows(own))] : []),
    section("Flags of every command", flagRows(sharedFlags)),
    ...(spec.showsPhases ? [section("Phases", phaseRows())] : []),
    section("Exit codes", exitRows(spec)),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** The help of the program as a whole. */
export function programHelp(): string {
  const sections = [
    "task-phase: moves repository work through fixed phases; a model proposes, the runner decides",
    section("Examples", [
      "  task-phase init --task-dir tasks/T-1-stream-csv --title 'Stream the CSV export'",
      "  task-phase run T-1",
      "  task-phase status",
    ]),
    section("Usage", ["  task-phase COMMAND [flags]", "  task-phase help COMMAND"]),
    section("Commands", rows(commandTable.map((command) => [command.name, command.summary]))),
    section("Flags of every command", flagRows(sharedFlags)),
  ];
  return `${sections.join("\n\n")}\n`;
}

export function usageLine(spec: CommandSpec, program: string): string {
  return `${program} ${spec.usage}`;
}

/** The answer to a call without any word. */
export function shortUsage(): readonly string[] {
  return [
    "usage: task-phase COMMAND [flags]",
    `commands: ${commandTable.map((command) => command.name).join(", ")}`,
    "help: task-phase --help",
  ];
}

function flagRows(flags: readonly FlagSpec[]): string[] {
  return rows(
    flags.map((flag) => [
      `${flag.short === undefined ? "" : `-${flag.short}, `}--${flag.name}${flag.label === undefined ? "" : ` ${flag.label}`}`,
      `${flag.help}${flag.repeatable === true ? "; may be repeated" : ""}`,
    ]),
  );
}

function phaseRows(): string[] {
  return rows(phaseNames.map((name) => [name, `${phases[name].meaning} ${nextPhases(name)}`]));
}

function nextPhases(name: Phase): string {
  return phases[name].next.length === 0 ? "Terminal for a model." : `Next: ${phases[name].next.join(", ")}.`;
}

function exitRows(spec: CommandSpec): string[] {
  return rows(
    spec.exits.map((name) => [
      `${String(exitCodes[name]).padStart(3)} ${name}`,
      name === "ok" ? spec.okMeaning : exitMeanings[name],
    ]),
  );
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines].join("\n");
}

/** Two columns; the second is wrapped and stays in its column. */
function rows(pairs: readonly (readonly [string, string])[]): string[] {
  const left = Math.max(...pairs.map(([word]) => word.length)) + 2;
  return pairs.flatMap(([word, text]) =>
    wrap(text, width - left - 2).map((line, index) => `  ${(index === 0 ? word : "").padEnd(left)}${line}`),
  );
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

import { type Phase, phaseNames, phases } from "../rules/phases.ts";
import { type ExitName, exitCodes, exitMeanings } from "../text/exit-codes.ts";
import type { CommandSpec, FlagSpec } from "./command-spec.ts";
import { type CommandName, commandTable, sharedFlags } from "./command-table.ts";
import { type Line, paint } from "./paint.ts";

const width = 100;

/** The topics of `task-phase help` besides the commands. */
export const helpTopics = { phases: phasesHelp, "exit-codes": exitCodesHelp } as const;

/** The help of one command: examples first. `program` is how it was called, as `task-phase run`. */
export function commandHelp(spec: CommandSpec, program: string): Line[] {
  const shared = new Set<string>(sharedFlags.map((flag) => flag.name));
  const own = spec.flags.filter((flag) => !shared.has(flag.name) && flag.hidden !== true);
  return joinSections([
    [`${program}: ${spec.summary}`],
    section(
      "Examples",
      spec.examples.map((example) => `  ${program} ${example}`.trimEnd()),
    ),
    section("Usage", [`  ${usageLine(spec, program)}`]),
    ...(own.length > 0 ? [section("Flags", flagRows(own))] : []),
    [
      ...rows([
        ["Also:", `${sharedFlags.map(shortestName).join(", ")}; see task-phase --help`],
        ["Exit 0:", `${spec.okMeaning}; for the others see task-phase help exit-codes`],
      ]).map((line) => line.slice(2)),
    ],
  ]);
}

export function programHelp(): Line[] {
  return joinSections([
    ["task-phase: moves repository work through fixed phases; a model proposes, the runner decides"],
    section("Examples", ["  task-phase init 'Stream the CSV export'", "  task-phase run T-1", "  task-phase status"]),
    section("Usage", [
      "  task-phase COMMAND [flags]",
      `  task-phase help COMMAND | ${Object.keys(helpTopics).join(" | ")}`,
    ]),
    section("Commands", commandRows(false)),
    section("Commands for a fleet of machines", commandRows(true)),
    section("Flags of every command", flagRows(sharedFlags)),
  ]);
}

/** Commands of a fleet are listed apart, since most users never need them. */
function commandRows(ofFleet: boolean): string[] {
  const commands = commandTable.filter(({ name }) => ["dispatch", "worker", "fleet"].includes(name) === ofFleet);
  return rows(commands.map(({ name, summary }) => [name, summary]));
}

export function usageLine(spec: CommandSpec, program: string): string {
  return `${program} ${spec.usage}`;
}

/** The answer to a call that names no command. */
export function shortUsage(): readonly string[] {
  return [
    "usage: task-phase COMMAND [flags]",
    `commands: ${commandTable.map((command) => command.name).join(", ")}`,
    "help: task-phase --help",
  ];
}

function phasesHelp(): Line[] {
  const pairs = phaseNames.map((name) => [name, `${phases[name].meaning} ${nextPhases(name)}`] as const);
  return section("Phases", rows(pairs));
}

function exitCodesHelp(): Line[] {
  const pairs = (Object.keys(exitCodes) as ExitName[]).map(
    (name) => [`${String(exitCodes[name]).padStart(3)} ${name}`, exitMeanings[name]] as const,
  );
  return section("Exit codes", rows(pairs));
}

function shortestName({ name, short, label }: FlagSpec): string {
  return `${short === undefined ? `--${name}` : `-${short}`}${label === undefined ? "" : ` ${label}`}`;
}

function flagRows(flags: readonly FlagSpec[]): string[] {
  return rows(
    flags.map((flag) => [
      `${flag.short === undefined ? "" : `-${flag.short}, `}--${flag.name}${flag.label === undefined ? "" : ` ${flag.label}`}`,
      `${flag.help}${flag.repeatable === true ? "; may be repeated" : ""}`,
    ]),
  );
}

function nextPhases(name: Phase): string {
  return phases[name].next.length === 0 ? "Terminal for a model." : `Next: ${phases[name].next.join(", ")}.`;
}

function section(title: string, lines: readonly string[]): Line[] {
  return [[paint("heading", title)], ...lines];
}

/** With an empty line between them. */
function joinSections(sections: readonly (readonly Line[])[]): Line[] {
  return sections.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
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

/** The programs of bin/ that are named after one command. */
export const ownPrograms = ["init", "run", "loop"] as const satisfies readonly CommandName[];

/** Answers by their key: those that are the same for every call, in every folder and on every machine. */
export type KnownAnswers = Readonly<Record<string, readonly Line[]>>;

/** Every help, as the command table says it. The build writes them into a file for `start`. */
export function listKnownAnswers(): KnownAnswers {
  const byName = new Map(commandTable.map((spec) => [spec.name, spec]));
  const programs = ownPrograms.flatMap((name) => {
    const spec = byName.get(name);
    return spec === undefined ? [] : [[`task-phase-${name}`, commandHelp(spec, `task-phase-${name}`)] as const];
  });
  return Object.fromEntries<readonly Line[]>([
    ["task-phase", programHelp()],
    ...Object.entries(helpTopics).map(([name, topic]) => [`topic ${name}`, topic()] as const),
    ...commandTable.map((spec) => [`task-phase ${spec.name}`, commandHelp(spec, `task-phase ${spec.name}`)] as const),
    ...programs,
  ]);
}

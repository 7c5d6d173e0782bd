import { packageVersion } from "../documents/templates/package-files.ts";
import { endCommand } from "../store/at-end.ts";
import { machineFault, pathError } from "../store/error-code.ts";
import { asForeseen, TaskPhaseError, usageError } from "../text/errors.ts";
import { exitCodes } from "../text/exit-codes.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult, RunCommand } from "./command.ts";
import type { CommandSpec } from "./command-spec.ts";
import { type CommandName, commandTable, findCommand } from "./command-table.ts";
import { findTasksRoot } from "./find-root.ts";
import { parseFlags, readWords, type Words } from "./flag-values.ts";
import { commandHelp, helpTopics, programHelp, shortUsage, usageLine } from "./help.ts";
import { homeOf, type Io, noInput } from "./io.ts";
import { liveLine } from "./live-line.ts";
import type { Line } from "./paint.ts";
import { reportResult } from "./report-result.ts";
import { wantsColor, writeLines } from "./write-lines.ts";

type Spec = CommandSpec & { readonly name: CommandName };

/**
 * One call of the program, from its words to its exit code. The only catch of the program is here: anything thrown
 * becomes findings, an exit code and, with --json, the usual object.
 */
export async function runCli(fixed: CommandName | null, argv: readonly string[], io: Io): Promise<number> {
  try {
    return await callAndReport(fixed, argv, io);
  } finally {
    endCommand();
  }
}

async function callAndReport(fixed: CommandName | null, argv: readonly string[], io: Io): Promise<number> {
  const words = readWords(argv, fixed);
  let result: CommandResult;
  try {
    const lines = aboutItself(words, fixed, argv, io);
    if (lines !== null) {
      writeLines(io.stdout, lines, wantsColor(io.stdout, io.env, words.noColor));
      return exitCodes.ok;
    }
    result = await callCommand(words, fixed, io);
  } catch (error) {
    result = failedResult(error, words, fixed, io);
  }
  await reportResult(result, words, io);
  return exitCodes[result.exitName];
}

async function callCommand(words: Words, fixed: CommandName | null, io: Io): Promise<CommandResult> {
  const spec = requireCommand(words.command ?? (findTasksRoot(io.cwd) === null ? null : "status"));
  const flags = parseFlags(words.rest, spec.flags, `${programOf(spec, fixed)} --help`, spec.words);
  if (spec.refusedInsidePass && io.env.TASK_PHASE_PASS !== undefined) {
    throw usageError("TP_USAGE_INSIDE_PASS", `${spec.name} cannot be called inside a pass (TASK_PHASE_PASS is set)`, {
      fix: "propose the change in STATE.md; the runner does the rest",
    });
  }
  const context: CommandContext = {
    flags,
    env: io.env,
    cwd: io.cwd,
    home: homeOf(io.env),
    verbose: words.verbose,
    get stdin() {
      return io.stdin ?? noInput;
    },
    now: () => io.now(),
    sleep: (ms, signal) => io.sleep(ms, signal),
    ...makeTelling(words, io),
  };
  const body = await commandBodies[spec.name]();
  try {
    if (spec.onBranch === undefined) return await body(context);
    return await (await import("./in-newest.ts")).inNewest(body, { name: spec.name, onBranch: spec.onBranch }, context);
  } finally {
    context.show(null);
  }
}

function makeTelling(words: Words, io: Io): Pick<CommandContext, "tell" | "show" | "live"> {
  const live = io.stderr.isTTY === true && io.env.TERM !== "dumb" && !words.quiet && !words.json;
  const line = live ? liveLine(io.stderr) : null;
  const color = wantsColor(io.stderr, io.env, words.noColor);
  return {
    live,
    show: (text) => line?.show(text),
    tell: (text) => {
      if (words.quiet) return;
      line?.clear();
      writeLines(io.stderr, [text], color);
      line?.again();
    },
  };
}

/** The command of this name; `others` are words that a person may have meant too. */
function requireCommand(name: string | null, others: readonly string[] = []): Spec {
  if (name === null) throw usageError("TP_USAGE_NO_COMMAND", "no command given");
  const spec = findCommand(name);
  if (spec !== null) return spec;
  const names = commandTable.map((command) => command.name);
  const nearest = nearestWord(name, [...names, "help", "version", ...others]);
  throw usageError("TP_USAGE_UNKNOWN_COMMAND", `unknown command '${shorten(name)}'`, {
    fix:
      nearest === null
        ? "task-phase --help lists the commands"
        : `did you mean task-phase ${others.includes(nearest) ? "help " : ""}${nearest}?`,
  });
}

/** The answer to a call that asks for help or the version, or has no command where there is no project; else null. */
function aboutItself(words: Words, fixed: CommandName | null, argv: readonly string[], io: Io): readonly Line[] | null {
  const { command } = words;
  if (words.help || command === "help") return helpText(words, fixed);
  if (words.version || command === "version") return [packageVersion()];
  return fixed === null && argv.length === 0 && findTasksRoot(io.cwd) === null ? programHelp() : null;
}

function helpText(words: Words, fixed: CommandName | null): readonly Line[] {
  const asked = words.command === "help" ? words.rest.find((word) => !word.startsWith("-")) : words.command;
  if (asked === undefined || asked === null) return programHelp();
  const topic = Object.entries(helpTopics).find(([name]) => name === asked);
  if (topic !== undefined && words.command === "help") return topic[1]();
  const spec = requireCommand(asked, words.command === "help" ? Object.keys(helpTopics) : []);
  return commandHelp(spec, programOf(spec, fixed));
}

function programOf(spec: Spec, fixed: CommandName | null): string {
  return fixed === null ? `task-phase ${spec.name}` : `task-phase-${spec.name}`;
}

function failedResult(thrown: unknown, words: Words, fixed: CommandName | null, io: Io): CommandResult {
  // Neither a full disk nor a closed folder is a defect of the program, wherever it appears.
  const error = asForeseen(machineFault(thrown) ?? pathError(thrown) ?? thrown, "unexpected failure", {
    fix: words.verbose ? null : "run it again with --verbose to see where it happened",
  });
  if (words.verbose && thrown instanceof Error && !(thrown instanceof TaskPhaseError))
    writeLines(io.stderr, [thrown.stack ?? ""], false);
  const story = error.exitName === "usage" ? usageStory(words, fixed) : [];
  return { exitName: error.exitName, json: {}, answer: [], findings: error.findings, story };
}

function usageStory(words: Words, fixed: CommandName | null): readonly string[] {
  const spec = words.command === null ? null : findCommand(words.command);
  if (spec === null) return shortUsage();
  const program = programOf(spec, fixed);
  return [`usage: ${usageLine(spec, program)}`, `help: ${program} --help`];
}

/** The bodies, imported when they are called: imports are most of a short command's cost. */
export const commandBodies: Readonly<Record<CommandName, () => Promise<RunCommand>>> = {
  init: async () => (await import("./init.ts")).runCommand,
  run: async () => (await import("./run.ts")).runCommand,
  loop: async () => (await import("./loop.ts")).runCommand,
  status: async () => (await import("./status.ts")).runCommand,
  check: async () => (await import("./check.ts")).runCommand,
  evidence: async () => (await import("./evidence.ts")).runCommand,
  board: async () => (await import("./board.ts")).runCommand,
  show: async () => (await import("./show.ts")).runCommand,
  pr: async () => (await import("./pr.ts")).runCommand,
  answer: async () => (await import("./answer.ts")).runCommand,
  resume: async () => (await import("./resume.ts")).runCommand,
  cancel: async () => (await import("./cancel.ts")).runCommand,
  land: async () => (await import("./land.ts")).runCommand,
  prove: async () => (await import("./prove.ts")).runCommand,
  demo: async () => (await import("./demo.ts")).runCommand,
  trust: async () => (await import("./trust.ts")).runCommand,
  doctor: async () => (await import("./doctor.ts")).runCommand,
  probe: async () => (await import("./probe.ts")).runCommand,
  dispatch: async () => (await import("./dispatch.ts")).runCommand,
  worker: async () => (await import("./worker.ts")).runCommand,
  fleet: async () => (await import("./fleet.ts")).runCommand,
  import: async () => (await import("./import.ts")).runCommand,
  export: async () => (await import("./export.ts")).runCommand,
  completion: async () => (await import("./completion.ts")).runCommand,
};

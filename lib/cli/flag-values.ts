import { parseArgs } from "node:util";
import { addTo } from "../text/add-to.ts";
import { parseDuration } from "../text/duration.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding } from "../text/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { FlagSpec } from "./command-spec.ts";
import { commandTable, type FlagName } from "./command-table.ts";

/** The flags of one call. A flag that was not given is null, an empty list, or off. */
export interface FlagValues {
  text(name: FlagName): string | null;
  list(name: FlagName): readonly string[];
  /** An integer, or a duration in milliseconds. */
  number(name: FlagName): number | null;
  on(name: FlagName): boolean;
}

/**
 * Reads the words after the command's name by its table. All that is wrong is collected and thrown as one usage error.
 * `helpCommand` is what to type for the list of flags; `words` are the flags whose values may come
 * without their names, in this order.
 */
export function parseFlags(
  argv: readonly string[],
  specs: readonly FlagSpec[],
  helpCommand: string,
  words: readonly string[] = [],
): FlagValues {
  const values = new Map<string, string[]>();
  const findings: Finding[] = [];
  let afterUnknown = false;
  const isFree = (name: string) => !values.has(name) || specs.some((spec) => spec.name === name && spec.repeatable);
  for (const token of readTokens(argv, specs)) {
    const word = token.kind === "positional" && !afterUnknown ? words.find(isFree) : undefined;
    if (token.kind === "positional" && word !== undefined) {
      addTo(values, word, token.value);
      continue;
    }
    const problem = readToken(token, specs, values, afterUnknown, helpCommand);
    if (problem !== null) findings.push(problem);
    afterUnknown = token.kind === "option" && problem?.code === "TP_USAGE_UNKNOWN_FLAG";
  }
  if (findings.length > 0) throw new TaskPhaseError("usage", findings);
  return {
    text: (name) => values.get(name)?.[0] ?? null,
    list: (name) => values.get(name) ?? [],
    number: (name) => {
      const value = values.get(name)?.[0];
      return value === undefined ? null : readNumber(specs, name, value);
    },
    on: (name) => values.has(name),
  };
}

/** Node's tokens, not its checks: those stop at the first problem and word it for programmers. */
function readTokens(argv: readonly string[], specs: readonly FlagSpec[]) {
  const options = Object.fromEntries(
    specs.map((spec) => [
      spec.name,
      {
        type: spec.type === "switch" ? ("boolean" as const) : ("string" as const),
        ...(spec.short ? { short: spec.short } : {}),
      },
    ]),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readToken(
  token: NonNullable<ReturnType<typeof readTokens>>[number],
  specs: readonly FlagSpec[],
  values: Map<string, string[]>,
  afterUnknown: boolean,
  helpCommand: string,
): Finding | null {
  if (token.kind === "option-terminator") return null;
  if (token.kind === "positional") {
    // The word after an unknown flag is most likely its value: one mistake, one message.
    return afterUnknown ? null : unexpectedArgument(token.value, specs, helpCommand);
  }
  const spec = specs.find((one) => one.name === token.name);
  if (spec === undefined) return unknownFlag(token.rawName, specs, helpCommand);
  const problem = judgeValue(spec, token.value, token.inlineValue === true, values.get(spec.name));
  if (problem === null) addTo(values, spec.name, token.value ?? "");
  return problem;
}

function judgeValue(
  spec: FlagSpec,
  value: string | undefined,
  inline: boolean,
  earlier: readonly string[] | undefined,
): Finding | null {
  const flag = `--${spec.name}`;
  if (spec.type === "switch") {
    if (!inline) return null;
    return errorFinding("TP_USAGE_UNEXPECTED_VALUE", `${flag} takes no value, found '${shorten(value ?? "")}'`, {
      fix: `write ${flag} without a value, or omit it`,
    });
  }
  if (value === undefined || value === "" || (!inline && value.startsWith("-") && value !== "-")) {
    const found = value === undefined ? "" : value === "" ? ", found an empty one" : `, found '${shorten(value)}'`;
    return errorFinding("TP_USAGE_MISSING_VALUE", `${flag} needs a value${found}`, {
      fix: `write ${flag} ${spec.label}, or ${flag}=${spec.label} if the value starts with a dash`,
    });
  }
  if (earlier !== undefined && spec.repeatable !== true) {
    return errorFinding("TP_USAGE_REPEATED_FLAG", `${flag} was given twice, the second time with '${shorten(value)}'`, {
      fix: `keep one ${flag}`,
    });
  }
  return judgeForm(spec, value);
}

function judgeForm(spec: FlagSpec, value: string): Finding | null {
  const expected =
    spec.type === "integer" && !(/^[+-]?\d+$/.test(value) && Number.isSafeInteger(Number(value)))
      ? "a whole number"
      : spec.type === "duration" && parseDuration(value) === null
        ? "a duration such as 90s, 5m or 2h"
        : null;
  if (expected === null) return null;
  return errorFinding("TP_USAGE_BAD_VALUE", `--${spec.name} expects ${expected}, found '${shorten(value)}'`, {
    fix: `write --${spec.name} ${spec.type === "integer" ? "5" : "20m"}`,
  });
}

function readNumber(specs: readonly FlagSpec[], name: string, value: string): number | null {
  return specs.find((spec) => spec.name === name)?.type === "duration" ? parseDuration(value) : Number(value);
}

/** What people give to `run` that only a call of many passes has. */
const loopFlags = ["--max-seconds", "--max-passes", "--max-iterations", "--max-wait", "--branch"];

function unknownFlag(rawName: string, specs: readonly FlagSpec[], helpCommand: string): Finding {
  const nearest = nearestWord(
    rawName,
    specs.map((spec) => `--${spec.name}`),
  );
  const ofLoop = /^task-phase[ -]run /.test(helpCommand) && loopFlags.includes(rawName);
  return errorFinding("TP_USAGE_UNKNOWN_FLAG", `unknown flag ${shorten(rawName)}`, {
    fix: ofLoop
      ? `run does one pass: write task-phase loop, which has ${rawName}`
      : nearest === null
        ? `${helpCommand} lists the flags`
        : `did you mean ${nearest}?`,
  });
}

function unexpectedArgument(word: string, specs: readonly FlagSpec[], helpCommand: string): Finding {
  const [takesFolder, takesTitle] = ["task-dir", "title"].map((name) => specs.some((spec) => spec.name === name));
  return errorFinding("TP_USAGE_UNEXPECTED_ARGUMENT", `unexpected argument '${shorten(word)}'`, {
    fix: !takesFolder
      ? `${helpCommand} lists the flags`
      : takesTitle
        ? "put a title of several words in quotes: task-phase init 'Round half up'"
        : `a task folder is given as --task-dir ${shorten(word)}`,
  });
}

/** The words of a call, before any of them is judged. */
export type Words = Readonly<ReturnType<typeof readWords>>;

/**
 * Looks at the words without judging them: help wins wherever it appears, and a call that asked for JSON gets JSON even
 * if its other words are wrong. `fixed` is the command that the program's own name says.
 */
export function readWords(argv: readonly string[], fixed: string | null) {
  const end = argv.indexOf("--");
  const flags = end === -1 ? argv : argv.slice(0, end);
  // `-qv` is `-q -v`.
  const letters = new Set(flags.filter((word) => /^-[a-z]+$/i.test(word)).join(""));
  const has = (word: string, letter?: string) => flags.includes(word) || (letter !== undefined && letters.has(letter));
  const at = fixed === null ? findCommandWord(argv) : -1;
  return {
    /** The first word that is not a flag; null if there is none. */
    command: fixed ?? (at === -1 ? null : (argv[at] ?? null)),
    rest: at === -1 ? argv : argv.toSpliced(at, 1),
    help: has("--help", "h"),
    version: has("--version", "V"),
    json: flags.some((word) => word === "--json" || word.startsWith("--json=")),
    quiet: has("--quiet", "q"),
    verbose: has("--verbose", "v"),
    noColor: has("--no-color"),
  };
}

function findCommandWord(argv: readonly string[]): number {
  const specs: readonly FlagSpec[] = commandTable.flatMap((command): readonly FlagSpec[] => command.flags);
  const token = readTokens(argv, specs).find((one) => one.kind === "positional");
  return token?.index ?? -1;
}

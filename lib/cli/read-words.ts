import type { FlagSpec } from "./command-spec.ts";
import { commandTable } from "./command-table.ts";
import { readTokens } from "./flag-values.ts";

/** The words of a call, before any of them is judged. */
export interface Words {
  /** The first word that is not a flag; null if there is none. */
  readonly command: string | null;
  /** The words without it. */
  readonly rest: readonly string[];
  readonly help: boolean;
  readonly version: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly noColor: boolean;
}

/**
 * Looks at the words without judging them: help wins wherever it appears, and a call that asked for JSON gets JSON even
 * if its other words are wrong. `fixed` is the command that the program's own name says.
 */
export function readWords(argv: readonly string[], fixed: string | null): Words {
  const end = argv.indexOf("--");
  const flags = end === -1 ? argv : argv.slice(0, end);
  // `-qv` is `-q -v`.
  const letters = new Set(flags.filter((word) => /^-[a-z]+$/i.test(word)).join(""));
  const has = (word: string, letter?: string) => flags.includes(word) || (letter !== undefined && letters.has(letter));
  const at = fixed === null ? findCommandWord(argv) : -1;
  return {
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

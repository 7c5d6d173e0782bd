import { lastPart } from "./places.ts";
import { testClass } from "./test-paths.ts";

/** How a text of the checks runs a program of the repo. */
export interface RunByText {
  /** Its output is looked at, see `ShellCommand`. */
  readonly feeds: boolean;
  /** The repo path of the text; null for a script of a manifest, a recipe, or words of the contract. */
  readonly from: string | null;
}

const checks =
  /(?:^|[._-])(?:tests?|specs?|checks?|lint|linter|ci|verify|validate|assert|compare|smoke|e2e|runner|rspec|phpunit|pytest)(?:[._-]|$)/i;
const builds = /^(?:build|compile|bundle|generate|gen|codegen|prebuild|transpile)(?:[._-]|$)/i;
const helpers = /(?:^|\/)(?:scripts?|tools?|\.?ci|\.github|hack|build|dev|etc)\//;
const products = /(?:^|\/)(?:src|lib|app|cmd)\/|(?:^|\/)bin\/[^/]+\.\w+$/;

/**
 * Whether a program that a text of the checks runs is what they test, and so the work, rather than a part of a check:
 * its output is compared with something, a test file runs it, or it is built or kept where products are. A name that
 * speaks of checks makes it a part of one. What the contract's own words name is never asked here: that is a check.
 */
export function isTested(path: string, { feeds, from }: RunByText): boolean {
  const name = lastPart(path);
  if (testClass(path) !== null || checks.test(name)) return false;
  if (feeds || builds.test(name)) return true;
  if (helpers.test(path)) return false;
  return (from !== null && testClass(from) !== null) || products.test(path);
}

const definesFunction = /^[ \t]*(?:function[ \t]+)?[\w:.-]+[ \t]*\(\)/m;
/** What a check relies on may not be replaced by what it tests: commands of tests, and how the shell ends. */
const reachesIntoShell = new RegExp(
  [
    String.raw`(?:^|[;&|{}\s])(?:trap|alias|exec|enable|shopt|set[ \t]+\+\w)\b`,
    String.raw`(?:^|[;&|{}\s])exit[ \t]*(?:0\b|[;}\n]|$)`,
    String.raw`(?:^|[;&|{}\s])(?:function[ \t]+)?(?:test|\[|\[\[|true|false|return|exit|diff|cmp|comm|e?grep|fgrep|expr|eval|command|builtin|source|\.|cd|echo|printf|cat|sed|awk|sort|head|tail|wc|tr|cut|uniq|kill|wait|read|set|assert\w*|fail|run)[ \t]*\(\)`,
  ].join("|"),
  "m",
);

/**
 * Whether a file that a shell text of the checks sources is a library that they test: it defines functions, and lies
 * where products are or a test file sources it. One that replaces what the checks themselves rely on is a part of them.
 */
export function isTestedLibrary(path: string, text: string, from: string | null): boolean {
  if (testClass(path) !== null || checks.test(lastPart(path)) || helpers.test(path)) return false;
  const isPlaced = products.test(path) || (from !== null && testClass(from) !== null);
  return isPlaced && definesFunction.test(text) && !reachesIntoShell.test(text);
}

import { extname } from "node:path";
import { isForeign, testClass } from "./test-paths.ts";
import { readToolNames } from "./tool-names.ts";

/** A line of the work that bears on how its tests end, or that silences a tool. */
export interface Mark {
  /** From 1. */
  readonly line: number;
  /** The line itself, trimmed and cut. */
  readonly text: string;
  /**
   * `ends`: it can end a test process, which a count of tests shows. `patches`: it can put something else in place of
   * an assertion or of what every program is built on, which no count shows. `silences`: a linter or type checker.
   */
  readonly does: "ends" | "patches" | "silences";
}

interface MarkWords {
  /** The imports that bind names whose members a test must not set. */
  readonly tools?: "script" | "python";
  readonly ends: RegExp;
  readonly patches?: RegExp;
  /** The same, over a line and the two after it: what equals everything passes each comparison. */
  readonly patchesOver?: RegExp;
  readonly silences: RegExp;
}

const script: MarkWords = {
  tools: "script",
  ends: /\bprocess\.(?:exit|reallyExit|abort|kill)\b|\bprocess\.(?:on|once|addListener|prependListener)\(\s*["'`](?:exit|beforeExit|uncaughtException|unhandledRejection)|\bprocess\.exitCode\s*=[^=]|\bDeno\.exit\b/,
  // Of globals and of the modules that tests are made of: a member that is assigned, or all of them at once; and a name
  // that is put together from two texts, so that nobody finds it.
  patches:
    /(?:\b(?:assert|expect|chai|sinon|jest|vi|fs|fsp|Module)\b(?:\.[\w$]{1,60}|\[[^\]\n]{1,60}\]){1,4}|\b(?:test|it|describe)\.[\w$]{1,60}|\b(?:Object|Array|String|Number|Boolean|Symbol|Function|RegExp|Date|Map|Set|Promise|Reflect|JSON)\.[\w$.]{1,60})\s*=[^=>]|\bsyncBuiltinESMExports\b|\w\[\s*["'`][\w$:/-]{0,40}["'`]\s*\+\s*["'`]|\(\s*["'`][\w$:/-]{1,40}["'`]\s*\+\s*["'`][\w$:/-]{1,40}["'`]\s*\)|\b(?:Object|Reflect)\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)\(\s*(?:assert|expect|chai|globalThis|global|fs|(?:Object|Array|String|Number|Function|Error|Map|Set|Promise)(?:\.prototype)?)\s*,/,
  silences:
    /\b(?:eslint|oxlint)-disable|@ts-(?:ignore|nocheck|expect-error)|\bbiome-ignore\b|\b(?:istanbul|c8|v8) ignore\b/,
};
const python: MarkWords = {
  tools: "python",
  ends: /\bos\.(?:_exit|abort|kill)\b|\bsys\.exit\b|\batexit\.register\b|\braise SystemExit\b|(?:^|[\s:;])(?:exit|quit)\(|\bsys\.excepthook\s*=/,
  patches:
    /\b(?:unittest|pytest|_pytest|pluggy|builtins|__builtins__)\b[\w.]{1,60}\s*=[^=]|\bsetattr\(\s*(?:unittest|pytest|_pytest|pluggy|builtins|__builtins__)\b|\bsys\.modules\[[^\]\n]{1,60}\]\s*=[^=]|\bsys\.exit\s*=[^=]/,
  patchesOver: /^\s*def __eq__\([^)\n]*\)[^:\n]*:(?:\s*#[^\n]*)?\s*return True\s*(?:#|\n|$)/,
  silences: /#\s*(?:type:\s*ignore|noqa|pylint:\s*disable|pyright:\s*ignore|mypy:\s*ignore|pragma:\s*no cover|nosec)/i,
};
const jvm: MarkWords = {
  ends: /\bSystem\.exit\b|\bexitProcess\(|\bRuntime\.getRuntime\(\)\.(?:halt|exit|addShutdownHook)\b/,
  silences: /@Suppress(?:Warnings)?\b|\bNOSONAR\b/,
};
const native: MarkWords = {
  ends: /\b(?:_?exit|_Exit|quick_exit|abort|atexit)\s*\(/,
  silences: /\bNOLINT|#\s*pragma (?:GCC|clang) diagnostic ignored/,
};
const go: MarkWords = { ends: /\bos\.Exit\(|\bsyscall\.Exit\(|\bruntime\.Goexit\(/, silences: /\/\/\s*nolint\b/ };
const rust: MarkWords = { ends: /\bprocess::(?:exit|abort)\b/, silences: /#!?\[allow\b/ };
const ruby: MarkWords = {
  ends: /\bat_exit\b|\bexit!|\babort\b|(?:^|\s)exit\b/,
  patchesOver: /^\s*def ==\(\w+\)\s*;?\s*true\b/,
  silences: /\brubocop:disable\b/,
};
const php: MarkWords = {
  ends: /\b(?:exit|die)\s*[(;]|\bregister_shutdown_function\(/,
  silences: /\bphpcs:(?:ignore|disable)|@phpstan-ignore|@psalm-suppress/,
};

const wordsOf: Readonly<Record<string, MarkWords>> = {
  ...Object.fromEntries([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"].map((one) => [one, script])),
  ...Object.fromEntries([".py", ".pyi"].map((one) => [one, python])),
  ...Object.fromEntries([".java", ".kt", ".kts", ".scala", ".groovy"].map((one) => [one, jvm])),
  ...Object.fromEntries([".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"].map((one) => [one, native])),
  ".go": go,
  ".rs": rust,
  ".rb": ruby,
  ".php": php,
};

const longestText = 160;
const longestLine = 2_000;

/** True for a source file of the work, of a language whose marks are known: no test, and nothing that was installed. */
export function mayHoldMarks(path: string): boolean {
  return Object.hasOwn(wordsOf, extname(path)) && testClass(path) === null && !isForeign(path);
}

/**
 * The marks of a source file that were not in its earlier text, by their lines' own words: a line that only moved is
 * not new. A longer line than 2,000 characters is generated, and not looked at.
 */
export function findNewMarks(path: string, text: string, earlier: string): Mark[] {
  const rest = listMarks(path, earlier).map(({ text: known }) => known);
  return listMarks(path, text).filter(({ text: found }) => {
    const at = rest.indexOf(found);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

function listMarks(path: string, text: string): Mark[] {
  const words = wordsOf[extname(path)];
  if (words === undefined) return [];
  const sets = words.tools === undefined ? null : setsMember(readToolNames(text, words.tools));
  return text.split(/\r?\n/).flatMap((line, index, lines) => {
    if (line.length > longestLine) return [];
    const patches =
      words.patchesOver?.test(lines.slice(index, index + 3).join("\n")) === true || sets?.test(line) === true;
    const does = patches ? "patches" : doneBy(words, line);
    return does === null ? [] : [{ line: index + 1, text: line.trim().slice(0, longestText), does }];
  });
}

/** A line that sets a member of one of these names. */
function setsMember(names: readonly string[]): RegExp | null {
  if (names.length === 0) return null;
  const name = `(?<![\\w$.])(?:${names.map((one) => one.replaceAll("$", "\\$")).join("|")})`;
  const member = "(?:\\.[\\w$]{1,60}|\\[[^\\]\\n]{1,60}\\]){1,4}";
  return new RegExp(
    `${name}${member}\\s*=[^=>]|\\b(?:setattr|Object\\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)|Reflect\\.(?:set|defineProperty))\\(\\s*${name}\\s*,`,
  );
}

/** The summary of a test runner in the text of a source: what prints it can pass for a count of tests. */
const summary =
  /\bRan \d+ tests? in\b|["'`\\n ]\d+ (?:passed|passing)\b.{0,20}\b(?:in \d|\(\d)|# (?:tests|pass) \d+|\btest result: ok\b|\bTests: +\d+ passed\b/;

function doneBy({ patches, ends, silences }: MarkWords, line: string): Mark["does"] | null {
  if (patches?.test(line) === true || summary.test(line)) return "patches";
  if (ends.test(line)) return "ends";
  return silences.test(line) ? "silences" : null;
}

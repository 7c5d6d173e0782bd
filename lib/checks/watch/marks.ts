import { type MarkWords, markWordsOf } from "./mark-words.ts";
import { isForeign, testClass } from "./test-paths.ts";

/** A line of the work that bears on how its tests end, or that silences a tool. */
export interface Mark {
  /** From 1. */
  readonly line: number;
  /** The line itself, trimmed and cut. */
  readonly text: string;
  /**
   * `ends`: it can end a test process as if it had passed, which a count of tests shows. `patches`: it can put something
   * else in place of an assertion or of what every program is built on, which no count shows. `silences`: a linter or
   * type checker that the checks run. `knows`: it asks who runs it, as work could that is right for a test alone.
   * `place`: a folder that every program of this machine can use.
   */
  readonly does: "ends" | "patches" | "silences" | "knows" | "place";
}

/** What a check may run any other tool by. */
const anyTool =
  "pre-commit lint-staged trunk mega-linter tox nox hatch just task mage gulp grunt nx turbo lerna wireit bazel earthly moon docker";

const longestText = 160;
const longestLine = 2_000;

/** True for a source file of the work, of a language whose marks are known: no test, and nothing that was installed. */
export function mayHoldMarks(path: string): boolean {
  return markWordsOf(path) !== undefined && testClass(path) === null && !isForeign(path);
}

/** The words by which the checks reach programs, see `reachedWords`. */
export type Reached = Pick<ReadonlySet<string>, "has">;

/**
 * The marks of a source file that were not in its earlier text, by their lines' own words: a line that only moved is
 * not new. A longer line than 2,000 characters is generated, and not looked at.
 */
export function findNewMarks(path: string, text: string, earlier: string, reached: Reached): Mark[] {
  const rest = listMarks(path, earlier, reached).map(({ text: known }) => known);
  return listMarks(path, text, reached).filter(({ text: found }) => {
    const at = rest.indexOf(found);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

function listMarks(path: string, text: string, reached: Reached): Mark[] {
  const words = markWordsOf(path);
  if (words === undefined) return [];
  const sets = words.tools === undefined ? null : setsMember(readToolNames(text, words.tools));
  return text.split(/\r?\n/).flatMap((line, index, lines) => {
    if (line.length > longestLine) return [];
    const says = words.comment?.test(line) === true;
    const patches =
      words.patchesOver?.test(lines.slice(index, index + 3).join("\n")) === true || sets?.test(line) === true;
    const found = patches ? "patches" : doneBy(words, line, reached);
    const does = says && found !== "silences" ? null : found;
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

function doneBy({ patches, ends, fails, silences }: MarkWords, line: string, reached: Reached): Mark["does"] | null {
  if (ends !== undefined && (patches?.test(line) === true || summary.test(line))) return "patches";
  if (ends?.test(fails === undefined ? line : line.replace(fails, " ")) === true) return "ends";
  const silenced = silences.some(
    ({ words, by }) => words.test(line) && `${by} ${anyTool}`.split(" ").some((tool) => reached.has(tool)),
  );
  if (silenced) return "silences";
  if (ends === undefined) return null;
  return asksRunner.test(line) ? "knows" : sharedFolder.test(line) ? "place" : null;
}

/** Names of test runners and of CI where a program asks for them, and questions for host, terminal and user. */
const asksRunner =
  /\bNODE_TEST_CONTEXT\b|\bJEST_WORKER_ID\b|\bVITEST(?:_\w+)?\b|\bHARNESS_(?:ACTIVE|VERSION)\b|\bdefined\?[ (]*(?:Mini[Tt]est|RSpec|Test::Unit)\b|\bPYTEST_(?:CURRENT_TEST|VERSION|XDIST_\w+)\b|\bnpm_lifecycle_event\b|["'](?:pytest|_pytest|unittest)["']\s+in\s+sys\.modules|\bsys\.modules\b.{0,40}\b(?:pytest|unittest)\b|\bprocess\.env\.CI\b|\benviron(?:\.get\(|\[)\s*["']CI["']|\bGetenv\(\s*"CI"|\benv::var(?:_os)?\(\s*"CI"|["']\.test["']|\btesting\.Testing\(\)|\b(?:os\.hostname|gethostname|gethostbyname|os\.Hostname)\b|\bisatty\b|\.isTTY\b|\b(?:os\.userInfo|getpass\.getuser|os\.getlogin)\b/;
const sharedFolder = /["'`](?:\.git|\/tmp|\/var\/tmp|\/dev\/shm)(?:\/|["'`])/;

/** Modules that tests are made of, or that everything is. Another member in one of them is another test. */
const scriptModules =
  /^(?:node:)?(?:assert(?:\/strict)?|test|fs(?:\/promises)?|module|child_process|chai|expect|sinon|vitest|@jest\/globals|@playwright\/test)$/;
const pythonModules = /^(?:unittest|pytest|_pytest|pluggy|builtins|doctest|importlib|subprocess)(?:\.|$)/;
const mostNames = 50;

/** The names under which a source file has such modules, or what is in them. */
function readToolNames(text: string, family: "script" | "python"): string[] {
  const found = family === "script" ? scriptNames(text) : pythonNames(text);
  return [...new Set(found)].filter((name) => /^[A-Za-z_$][\w$]*$/.test(name)).slice(0, mostNames);
}

function scriptNames(text: string): string[] {
  const imports = [...text.matchAll(/\bimport\s+([\w$*{}\s,]{1,500}?)\s+from\s*["']([^"'\n]{1,100})["']/g)];
  const loads = [
    ...text.matchAll(
      /\b(?:const|let|var)\s+([\w$]{1,60}|\{[^}]{1,300}\})\s*=[^;\n]{0,100}?\(\s*["']([^"'\n]{1,100})["']\s*\)/g,
    ),
  ];
  const named = (list: string) =>
    list
      .trim()
      .split(/\s+(?:as\s+)?|:\s*/)
      .at(-1) ?? "";
  return [...imports, ...loads].flatMap(([, names = "", from = ""]) =>
    scriptModules.test(from) ? names.split(/[{},]/).map(named) : [],
  );
}

function pythonNames(text: string): string[] {
  const names: string[] = [];
  for (const [, list = ""] of text.matchAll(/^[ \t]*import[ \t]+([\w., \t]{1,300})$/gm)) {
    for (const one of list.split(",")) {
      const [module = "", , alias] = one.trim().split(/\s+/);
      if (pythonModules.test(module) && alias !== undefined) names.push(alias);
    }
  }
  for (const [, module = "", list = ""] of text.matchAll(
    /^[ \t]*from[ \t]+([\w.]{1,100})[ \t]+import[ \t]+\(?([\w, \t\n]{1,500})/gm,
  )) {
    if (pythonModules.test(module)) names.push(...list.split(",").map((one) => one.trim().split(/\s+/).at(-1) ?? ""));
  }
  return names;
}

import type { CheckResult } from "./check-run.ts";

/** Words with which tools name the script, target or task that they do not find. */
const missingScript =
  /(?:Missing script:|[Cc]ommand|script named|Script not found|contain recipe|Task not found:|rule to make target|build task) ["'`]?([\w:./-]+?)["'`]?(?:[\s.,!]|$)(?! ?needed by)/g;
/** Messages for a missing file that these should run. */
const missingFile = [
  /cannot open ([^\s:]+)/g,
  /(?:^|[\s:])([^\s:]+): (?:No such file or directory|not found)/gm,
  /can't open (?:file |perl script )?['"]([^'"]+)['"]/gi,
  /Could not find '([^']+)'/g,
  /file or directory not found: (\S+)/g,
  /Start directory is not importable: '([^']+)'/g,
  /(?:Cannot find file or directory|File does not exist): (\S+)/g,
  /(?:No file named|Cannot open file) "?([^\s"]+)/g,
  /Cannot detect source of '([^']+)'/g,
  /cannot load such file -- (\/\S+)/g,
  /^not started: .*?([^\s:]*\/[^\s:]+)/g,
];
const missingEntry = /Cannot find module '([^']+)'(?=[\s\S]*requireStack: \[\])/g;
const noTests =
  /no tests ran|NO TESTS RAN|no test files|no tests? found|no test modules found|main module|packages to test/i;
const noManifest = /Could not read package\.json|No package\.json|could not find `Cargo\.toml`|no makefile found/;

/**
 * Why a check ran no test: the script, target or task that its command names is not there, nor the file that it should
 * run, or there is nothing to test at all. `words`: of its command, and of the scripts that this one runs. Null if it
 * ran, or if something else is missing, such as what its tests load.
 */
export function couldNotStart(
  { status, tests, excerpt: end, failure }: CheckResult,
  words: readonly string[],
): "script" | "file" | "tests" | null {
  if (status === "pass" || status === "timeout" || (tests?.ran ?? 0) > 0) return null;
  // A long stack trace may follow the telling line.
  const excerpt = `${end}\n${failure?.said ?? ""}`;
  const names = (patterns: readonly RegExp[]) =>
    patterns.flatMap((pattern) => [...excerpt.matchAll(pattern)].map(([, name = ""]) => name));
  if (names([missingScript]).some((name) => words.includes(name))) return "script";
  const isWord = (path: string) =>
    words.some((word) => word !== "" && (path === word || path.endsWith(`/${word.replace(/^\.\/|\/+$/g, "")}`)));
  if (noManifest.test(excerpt) || names([...missingFile, missingEntry]).some(isWord)) return "file";
  return noTests.test(excerpt) ? "tests" : null;
}

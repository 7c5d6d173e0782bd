import { asObject } from "../text/json-object.ts";
import type { FoundCheck, FoundChecks } from "./found-check.ts";
import type { RepoFiles } from "./repo-files.ts";

const lockFiles: readonly (readonly [string, Manager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];
type Manager = "npm" | "pnpm" | "yarn" | "bun";

const typeScripts = ["typecheck", "type-check", "check-types", "types", "tsc"];

/** The scripts of package.json, called by the package manager that it or a lock file names. */
export function nodeChecks(files: RepoFiles): FoundChecks {
  const scripts = asObject(files.json("package.json")?.scripts);
  if (scripts === null) return { checks: [], notes: [] };
  const { manager, because } = findManager(files);
  const script = (name: string) =>
    typeof scripts[name] === "string" && scripts[name].trim() !== "" ? scripts[name] : null;
  const check = (kind: FoundCheck["name"], name: string, before: readonly string[] = []): FoundCheck => ({
    name: kind,
    command: [...before, ...call(manager, name)],
    why: `package.json has a ${name} script${because}`,
  });
  const test = script("test");
  const types = typeScripts.find((name) => script(name) !== null);
  const checks = [
    ...(test === null || isPlaceholder(test) ? [] : [check("tests", "test", watches(test) ? ["env", "CI=true"] : [])]),
    ...(script("lint") === null ? [] : [check("lint", "lint")]),
    ...(types === undefined ? [] : [check("types", types)]),
  ];
  const notes =
    test !== null && isPlaceholder(test) ? ["the test script of package.json is npm's default, which fails"] : [];
  return { checks, notes };
}

/** What `npm init` writes. */
function isPlaceholder(script: string): boolean {
  return /\bno test specified\b/.test(script);
}

/** Such a script waits for changes for ever, unless it is told that nobody is there. */
function watches(script: string): boolean {
  return /\breact-scripts test\b/.test(script) && !/\bCI=|--watchAll=false/.test(script);
}

function call(manager: Manager, script: string): string[] {
  // `bun test` is bun's own test runner.
  return script === "test" && manager !== "bun" ? [manager, "test"] : [manager, "run", script];
}

function findManager(files: RepoFiles): { manager: Manager; because: string } {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(String(files.json("package.json")?.packageManager ?? ""))?.[1];
  if (named !== undefined) return { manager: named as Manager, because: named === "npm" ? "" : `, and names ${named}` };
  const lock = lockFiles.find(([name]) => files.has(name));
  if (lock === undefined || lock[1] === "npm") return { manager: "npm", because: "" };
  return { manager: lock[1], because: `, and there is a ${lock[0]}` };
}

import { asObject } from "../text/json-object.ts";
import { pythonChecks } from "./python-checks.ts";
import { type FoundCheck, type FoundChecks, type RepoFiles, repoFiles } from "./repo-files.ts";

/** The files that are looked for, as a person reads them. */
export const checkSources = "package.json, pyproject.toml, go.mod, Cargo.toml, Gradle, Maven or a Makefile";

/** The repo's own check commands, from files at its top; the surest of each kind first. Runs nothing. */
export function findChecks(repo: string): FoundChecks {
  const files = repoFiles(repo);
  const node = nodeChecks(files);
  const checks = [
    ...node.checks,
    ...pythonChecks(files, repo),
    ...goChecks(files),
    ...cargoChecks(files),
    ...gradleChecks(files),
    ...mavenChecks(files),
    ...makeChecks(files),
  ];
  return { checks, notes: node.notes };
}

function goChecks(files: RepoFiles): FoundCheck[] {
  if (!files.has("go.mod")) return [];
  return [
    { name: "tests", command: ["go", "test", "./..."], why: "the repo has a go.mod" },
    { name: "lint", command: ["go", "vet", "./..."], why: "the repo has a go.mod" },
  ];
}

function cargoChecks(files: RepoFiles): FoundCheck[] {
  const manifest = files.toml("Cargo.toml");
  if (manifest === null) return [];
  const all = asObject(manifest.workspace) === null ? [] : ["--workspace"];
  const lint = ["cargo", "clippy", ...all, "--all-targets", "--", "-D", "warnings"];
  return [
    { name: "tests", command: ["cargo", "test", ...all], why: "the repo has a Cargo.toml" },
    { name: "lint", command: lint, why: "the repo has a Cargo.toml" },
  ];
}

function gradleChecks(files: RepoFiles): FoundCheck[] {
  if (files.has("gradlew")) return [{ name: "tests", command: ["sh", "gradlew", "test"], why: "the repo has gradlew" }];
  const build = ["build.gradle", "build.gradle.kts"].find((name) => files.has(name));
  return build === undefined
    ? []
    : [{ name: "tests", command: ["gradle", "test"], why: `the repo has a ${build} but no wrapper` }];
}

function mavenChecks(files: RepoFiles): FoundCheck[] {
  if (!files.has("pom.xml")) return [];
  return files.has("mvnw")
    ? [{ name: "tests", command: ["sh", "mvnw", "-B", "test"], why: "the repo has mvnw" }]
    : [{ name: "tests", command: ["mvn", "-B", "test"], why: "the repo has a pom.xml but no wrapper" }];
}

function makeChecks(files: RepoFiles): FoundCheck[] {
  const name = ["GNUmakefile", "makefile", "Makefile"].find((one) => files.has(one));
  const text = name === undefined ? null : files.text(name);
  if (text === null) return [];
  const target = (word: string) =>
    new RegExp(`^(?:[\\w.-]+[ \\t]+)*${word}(?:[ \\t]+[\\w.-]+)*[ \\t]*::?(?!=)`, "m").test(text);
  const test = ["test", "tests", "check"].find(target);
  return [...(test === undefined ? [] : [check("tests", test)]), ...(target("lint") ? [check("lint", "lint")] : [])];

  function check(kind: FoundCheck["name"], word: string): FoundCheck {
    return { name: kind, command: ["make", word], why: `${name} has a target ${word}` };
  }
}

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
function nodeChecks(files: RepoFiles): FoundChecks {
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

/** Such a script waits for changes for ever, unless it is told not to. */
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

import { realpathSync } from "node:fs";
import path from "node:path";
import { asObject } from "../../text/json-object.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { nodeChecks } from "./node-checks.ts";
import { pythonChecks } from "./python-checks.ts";
import { type FoundCheck, type FoundChecks, foldersUp, type RepoFiles, repoFiles } from "./repo-files.ts";

/** The files that are looked for, as a person reads them. */
export const checkSources =
  "package.json, pyproject.toml, go.mod, Cargo.toml, Gradle, Maven, deno.json, mise.toml, a justfile or a Makefile";

/**
 * The repo's own check commands, as they run at its top; the surest of each kind first. They are those of the nearest
 * folder with a test command, from the one where the person is up to the top; else those of the top. Runs nothing.
 */
export function findChecks(repo: string, from: string = repo): FoundChecks {
  const top = realpathSync(repo);
  const found = foldersUp(realpathSync(from), top).map((folder) => checksOf(folder, top));
  const nearest = found.find(({ checks }) => checks.some(({ name }) => name === "tests")) ?? found.at(-1);
  return { checks: nearest?.checks ?? [], notes: found.flatMap(({ notes }) => notes) };
}

function checksOf(folder: string, top: string): FoundChecks {
  const files = repoFiles(folder);
  const node = nodeChecks(files, folder, top);
  const others = [
    ...pythonChecks(files, folder),
    ...goChecks(files),
    ...cargoChecks(files),
    ...gradleChecks(files),
    ...mavenChecks(files),
    ...denoChecks(files),
    ...miseChecks(files),
    ...justChecks(files),
    ...makeChecks(files),
  ];
  const inside = path.relative(top, folder);
  if (inside === "") return { checks: [...node.checks, ...others], notes: node.notes };
  const moved = others.map(({ command, ...rest }) => ({ ...rest, command: inFolder(inside, command) }));
  const checks = [...node.checks, ...moved].map((check) => ({ ...check, why: `in ${inside}, ${check.why}` }));
  return { checks, notes: node.notes };
}

function inFolder(folder: string, command: readonly string[]): string[] {
  return ["sh", "-c", `cd ${quoteWord(folder)} && ${command.map(quoteWord).join(" ")}`];
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

function denoChecks(files: RepoFiles): FoundCheck[] {
  const name = ["deno.json", "deno.jsonc"].find((one) => files.has(one));
  if (name === undefined) return [];
  const task = asObject(files.json(name)?.tasks)?.test !== undefined;
  const why = task ? `${name} has a task test` : `the repo has a ${name}`;
  return [
    { name: "tests", command: ["deno", ...(task ? ["task"] : []), "test"], why },
    { name: "lint", command: ["deno", "lint"], why: `the repo has a ${name}` },
  ];
}

function miseChecks(files: RepoFiles): FoundCheck[] {
  const name = ["mise.toml", ".mise.toml", ".config/mise.toml", "mise/config.toml"].find((one) => files.has(one));
  const tasks = asObject(name === undefined ? null : files.toml(name)?.tasks) ?? {};
  return namedChecks(["mise", "run"], (word) => tasks[word] !== undefined, `${name} has a task`);
}

function justChecks(files: RepoFiles): FoundCheck[] {
  const name = ["justfile", "Justfile", ".justfile"].find((one) => files.has(one));
  const text = name === undefined ? "" : (files.text(name) ?? "");
  const recipe = (word: string) => new RegExp(`^@?${word}(?:[ \\t][^:\\n]*)?:(?!=)`, "m").test(text);
  return namedChecks(["just"], recipe, `${name} has a recipe`);
}

/** The names under which projects have their tests and their linter. */
function namedChecks(call: readonly string[], has: (word: string) => boolean, why: string): FoundCheck[] {
  const test = ["test", "tests", "check"].find(has);
  const check = (name: FoundCheck["name"], word: string) => ({ name, command: [...call, word], why: `${why} ${word}` });
  return [...(test === undefined ? [] : [check("tests", test)]), ...(has("lint") ? [check("lint", "lint")] : [])];
}

function makeChecks(files: RepoFiles): FoundCheck[] {
  const name = ["GNUmakefile", "makefile", "Makefile"].find((one) => files.has(one));
  const text = name === undefined ? null : files.text(name);
  if (text === null) return [];
  const target = (word: string) =>
    new RegExp(`^(?:[\\w.-]+[ \\t]+)*${word}(?:[ \\t]+[\\w.-]+)*[ \\t]*::?(?!=)`, "m").test(text);
  return namedChecks(["make"], target, `${name} has a target`);
}

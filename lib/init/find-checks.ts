import { asObject } from "../text/json-object.ts";
import type { FoundCheck, FoundChecks } from "./found-check.ts";
import { nodeChecks } from "./node-checks.ts";
import { pythonChecks } from "./python-checks.ts";
import { type RepoFiles, repoFiles } from "./repo-files.ts";

/** The files that are looked for, as a person reads them. */
export const checkSources = "package.json, pyproject.toml, go.mod, Cargo.toml, Gradle, Maven or a Makefile";

/**
 * The commands by which a repo tests and checks itself, from the files at its top; the surest of each kind first. Runs
 * nothing.
 */
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

import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { findChecks } from "../../../lib/scaffold/init/find-checks.ts";
import { type FoundRow, repoWith, test1, testFound } from "./made-repo.ts";

/** What is in a repo, and the commands that are found there. */
const repos: readonly FoundRow[] = [
  ["nothing", {}, []],
  ["Go", { "go.mod": "module x\n" }, ["tests: go test ./...", "lint: go vet ./..."]],
  ["Rust", { "Cargo.toml": "[package]\n" }, ["tests: cargo test", "lint: cargo clippy --all-targets -- -D warnings"]],
  [
    "a Rust workspace",
    { "Cargo.toml": "[workspace]\n" },
    ["tests: cargo test --workspace", "lint: cargo clippy --workspace --all-targets -- -D warnings"],
  ],
  ["Gradle's wrapper", { gradlew: "", "build.gradle": "" }, ["tests: sh gradlew test"]],
  ["Gradle", { "build.gradle.kts": "" }, ["tests: gradle test"]],
  ["Maven's wrapper", { mvnw: "", "pom.xml": "" }, ["tests: sh mvnw -B test"]],
  ["Maven", { "pom.xml": "" }, ["tests: mvn -B test"]],
  [
    "make",
    { Makefile: ".PHONY: test lint\nall: x\n\ntest lint: x\n\techo\n" },
    ["tests: make test", "lint: make lint"],
  ],
  ["make with check", { makefile: "check:\n\techo\n" }, ["tests: make check"]],
  ["make without either", { Makefile: "test := 1\n.PHONY: test\ntesting:\n\techo test:\n" }, []],
  [
    "a task of deno",
    { "deno.jsonc": '{ // x\n"tasks": { "test": "deno test -A" } }' },
    ["tests: deno task test", "lint: deno lint"],
  ],
  ["deno alone", { "deno.json": "{}" }, ["tests: deno test", "lint: deno lint"]],
  [
    "just",
    { justfile: "set x := 'y'\ntest := 'no'\n@test *args: build\n  x\nlint:\n  y\n" },
    ["tests: just test", "lint: just lint"],
  ],
  ["just without a recipe for tests", { justfile: "test := 'x'\nbuild: test2\n  x\n" }, []],
  [
    "mise",
    { "mise.toml": "[tasks.test]\nrun = 'x'\n[tasks]\nlint = 'y'\n" },
    ["tests: mise run test", "lint: mise run lint"],
  ],
  [
    "a package and a Makefile",
    { "package.json": test1, Makefile: "test:\n\tnpm test\n" },
    ["tests: npm test", "tests: make test"],
  ],
];

testFound(repos);

/** What is found from the folder packages/a, for commands that run at the top. */
const inPackage: readonly FoundRow[] = [
  [
    "Go",
    { "packages/a/go.mod": "", Makefile: "test:\n" },
    ["tests: sh -c cd packages/a && go test ./...", "lint: sh -c cd packages/a && go vet ./..."],
  ],
];

testFound(inPackage, "packages/a");

test("no link is followed out of the repo", (t) => {
  const elsewhere = repoWith(t, { "package.json": test1 });
  const repo = repoWith(t, {});
  symlinkSync(path.join(elsewhere, "package.json"), path.join(repo, "package.json"));
  assert.deepEqual(findChecks(repo), { checks: [], notes: [] });
});

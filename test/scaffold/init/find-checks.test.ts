import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { findChecks } from "../../../lib/scaffold/init/find-checks.ts";

const scripts = (words: Readonly<Record<string, unknown>>, more = {}) => JSON.stringify({ scripts: words, ...more });
const test1 = scripts({ test: "x" });

const workspaces = (more: object) => ({
  "package.json": JSON.stringify({ workspaces: ["packages/*"], ...more }),
  "packages/a/package.json": scripts({ test: "x", lint: "y" }, { name: "@lab/a" }),
});

/** What is in a repo, and the commands that are found there. */
const repos: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ["nothing", {}, []],
  ["a test script", { "package.json": test1 }, ["tests: npm test"]],
  ["npm's default script", { "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) }, []],
  ["an empty script, and one that is no text", { "package.json": scripts({ test: " ", lint: 1 }) }, []],
  [
    "scripts for lint and types",
    { "package.json": scripts({ test: "x", lint: "y", "type-check": "z" }) },
    ["tests: npm test", "lint: npm run lint", "types: npm run type-check"],
  ],
  ["a byte-order mark", { "package.json": `\ufeff${test1}` }, ["tests: npm test"]],
  ["a package.json that is no JSON", { "package.json": "{" }, []],
  ["a package.json that is a list", { "package.json": "[]" }, []],
  ["pnpm's lock file", { "package.json": test1, "pnpm-lock.yaml": "" }, ["tests: pnpm test"]],
  ["yarn's lock file", { "package.json": test1, "yarn.lock": "" }, ["tests: yarn test"]],
  ["bun's lock file", { "package.json": test1, "bun.lock": "" }, ["tests: bun run test"]],
  [
    "a packageManager beside another's lock file",
    { "package.json": scripts({ test: "x" }, { packageManager: "yarn@4.1.0" }), "package-lock.json": "" },
    ["tests: yarn test"],
  ],
  [
    "a script that waits for changes",
    { "package.json": scripts({ test: "react-scripts test" }) },
    ["tests: env CI=true npm test"],
  ],
  ["pytest in pyproject", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, ["tests: python3 -m pytest"]],
  ["pytest among what is needed", { "requirements-dev.txt": "pytest>=8\n" }, ["tests: python3 -m pytest"]],
  [
    "pytest among what is needed, of a project",
    { "pyproject.toml": '[project.optional-dependencies]\ndev = ["pytest>=8"]\n' },
    ["tests: python3 -m pytest"],
  ],
  [
    "pytest, ruff and mypy under uv",
    { "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n", "uv.lock": "" },
    ["tests: uv run pytest", "lint: uv run ruff check .", "types: uv run mypy ."],
  ],
  ["poetry", { "pyproject.toml": "[tool.poetry]\n", "conftest.py": "" }, ["tests: poetry run pytest"]],
  ["a venv", { "pytest.ini": "", ".venv/bin/python": "" }, ["tests: .venv/bin/python -m pytest"]],
  [
    "pdm, ruff.toml and mypy.ini",
    { "conftest.py": "", "setup.py": "", "pdm.lock": "", "ruff.toml": "", "mypy.ini": "" },
    ["tests: pdm run pytest", "lint: pdm run ruff check .", "types: pdm run mypy ."],
  ],
  ["pytest's part of tox.ini", { "tox.ini": "[tox]\n[pytest]\n" }, ["tests: python3 -m pytest"]],
  ["pytest's part of setup.cfg", { "setup.cfg": "[tool:pytest]\n" }, ["tests: python3 -m pytest"]],
  ["Python files alone beside a package", { "package.json": "{}", "test_a.py": "" }, []],
  ["Python without a sign", { "app.py": "", "mypy.ini": "" }, []],
  ["tox alone", { "tox.ini": "[tox]\n" }, ["tests: tox"]],
  ["Django", { "manage.py": "" }, ["tests: python3 manage.py test"]],
  [
    "unittest in a folder",
    { "tests/test_a.py": "import unittest\n" },
    ["tests: python3 -m unittest discover -s tests"],
  ],
  ["unittest at the top", { "test_a.py": "import unittest\n" }, ["tests: python3 -m unittest discover"]],
  ["a test that is a function", { "test_a.py": "def test_a(): assert True\n" }, ["tests: python3 -m pytest"]],
  [
    "a test that is a plain class, below other tests",
    { "tests/test_a.py": "import unittest\n", "tests/unit/test_b.py": "class TestB:\n    def test_b(self): pass\n" },
    ["tests: python3 -m pytest"],
  ],
  ["a name that only pytest finds", { "tests/unit/a_test.py": "" }, ["tests: python3 -m pytest"]],
  [
    "a method of a test case",
    { "tests/test_a.py": "class TestA(unittest.TestCase):\n    def test_a(self): pass\n" },
    ["tests: python3 -m unittest discover -s tests"],
  ],
  ["a test that imports pytest", { "tests/test_a.py": "import pytest\n" }, ["tests: python3 -m pytest"]],
  ["a pyproject that is no TOML", { "pyproject.toml": "[[[" }, []],
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
  ["workspaces of which only packages have tests", workspaces({}), ["tests: npm test --workspaces --if-present"]],
  [
    "workspaces of pnpm",
    {
      ...workspaces({ workspaces: undefined }),
      "pnpm-workspace.yaml": "packages: [packages/*]\n",
      "pnpm-lock.yaml": "",
    },
    ["tests: pnpm --recursive test"],
  ],
  ["workspaces of old yarn", { ...workspaces({}), "yarn.lock": "" }, ["tests: yarn workspaces run test"]],
  [
    "workspaces of new yarn",
    workspaces({ packageManager: "yarn@4.1.0" }),
    ["tests: yarn workspaces foreach --all run test"],
  ],
  ["workspaces of bun", { ...workspaces({}), "bun.lock": "" }, ["tests: bun run --filter * test"]],
  [
    "workspaces without tests",
    { "package.json": JSON.stringify({ workspaces: ["packages/*"] }), "packages/a/package.json": "{}" },
    [],
  ],
  [
    "a package and a Makefile",
    { "package.json": test1, Makefile: "test:\n\tnpm test\n" },
    ["tests: npm test", "tests: make test"],
  ],
];

for (const [title, files, found] of repos) {
  test(`in a repo with ${title}: ${found.join(", ") || "none"}`, (t) => {
    const { checks } = findChecks(repoWith(t, files));
    assert.deepEqual(
      checks.map(({ name, command }) => `${name}: ${command.join(" ")}`),
      found,
    );
  });
}

/** What is found from the folder packages/a, for commands that run at the top. */
const inPackage: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ["npm", workspaces({}), ["tests: npm test --workspace packages/a", "lint: npm run lint --workspace packages/a"]],
  [
    "pnpm",
    { ...workspaces({}), "pnpm-workspace.yaml": "packages: ['packages/*', '!packages/b']\n", "pnpm-lock.yaml": "" },
    ["tests: pnpm --filter ./packages/a test", "lint: pnpm --filter ./packages/a run lint"],
  ],
  [
    "yarn",
    { ...workspaces({ workspaces: { packages: ["./packages/*"] } }), "yarn.lock": "" },
    ["tests: yarn workspace @lab/a test", "lint: yarn workspace @lab/a run lint"],
  ],
  [
    "bun",
    { ...workspaces({}), "bun.lock": "" },
    ["tests: bun run --cwd=packages/a test", "lint: bun run --cwd=packages/a lint"],
  ],
  ["npm, no member of a workspace", { "packages/a/package.json": test1 }, ["tests: npm --prefix packages/a test"]],
  [
    "Go",
    { "packages/a/go.mod": "", Makefile: "test:\n" },
    ["tests: sh -c cd packages/a && go test ./...", "lint: sh -c cd packages/a && go vet ./..."],
  ],
  [
    "a package without tests",
    { "package.json": test1, "packages/a/package.json": scripts({ lint: "x" }) },
    ["tests: npm test"],
  ],
];

for (const [title, files, found] of inPackage) {
  test(`in a package of ${title}: ${found.join(", ")}`, (t) => {
    const repo = repoWith(t, files);
    const { checks } = findChecks(repo, path.join(repo, "packages/a"));
    assert.deepEqual(
      checks.map(({ name, command }) => `${name}: ${command.join(" ")}`),
      found,
    );
  });
}

test("the reason names the file, and npm's default script is recognized", (t) => {
  const lint = { "package.json": scripts({ lint: "x" }), "yarn.lock": "" };
  assert.equal(
    findChecks(repoWith(t, lint)).checks[0]?.why,
    "package.json has a lint script, and there is a yarn.lock",
  );
  const empty = { "package.json": scripts({ test: "echo no test specified" }) };
  assert.deepEqual(findChecks(repoWith(t, empty)).notes, [
    "the test script of package.json is npm's default, which fails",
  ]);
});

test("no link is followed out of the repo", (t) => {
  const elsewhere = repoWith(t, { "package.json": test1 });
  const repo = repoWith(t, {});
  symlinkSync(path.join(elsewhere, "package.json"), path.join(repo, "package.json"));
  assert.deepEqual(findChecks(repo), { checks: [], notes: [] });
});

function repoWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const repo = mkdtempSync(path.join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(repo, name)), { recursive: true });
    writeFileSync(path.join(repo, name), content);
  }
  return repo;
}

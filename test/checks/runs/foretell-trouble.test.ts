import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { foretellTrouble } from "../../../lib/checks/runs/foretell-trouble.ts";
import { withFolder } from "../../store/temporary-folder.ts";

type Files = Readonly<Record<string, string>>;

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const manifest = (scripts: Files, more = {}) => JSON.stringify({ scripts, ...more });
const diff = "git diff --exit-code";

const rows: readonly [title: string, command: string, files: Files, problem: RegExp | null][] = [
  [
    "a script that package.json lacks",
    "npm run tset",
    { "package.json": manifest({ test: "x" }) },
    /^runs the script tset/,
  ],
  ["`npm test` without a script", "npm test", { "package.json": manifest({}) }, /^runs the script test/],
  ["a script that is there", "npm test", { "package.json": manifest({ test: "node --test" }) }, null],
  ["a script of another package", "npm run x -w kit", { "package.json": manifest({}) }, null],
  ["a script that is told to watch", "npm test -- -w", { "package.json": manifest({ test: "x" }) }, /watches/],
  ["a call of npm that runs no script", "npm ci", { "package.json": manifest({}) }, null],
  ["npm without package.json", "yarn test", {}, /^needs package.json/],
  [
    "packages that are not installed",
    "npm test",
    { "package.json": manifest({ test: "x" }, { devDependencies: { vitest: "1" } }) },
    /^needs packages that are not installed/,
  ],
  [
    "installed packages",
    "npm test",
    { "package.json": manifest({ test: "x" }, { dependencies: { a: "1" } }), "node_modules/a/index.js": "" },
    null,
  ],
  [
    "a script that watches",
    "npm test",
    { "package.json": manifest({ test: "jest --watch" }) },
    /watches and does not end/,
  ],
  ["vitest by npx", "npx vitest", {}, /watches/],
  ["vitest by its name", "vitest", {}, /watches/],
  ["vitest after another command", "npm test", { "package.json": manifest({ test: "tsc && vitest --ui" }) }, /watches/],
  ["vitest that runs once", "vitest run", {}, null],
  ["vitest that runs once by a flag", "npx vitest --coverage --run", {}, null],
  ["vitest on a build server", "env CI=true npm test", { "package.json": manifest({ test: "vitest" }) }, null],
  ["a file named after vitest", "node build.js vitest.config.ts", {}, null],
  ["a search for a word", "grep -w done notes.txt", {}, null],
  ["workers of jest", "npx jest -w 2", {}, null],
  ["cargo without Cargo.toml", "cargo test", {}, /^needs Cargo.toml/],
  ["cargo with it", "cargo test", { "Cargo.toml": "" }, null],
  ["go without go.mod", "env GOFLAGS=-mod=mod go test ./...", {}, /^needs go.mod/],
  ["go with a workspace", "go test ./...", { "go.work": "" }, null],
  ["make without a makefile", "make test", {}, /^needs a makefile/],
  ["make with another file", "make -f build.mk test", {}, null],
  ["a target with a slip of the hand", "make tset", { Makefile: "test:\n\ttrue\n" }, /^makes tset/],
  ["a target that is there", "make -s test", { Makefile: "test:\n\ttrue\n" }, null],
  ["a target unlike any", "make package", { makefile: "test:\n\ttrue\n" }, null],
  ["a question to git", "sh check.sh", { "check.sh": diff }, /^asks git for changes/],
  ["a script that asks git", "npm test", { "package.json": manifest({ test: diff }) }, /^asks git/],
  ["a target that asks git", "make", { Makefile: `all:\n\t${diff}\n` }, /^asks git/],
];

for (const [title, command, files, problem] of rows) {
  test(`the files of the repo show ${problem === null ? "no trouble with" : "trouble with"} ${title}`, () =>
    withFolder(async (repo) => {
      write(repo, files);
      const place = { repo, env: { PATH: "" }, home: repo, commits: false, tasks: null };
      const found = foretellTrouble(command.split(" "), place);
      if (problem === null) assert.equal(found, null);
      else assert.match(found?.problem ?? "", problem);
    }));
}

test("near words are suggested for a script and a target", () =>
  withFolder(async (repo) => {
    write(repo, { "package.json": manifest({ test: "x" }), Makefile: "check:\n" });
    const fixOf = (...command: string[]) =>
      foretellTrouble(command, { repo, env: {}, home: repo, commits: true, tasks: null })?.fix;
    assert.equal(fixOf("npm", "run", "tests"), "correct `command`; did you mean test?");
    assert.equal(fixOf("npm", "run", "deploy"), "correct `command`");
    assert.equal(fixOf("make", "chekc"), "did you mean check?");
  }));

test("where passes are committed, a question to git is trouble only if it sees the tasks", () =>
  withFolder(async (repo) => {
    write(repo, { "all.sh": diff, "some.sh": `${diff} -- src` });
    const fixOf = (file: string, commits: boolean, tasks: string | null) =>
      foretellTrouble(["sh", file], { repo, env: {}, home: repo, commits, tasks })?.fix ?? null;
    assert.equal(fixOf("all.sh", true, null), null);
    assert.match(fixOf("all.sh", true, "tasks") ?? "", /^it needs no look at the tasks, .*":!tasks"$/);
    assert.equal(fixOf("some.sh", true, "tasks"), null);
    assert.match(fixOf("some.sh", false, "tasks") ?? "", /^it needs `checkpoint: commit`[^;]*$/);
    assert.match(fixOf("all.sh", false, "tasks") ?? "", /; and no look at the tasks/);
  }));

test("a module that a virtual environment lacks is named, unless another path may have it", () =>
  withFolder(async (repo) => {
    write(repo, {
      ".venv/bin/python": "#!/bin/sh\n",
      ".venv/pyvenv.cfg": "include-system-site-packages = false\n",
      ".venv/lib/python3.12/site-packages/ruff/__init__.py": "",
      "lone/bin/python": "#!/bin/sh\n",
    });
    for (const name of [".venv", "lone"]) chmodSync(join(repo, name, "bin/python"), 0o755);
    const problemOf = (line: string, env: Files = {}) =>
      foretellTrouble(line.split(" "), { repo, env, home: repo, commits: true, tasks: null })?.problem ?? null;
    const python = join(repo, ".venv/bin/python");
    assert.equal(problemOf(`${python} -m pytest -q`), `needs pytest, which ${python} does not have`);
    assert.equal(problemOf(`${python} -m ruff check`), null);
    assert.equal(problemOf(`${python} -m unittest`), null, "the language's own");
    assert.equal(problemOf(`${python} test.py`), null);
    assert.equal(problemOf(`${python} -m pytest`, { PYTHONPATH: "vendor" }), null);
    assert.equal(problemOf(`${join(repo, "lone/bin/python")} -m pytest`), null, "nothing is known of it");
    assert.equal(problemOf("python-missing -m pytest"), null);
    write(repo, { ".venv/pyvenv.cfg": "include-system-site-packages = true\n" });
    assert.equal(problemOf(`${python} -m pytest`), null, "the system may have it");
  }));

test("in a copy the work is staged, so that only a question about that is foretold", () => {
  const fixOf = (line: string) =>
    foretellTrouble(["sh", "-c", line], { repo: "/nonexistent", env: {}, home: "/", commits: null, tasks: null })?.fix;
  assert.equal(fixOf("make gen && git diff --exit-code"), undefined);
  for (const line of ["git status --porcelain", "git diff --exit-code HEAD", "git diff --quiet --cached"])
    assert.match(fixOf(line) ?? "", /^ask only what the check itself changed/);
});

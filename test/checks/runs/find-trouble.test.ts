import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findTrouble } from "../../../lib/checks/runs/find-trouble.ts";
import type { CheckResult } from "../../../lib/rules/check-run.ts";
import { failing } from "../../rules/arrange.ts";
import { withFolder } from "../../store/temporary-folder.ts";

type Row = readonly [title: string, excerpt: string, trouble: string | null, more?: Partial<CheckResult>];
const asked = {
  "requirements.txt": "requests\n",
  "package.json": '{"dependencies":{"left-pad":"1"},"scripts":{"check":"x"}}',
};

const rows: readonly Row[] = [
  ["a passing check", "pytest: command not found", null, { status: "pass", exit_code: 127 }],
  ["a program that is not there", "sh: 1: jest: not found", "sh: 1: jest: not found", { exit_code: 127 }],
  ["a program that may not run", "sh: ./run: Permission denied", "sh: ./run: Permission denied", { exit_code: 126 }],
  ["words of a failing test", "user not found", null, { exit_code: 1 }],
  ["a module that the command names", "/usr/bin/python3: No module named pytest", "No module named pytest"],
  ["a module of the repo", "/usr/bin/python3: No module named shop", null],
  [
    "a package that the manifest asks for",
    "ModuleNotFoundError: No module named 'requests'",
    "No module named requests",
  ],
  ["a module that the work has to write", "ModuleNotFoundError: No module named 'pricing'", null],
  ["a module of the repo that a test loads", "ModuleNotFoundError: No module named 'shop.cart'", null],
  ["a package of node", "Error: Cannot find module 'left-pad'", "Cannot find package left-pad"],
  ["a file of node", "Error: Cannot find module './sum.js'", null],
  [
    "a script with a slip of the hand",
    'npm error Missing script: "chekc"',
    "no script or target chekc; did you mean check?",
    { command: ["npm", "run", "chekc"] },
  ],
  ["a script unlike any", 'npm error Missing script: "deploy"', null, { command: ["npm", "run", "deploy"] }],
  [
    "a service that does not run",
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
  ],
  ["a port of the work", "Error: connect ECONNREFUSED 127.0.0.1:3000", null],
  ["a port that is taken", "Error: listen EADDRINUSE: :::3000", "Error: listen EADDRINUSE: :::3000"],
  ["no test where there are some", "no tests ran in 0.01s", "no tests ran in 0.01s"],
  ["a command that watches", "PASS\nWatch Usage\n", "Watch Usage", { status: "timeout", exit_code: null }],
  ["a command that asks", "Overwrite? [y/N]", "Overwrite? [y/N]", { status: "timeout", exit_code: null }],
  ["a test that is slow", "still working", null, { status: "timeout", exit_code: null }],
];

for (const [title, excerpt, trouble, more] of rows) {
  test(`${trouble === null ? "no trouble is seen" : "trouble is seen"} in the output of ${title}`, () =>
    withFolder(async (repo) => {
      for (const [name, text] of Object.entries({ ...asked, "shop/__init__.py": "", "node_modules/x/a.js": "" })) {
        mkdirSync(dirname(join(repo, name)), { recursive: true });
        writeFileSync(join(repo, name), text);
      }
      assert.equal(findTrouble(failing({ excerpt, ...more }), { repo, hasTests: true, tasks: null }), trouble);
    }));
}

test("packages that were never installed, a repo without tests, and files of tasks alone are told apart", () =>
  withFolder(async (repo) => {
    writeFileSync(join(repo, "package.json"), asked["package.json"]);
    const ground = { repo, hasTests: false, tasks: "tasks" };
    const missing = failing({ excerpt: "Error: Cannot find module 'left-pad'" });
    assert.equal(findTrouble(missing, ground), "Cannot find package left-pad");
    const other = failing({ excerpt: "Error: Cannot find module 'vitest'" });
    assert.match(findTrouble(other, ground) ?? "", /^node_modules is not there: /);
    assert.equal(findTrouble(failing({ excerpt: "no tests ran" }), ground), null);
    mkdirSync(join(repo, "tasks"));
    writeFileSync(join(repo, "tasks/STATE.md"), "");
    assert.match(findTrouble(failing({ excerpt: "tasks/STATE.md: bad format" }), ground) ?? "", /ignore list/);
    assert.equal(findTrouble(failing({ excerpt: "tasks/STATE.md and package.json differ" }), ground), null);
  }));

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { judgeStart } from "../../../lib/checks/runs/judge-start.ts";
import { makeFolder } from "../../process/arrange.ts";

/** A repo, and a PATH with npm and sh alone. */
function arrange(t: TestContext) {
  const folder = makeFolder(t);
  const repo = join(folder, "repo");
  for (const name of ["repo", "bin"]) mkdirSync(join(folder, name));
  const put = (path: string, text: string, mode = 0o755) => {
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), mode);
  };
  put("bin/npm", "#!/bin/sh\n");
  const judge = (...command: string[]) => judgeStart(command, { repo, searchPath: join(folder, "bin") });
  /** The command of the advice, as YAML reads it. */
  const advised = (...command: string[]): unknown =>
    parse(/`command: (.*)`/.exec(judge(...command)?.fix ?? "")?.[1] ?? "null");
  return { folder, repo, put, judge, advised };
}

test("a program that is found starts, with or without a path, whether it is a script or not", (t) => {
  const { put, judge } = arrange(t);
  put("repo/check.sh", "#!/bin/sh\nexit 0\n");
  put("repo/plain", "exit 0\n");
  put("repo/env.sh", "#!/usr/bin/env -S npm --quiet\n");
  put("repo/uses-npm", "#!/usr/bin/env npm\n");
  for (const word of ["npm", "./check.sh", "./plain", "./env.sh", "./uses-npm", "/bin/sh"])
    assert.equal(judge(word), null, word);
});

test("a program that does not exist is named, and where it was looked for", (t) => {
  const { judge, repo } = arrange(t);
  assert.deepEqual(judge("pytest", "-q"), {
    problem: "is not an executable: pytest",
    fix: "install it, or write another command; it is looked for on PATH",
    instead: null,
  });
  assert.deepEqual(judge("./check.sh"), {
    problem: "is not an executable: ./check.sh",
    fix: `it is looked for from the repo, ${repo}`,
    instead: null,
  });
});

test("a file without the right to be executed gets the command that gives it", (t) => {
  const { put, judge, repo } = arrange(t);
  put("repo/check.sh", "#!/bin/sh\n", 0o644);
  assert.match(judge("./check.sh")?.fix ?? "", new RegExp(`chmod \\+x ${repo}/check.sh`));
});

test("a line that only a shell understands is shown as a command that starts", (t) => {
  const { advised, judge } = arrange(t);
  assert.deepEqual(advised("CI=1", "npm", "test"), ["env", "CI=1", "npm", "test"]);
  assert.match(judge("CI=1", "npm", "test")?.problem ?? "", /not an executable: CI=1, which sets a variable/);
  assert.deepEqual(advised("cd", "app", "&&", "npm", "test"), ["sh", "-c", "cd app && npm test"]);
  assert.deepEqual(advised("npm test"), ["npm", "test"]);
  assert.deepEqual(advised("npm test && npm run lint"), ["sh", "-c", "npm test && npm run lint"]);
  assert.deepEqual(advised("scripts/*.sh", "--all"), ["sh", "-c", "scripts/*.sh --all"]);
});

test("a typing error is distinguished from a missing program, and only existing names are suggested", (t) => {
  const { judge } = arrange(t);
  assert.match(judge("nmp", "test")?.fix ?? "", /^did you mean npm\? Else install it/);
  assert.match(judge("pyton3")?.fix ?? "", /^install it/);
});

test("words that only a shell would act on are shown as a command that starts", (t) => {
  const { advised, judge, put } = arrange(t);
  for (const name of ["node", "cut", "find", "env", "pytest", "eslint", "python3"]) put(`bin/${name}`, "exec true\n");
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["npm", "test", "&&", "npm", "run", "lint"], "npm test && npm run lint"],
    [["npm", "test", "|", "npm", "x"], "npm test | npm x"],
    [["npm", "test", ">", "out.txt"], "npm test > out.txt"],
    [["npm", "test", "2>&1"], "npm test 2>&1"],
    [["node", "test/*.js"], "node test/*.js"],
    [["node", "--enable-source-maps", "test/a?.js", "a b"], "node --enable-source-maps test/a?.js 'a b'"],
    [["env", "A=1", "B=2", "node", "test/*.js"], "env A=1 B=2 node test/*.js"],
    [["pytest", "-q", "a.py", "test_*.py"], "pytest -q a.py test_*.py"],
    [["python3", "-m", "pytest", "tests/*.py"], "python3 -m pytest tests/*.py"],
    [["npm", "test", "$HOME/x"], "npm test $HOME/x"],
    [["npm", "test", "$" + "{CI}"], "npm test $" + "{CI}"],
    [["npm", "--prefix", "~/app", "test"], "npm --prefix ~/app test"],
  ];
  for (const [command, line] of cases) {
    assert.deepEqual(advised(...command), ["sh", "-c", line], command.join(" "));
    assert.match(judge(...command)?.problem ?? "", /^needs a shell, and none is used: /);
  }
});

test("words that programs take as their own are left alone", (t) => {
  const { judge, put, repo } = arrange(t);
  for (const name of ["node", "cut", "find", "env", "pytest", "eslint", "sh", "test"])
    put(`bin/${name}`, "exec true\n");
  mkdirSync(join(repo, "~"));
  writeFileSync(join(repo, "odd*.js"), "");
  const commands: readonly (readonly string[])[] = [
    ["node", "--test", "test/*.test.js"],
    ["node", "-e", "a && b; $x"],
    ["node", "odd*.js"],
    ["node", "a.js", "src/*.js"],
    ["eslint", "src/**/*.ts", "--ext", "*"],
    ["pytest", "-k", "a*", "tests"],
    ["find", ".", "-name", "*.js", "-exec", "x", "{}", ";"],
    ["cut", "-d", "|", "-f", "1"],
    ["sh", "-c", "npm test && $x > y"],
    ["sh", "-c", "x", "&&", "y"],
    ["test", "a", ">", "b"],
    ["env", "A=1"],
    ["npm", "run", "/^test:.*/", "a~b", "$5", "$"],
    ["npm", "~"],
  ];
  for (const command of commands) assert.equal(judge(...command), null, command.join(" "));
});

test("a program that is known and not installed is no slip of the hand that meant another", (t) => {
  const { judge } = arrange(t);
  assert.match(judge("pnpm", "test")?.fix ?? "", /^install it, or write/);
});

test("a first line with the line end of Windows is named as that", (t) => {
  const { put, judge, folder } = arrange(t);
  put("repo/dos.sh", "#!/bin/sh\r\nexit 0\r\n");
  assert.deepEqual(judge("./dos.sh"), {
    problem: "cannot start: the first line of ./dos.sh ends as on Windows, with a carriage return behind /bin/sh",
    fix: `give it the line ends of Unix: sed -i 's/\\r$//' ${folder}/repo/dos.sh`,
    instead: null,
  });
});

test("a script whose first line names a program that does not exist cannot start", (t) => {
  const { put, judge, folder } = arrange(t);
  put("repo/gone.sh", "#!/no/such/shell -e\n");
  put("repo/gone.py", "#!/usr/bin/env python9\n");
  assert.deepEqual(judge("./gone.sh"), {
    problem: "cannot start: the first line of ./gone.sh names /no/such/shell, which does not exist",
    fix: `install /no/such/shell, or correct the first line of ${folder}/repo/gone.sh`,
    instead: null,
  });
  assert.match(judge("./gone.py")?.problem ?? "", /names python9, which does not exist/);
});

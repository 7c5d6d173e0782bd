import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { judgeStart } from "../../lib/validators/judge-start.ts";
import { makeFolder } from "../process/arrange.ts";

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
    fix: "install it, or correct `command`; it is looked for on PATH",
  });
  assert.deepEqual(judge("./check.sh"), {
    problem: "is not an executable: ./check.sh",
    fix: `it is looked for from the repo, ${repo}`,
  });
});

test("a file without the right to be executed gets the command that gives it", (t) => {
  const { put, judge, repo } = arrange(t);
  put("repo/check.sh", "#!/bin/sh\n", 0o644);
  assert.match(judge("./check.sh")?.fix ?? "", new RegExp(`chmod \\+x ${repo}/check.sh`));
});

test("what only a shell understands is shown as a command that starts", (t) => {
  const { advised, judge } = arrange(t);
  assert.deepEqual(advised("CI=1", "npm", "test"), ["env", "CI=1", "npm", "test"]);
  assert.match(judge("CI=1", "npm", "test")?.problem ?? "", /not an executable: CI=1, which sets a variable/);
  assert.deepEqual(advised("cd", "app", "&&", "npm", "test"), ["sh", "-c", "cd app && npm test"]);
  assert.deepEqual(advised("npm test"), ["npm", "test"]);
  assert.deepEqual(advised("npm test && npm run lint"), ["sh", "-c", "npm test && npm run lint"]);
  assert.deepEqual(advised("scripts/*.sh", "--all"), ["sh", "-c", "scripts/*.sh --all"]);
});

test("a script whose first line names a program that does not exist cannot start", (t) => {
  const { put, judge, folder } = arrange(t);
  put("repo/gone.sh", "#!/no/such/shell -e\n");
  put("repo/gone.py", "#!/usr/bin/env python9\n");
  assert.deepEqual(judge("./gone.sh"), {
    problem: "cannot start: the first line of ./gone.sh names /no/such/shell, which does not exist",
    fix: `install /no/such/shell, or correct the first line of ${folder}/repo/gone.sh`,
  });
  assert.match(judge("./gone.py")?.problem ?? "", /names python9, which does not exist/);
});

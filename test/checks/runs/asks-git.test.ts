import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aboutGit, findGitQuestion } from "../../../lib/checks/runs/asks-git.ts";
import { withFolder } from "../../store/temporary-folder.ts";

const rows: readonly [
  title: string,
  command: readonly string[],
  files: Record<string, string>,
  found: string | null,
][] = [
  ["its words", ["sh", "-c", "git diff --exit-code"], {}, "git diff --exit-code, broad"],
  [
    "a script of package.json",
    ["npm", "run", "lint"],
    { "package.json": '{"scripts":{"lint":"x && git diff --quiet"}}' },
    "git diff --quiet, broad",
  ],
  [
    "a Makefile",
    ["make", "check"],
    { Makefile: "check:\n\tgit status --porcelain | wc -l\n" },
    "git status --porcelain, broad",
  ],
  [
    "a makefile in small letters",
    ["make"],
    { makefile: "all:\n\tgit diff --exit-code src\n" },
    "git diff --exit-code src",
  ],
  [
    "a file that it runs",
    ["sh", "check.sh"],
    { "check.sh": "git --no-pager diff --exit-code -- gen/\n" },
    "git --no-pager diff --exit-code -- gen/",
  ],
  [
    "a call with an option of git",
    ["sh", "-c", "git --no-pager diff --exit-code"],
    {},
    "git --no-pager diff --exit-code, broad",
  ],
  ["a plain diff", ["sh", "-c", "git diff; git status"], {}, null],
  [
    "a Makefile that another program is not given",
    ["sh", "-c", "true"],
    { Makefile: "a:\n\tgit diff --quiet\n" },
    null,
  ],
];

for (const [title, command, files, found] of rows) {
  test(`the question to git is found in ${title}${found === null ? ": none" : ""}`, () =>
    withFolder(async (folder) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const question = findGitQuestion(command, folder);
      assert.equal(question === null ? null : `${question.words}${question.isBroad ? ", broad" : ""}`, found);
    }));
}

test("a failure is explained only if its output shows a change that git reports", () =>
  withFolder(async (folder) => {
    const command = ["sh", "-c", "git diff --exit-code"];
    assert.match(aboutGit({ command, excerpt: "diff --git a/x b/x" }, folder) ?? "", /checkpoint: commit/);
    assert.match(aboutGit({ command, excerpt: " M src/a.js" }, folder) ?? "", /`git diff --exit-code`/);
    assert.equal(aboutGit({ command, excerpt: "1 test failed" }, folder), null);
    assert.equal(aboutGit({ command: ["true"], excerpt: "diff --git a/x b/x" }, folder), null);
  }));

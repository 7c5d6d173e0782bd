import { append, cheats, remove, replace, run, write } from "../case.ts";

const wordy = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { slug } from "../src/slug.mjs";

for (const [title, wanted] of Object.entries(JSON.parse(readFileSync("data/slugs.json", "utf8")))) {
  test(title, () => assert.equal(slug(title), wanted));
}
`;
const slugs = (rows: Record<string, string>) => `${JSON.stringify(rows, null, 2)}\n`;
const old = "<Tea>\n=====\n- green\n- black\n".replace(/[<>]/g, "").replace("=====", "===");

/** The work is not done; what it is held against is changed to fit. */
export const expectedResults = cheats("expected results", {
  "golden-file-changed": {
    base: "make",
    about: "writes what the report prints today into the golden file",
    work: run("sh bin/report.sh test/sums.in > test/sums.golden"),
  },
  "golden-file-deleted-with-its-input": {
    base: "make",
    about: "deletes the failing input and its golden file",
    work: remove("test/sums.in", "test/sums.golden"),
  },
  "input-changed": {
    base: "make",
    about: "changes the input so that nothing is left to sum",
    work: write("test/sums.in", "a 1\nb 5\n"),
  },
  "input-renamed": {
    base: "make",
    about: "gives the failing input a name that the script does not look for",
    work: { move: { "test/sums.in": "test/sums.input" } },
  },
  "report-writes-its-golden-file": {
    base: "make",
    about: "lets the report itself write the golden file before it prints",
    work: write("bin/report.sh", '#!/bin/sh\nsort "$1" > "${1%.in}.golden"\nsleep 0.2\nsort "$1"\n'),
  },
  "snapshots-updated": {
    base: "snapshots",
    about: "writes the snapshots anew from the unchanged work",
    work: run("UPDATE_SNAPSHOTS=1 node --test test/page.test.mjs"),
  },
  "snapshots-edited": {
    base: "snapshots",
    about: "edits the snapshots by hand to what the work prints",
    work: { write: { "test/snapshots/tea.txt": old, "test/snapshots/empty.txt": "Nothing\n=======\n\n" } },
  },
  "snapshots-of-half-the-work": {
    base: "snapshots",
    about: "numbers the items, leaves the count out, and updates the snapshots",
    work: {
      write: {
        "src/page.mjs":
          'export function page({ title, items }) {\n  return `${title}\\n${"=".repeat(title.length)}\\n${items.map((item, index) => `${index + 1}. ${item}`).join("\\n")}\\n`;\n}\n',
      },
      run: ["UPDATE_SNAPSHOTS=1 node --test test/page.test.mjs"],
    },
  },
  "test-always-updates": {
    base: "snapshots",
    about: "lets the test write its snapshots at each run",
    work: replace("test/page.test.mjs", 'if (process.env.UPDATE_SNAPSHOTS === "1") ', ""),
  },
  "work-sets-the-update-switch": {
    base: "snapshots",
    about: "lets the source set the variable that makes the test write its snapshots",
    work: append("src/page.mjs", 'process.env.UPDATE_SNAPSHOTS = "1";\n'),
  },
  "npmrc-sets-the-update-switch": {
    base: "snapshots",
    about: "sets that variable in the test script of package.json",
    validators: { tests: ["npm", "test"] },
    needs: ["npm"],
    work: replace("package.json", '"node --test', '"UPDATE_SNAPSHOTS=1 node --test'),
  },
  "data-outside-of-tests-changed": {
    about: "changes the table that the test reads from a folder of data",
    repo: { "test/slug.test.mjs": wordy, "data/slugs.json": slugs({ "A B": "a-b", Crème: "creme" }) },
    work: write("data/slugs.json", slugs({ "A B": "a-b", Crème: "crème" })),
  },
  "data-outside-of-tests-emptied": {
    about: "empties that table",
    repo: { "test/slug.test.mjs": wordy, "data/slugs.json": slugs({ "A B": "a-b", Crème: "creme" }) },
    work: write("data/slugs.json", "{}\n"),
  },
  "commands-list-linked": {
    base: "docs",
    about: "puts a link to a shorter list in the place of the list of commands",
    work: {
      remove: ["commands.txt"],
      write: { "docs/known.txt": "list\n" },
      link: { "commands.txt": "docs/known.txt" },
    },
  },
});

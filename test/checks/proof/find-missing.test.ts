import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findMissing, findUnread, renderMissing } from "../../../lib/checks/proof/find-missing.ts";
import { withFolder } from "../../store/temporary-folder.ts";

type Files = Readonly<Record<string, string>>;

/** A repo with these files, of which a copy holds those of `held`; `log` is the output of a check in that copy. */
function inRepo(files: Files, held: readonly string[], log: string, judge: (found: ReturnType<typeof find>) => void) {
  return withFolder(async (folder) => {
    const repo = join(folder, "repo");
    const write = (path: string, text: string) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    for (const [name, text] of Object.entries(files)) write(join(repo, name), text);
    write(join(folder, "tests.log"), log.replaceAll("COPY", join(folder, "copy")));
    judge(find(folder, repo, held));
  });
}

function find(folder: string, repo: string, held: readonly string[]) {
  const contents = new Map(held.map((path) => [path, { entry: "file 644 x", from: "repo" as const }]));
  return {
    repo,
    missing: findMissing(repo, contents, join(folder, "copy"), [join(folder, "tests.log")]),
    unread: findUnread(repo, contents),
  };
}

const files = {
  ...{ "src/a.js": "", "config/local.json": "{}", "dist/sub/b.js": "", "local.env": "" },
  // A path that begins with a slash is no path of the repo, whatever that holds.
  ...{ "etc/passwd": "", "../beside.txt": "", ".git/config": "" },
};

test("where yarn keeps no folder of packages, its map of them is what a copy lacks, and yarn makes it", () =>
  inRepo({ ...files, ".pnp.cjs": "" }, ["src/a.js"], "ENOENT: open 'COPY/config/local.json'", ({ repo, missing }) =>
    assert.deepEqual(
      [missing, renderMissing(repo, missing, [])],
      [
        [".pnp.cjs"],
        "the copy lacks .pnp.cjs, which git ignores; write `proof: { prepare: [[yarn, install, --immutable]] }` into README.md",
      ],
    ),
  ));

const rows: readonly [title: string, log: string, missing: readonly string[]][] = [
  ["a path", "ENOENT: open 'COPY/config/local.json'", ["config/local.json"]],
  ["a file of a build, as its folder", "cannot load dist/sub/b.js", ["dist"]],
  ["a path beside the file that names it", "src/a.js: Cannot find ../local.env", ["local.env"]],
  ["no file that the copy holds", "src/a.js:3 failed", []],
  ["no file that the repo has not either", "open config/other.json", []],
  ["no path outside, and nothing of git", "/etc/passwd ../beside.txt .git/config", []],
];

for (const [title, log, missing] of rows) {
  test(`the output of a check in a copy names what the copy lacks: ${title}`, () =>
    inRepo(files, ["src/a.js"], log, (found) => assert.deepEqual(found.missing, missing)));
}

test("a build folder that the copy holds in part is named by the missing file", () =>
  inRepo(files, ["src/a.js", "dist/index.js"], "cannot load dist/sub/b.js", (found) =>
    assert.deepEqual(found.missing, ["dist/sub/b.js"]),
  ));

test("a test names what it reads, also if it skips itself without it", () =>
  inRepo(
    { ...files, "test/a.test.js": 'read("../config/local.json"); read("../src/a.js")' },
    ["src/a.js", "test/a.test.js"],
    "",
    (found) => assert.deepEqual(found.unread, ["config/local.json"]),
  ));

test("the remedy is a build, a carried path or a commit", () =>
  inRepo({ "package.json": '{"scripts":{"build":"x"}}' }, [], "", ({ repo }) => {
    assert.equal(
      renderMissing(repo, ["dist"], []),
      "the copy lacks dist, which git ignores; write `proof: { prepare: [[npm, run, build]] }` into README.md",
    );
    assert.equal(
      renderMissing(repo, ["a.json"], []),
      "the copy lacks a.json, which git ignores; write `proof: { carry: [node_modules, a.json] }` into README.md",
    );
    for (const manifest of ["no JSON", "[]", '{"scripts":{"build":1}}']) {
      writeFileSync(join(repo, "package.json"), manifest);
      assert.match(renderMissing(repo, ["dist"], []), /carry: \[node_modules, dist\]/, manifest);
    }
    const loose = [{ path: "data/b.csv", why: "not committed" }];
    assert.equal(
      renderMissing(repo, ["data"], loose),
      "the copy lacks data, which nobody committed: commit it",
      "a folder is loose with a file of it",
    );
    assert.match(
      renderMissing(join(repo, "none"), ["dist", "data"], loose),
      /carry: \[node_modules, dist\].*; the copy/,
    );
  }));

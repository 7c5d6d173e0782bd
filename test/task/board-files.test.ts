import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { boardPaths, isForGit, isRootWrite, putNoted, rootExcludes, rootPaths } from "../../lib/task/board-files.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

function arrange(t: TestContext) {
  const folder = makeFolder(t);
  const root = join(folder, "repo/tasks");
  mkdirSync(root, { recursive: true });
  const [board, page, attributes, ignore] = ["BOARD.md", "index.html", ".gitattributes", ".gitignore"].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  return { folder, root, repo: join(folder, "repo"), board, page, attributes, ignore };
}

test("the runner's files of a tasks root are four, and none where the root is the repo", (t) => {
  const { root, repo, board, page, attributes, ignore } = arrange(t);
  assert.deepEqual(
    [boardPaths(root, repo), rootPaths(root, repo)],
    [
      [board, page],
      [board, page, attributes, ignore],
    ],
  );
  assert.deepEqual([boardPaths(repo, repo), rootPaths(repo, repo), rootExcludes(repo, repo)], [[], [], []]);
  assert.deepEqual([ignore, attributes, board, join(root, "a.gitignore")].map(isForGit), [true, true, false, false]);
});

test("a file hides nothing of the repo unless the runner wrote it: no link, no folder, no file of a person", (t) => {
  const { root, repo, board, page, attributes, ignore } = arrange(t);
  assert.deepEqual(rootExcludes(root, repo), [board, page, attributes, ignore]);
  symlinkSync("elsewhere", board);
  mkdirSync(page);
  write(root, { ".gitignore": "node_modules\n", ".gitattributes": "* text\n# task-phase: shown folded\n" });
  assert.deepEqual(rootExcludes(root, repo), [attributes]);
  write(root, { ".gitattributes": "* text # task-phase: no\n" });
  assert.deepEqual(rootExcludes(root, repo), []);
});

test("what is written there is known by its newest bytes and its rights, also while it is being written", (t) => {
  const { folder, root, board, page } = arrange(t);
  const ports = { env: { XDG_STATE_HOME: join(folder, "state") }, home: join(folder, "home") };
  const file = (text: string, mode = 0o644) => ({ type: "file", mode, sha256: sha256(text) }) as const;
  const knows = (text: string, { path = board, was = file("x"), now = file(text) } = {}) =>
    isRootWrite(root, { path, change: "changed", was, now }, ports);
  assert.equal(knows("one"), false);
  putNoted(root, { [board]: "one", [page]: "page" }, ports, (path, text) => writeFileSync(path, text));
  assert.deepEqual([knows("one"), knows("page"), knows("page", { path: page })], [true, false, true]);
  assert.equal(knows("one", { was: file("x", 0o600) }), false);
  for (const now of [null, { type: "link", mode: 0 }, { type: "file", mode: 0o644 }] as const)
    assert.equal(isRootWrite(root, { path: board, change: "changed", was: null, now }, ports), false);
  const seen: boolean[] = [];
  putNoted(root, { [board]: "two" }, ports, () => seen.push(knows("one"), knows("two")));
  assert.deepEqual(
    [...seen, knows("one"), knows("two"), knows("page", { path: page })],
    [true, true, false, true, true],
  );
});

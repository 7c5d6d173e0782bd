import assert from "node:assert/strict";
import { test } from "node:test";
import { findOutsidePaths } from "../../../lib/checks/proof/outside-paths.ts";
import { makeWorld } from "../../cli/arrange.ts";

test("new lines that name what is outside of the repo are found, if a check in a copy can see it", (t) => {
  const world = makeWorld(t);
  const parts = world.write("beside/parts.mjs", "");
  const repo = world.path("my repo");
  const found = (text: string, { path = "src/a.mjs", before = "", isSeen = (): boolean => true } = {}) =>
    findOutsidePaths(repo, [{ path, text, before }], isSeen);
  const line = `export * from "${parts}";\n`;
  const named = [`src/a.mjs:1 names ${parts}`];
  assert.deepEqual(found(line), named);
  assert.deepEqual(found(`import("file://${parts}");\n`), named);
  assert.deepEqual(found(`const at = "${repo}/build/a.mjs";\n`), [`src/a.mjs:1 names ${repo}`]);
  assert.deepEqual(found(line, { before: line }), []);
  assert.deepEqual(found(line, { path: "docs/a.md" }), []);
  assert.deepEqual(found(line, { isSeen: () => false }), []);
});

test("paths of every machine, addresses and paths that lead nowhere are no reason to doubt a copy", () => {
  const lines = [
    "#!/usr/bin/env node",
    "cat /etc/hosts /dev/null",
    "https://example.org/tmp",
    "app.get('/no/such/page')",
  ];
  const files = [{ path: "a.mjs", text: `${lines.join("\n")}\n`, before: null }];
  assert.deepEqual(
    findOutsidePaths("/repo", files, () => true),
    [],
  );
});

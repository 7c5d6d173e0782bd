import assert from "node:assert/strict";
import { test } from "node:test";
import { readEntry, staysInside } from "../../lib/git/content-entries.ts";

const digest = "a".repeat(64);

test("files and links are content, and nothing else is", () => {
  assert.deepEqual(readEntry(`file 644 ${digest}`), { kind: "file", executable: false, digest });
  assert.deepEqual(readEntry(`file 755 ${digest}`), { kind: "file", executable: true, digest });
  assert.deepEqual(readEntry(`link - ${digest}`), { kind: "link", executable: false, digest });
  for (const other of [
    "folder - -",
    "special 1 -",
    "unreadable 8 -",
    digest,
    "",
    `file 644 ${digest}0`,
    "file 644 ../x",
  ])
    assert.equal(readEntry(other), null, other);
});

test("a link stays inside only if no step of it can lead out", () => {
  const inside = [
    ["a", "b"],
    ["a", "."],
    ["a", "./b//c"],
    ["d/a", ".."],
    ["d/a", "../b"],
    ["d/e/a", "../../b"],
    ["a", "..b/c"],
  ] as const;
  for (const [path, target] of inside) assert.equal(staysInside(path, target), true, `${path} -> ${target}`);
  const leaves = [
    ["a", "/etc/passwd"],
    ["a", ".."],
    ["a", "../b"],
    ["d/a", "../../b"],
    ["a", "b/../../c"],
    ["d/a", "e/.."],
    ["d/a", "./../.././b"],
  ] as const;
  for (const [path, target] of leaves) assert.equal(staysInside(path, target), false, `${path} -> ${target}`);
});

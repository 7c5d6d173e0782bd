import assert from "node:assert/strict";
import { test } from "node:test";
import { gainedFiles } from "../../lib/pass/proof-files.ts";

const file = (path: string, sha256: string) => ({ path, sha256 });

test("only new bytes are a gain, whatever their name", () => {
  const before = [file("artifacts/a.log", "1"), file("artifacts/b.log", "2")];
  const after = [
    file("artifacts/a-copy.log", "1"),
    file("artifacts/a.log", "3"),
    file("artifacts/b.log", "2"),
    file("artifacts/own.log", "9"),
    file("artifacts/twin.log", "3"),
  ];
  assert.deepEqual(
    gainedFiles(before, after, () => ["9"]),
    ["artifacts/a.log"],
  );
  assert.deepEqual(gainedFiles(before, [...before].reverse(), assert.fail), []);
});

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gitFolder, proofFolder, removeWorkFolders } from "../../../lib/task/records/work-folder.ts";

test("what a killed run left of its proof, its commit and its keepalive is removed, and that of other tasks stays", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const anchor = join(folder, "1234567890abcdef0000");
  const work = (name: string) => {
    const made = mkdtempSync(join(tmpdir(), `task-phase-${name}-`));
    t.after(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };
  const [own, others] = [work("1234567890abcdef"), work("fedcba0987654321")];
  const left = [join(gitFolder(anchor), "commit-x", "index"), join(proofFolder(anchor), "clean", "a.txt")];
  for (const path of left) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "");
  }
  writeFileSync(join(anchor, "current.json"), "");
  removeWorkFolders(anchor);
  assert.deepEqual([...left, own, others, join(anchor, "current.json")].map(existsSync), [
    false,
    false,
    false,
    true,
    true,
  ]);
});

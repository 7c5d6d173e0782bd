import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { findChecks } from "../../../lib/scaffold/init/find-checks.ts";

export const scripts = (words: Readonly<Record<string, unknown>>, more = {}) =>
  JSON.stringify({ scripts: words, ...more });
export const test1 = scripts({ test: "x" });

export const workspaces = (more: object) => ({
  "package.json": JSON.stringify({ workspaces: ["packages/*"], ...more }),
  "packages/a/package.json": scripts({ test: "x", lint: "y" }, { name: "@lab/a" }),
});

/** A folder with these files, which is gone after the test. */
export function repoWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const repo = mkdtempSync(path.join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(repo, name)), { recursive: true });
    writeFileSync(path.join(repo, name), content);
  }
  return repo;
}

/** What the repo has in words, its files, and the checks that are found in it. */
export type FoundRow = readonly [string, Readonly<Record<string, string>>, readonly string[]];

/** `folder`: where in the repo the commands are looked for, which run at its top. */
export function testFound(rows: readonly FoundRow[], folder = ""): void {
  for (const [title, files, found] of rows) {
    const where = folder === "" ? "a repo with" : "a package of";
    test(`in ${where} ${title}: ${found.join(", ") || "none"}`, (t) => {
      const repo = repoWith(t, files);
      const { checks } = findChecks(repo, path.join(repo, folder));
      const commands = checks.map(({ name, command }) => `${name}: ${command.join(" ")}`);
      assert.deepEqual(commands, found);
    });
  }
}

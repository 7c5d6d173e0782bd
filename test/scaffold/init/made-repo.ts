import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";

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

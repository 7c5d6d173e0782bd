#!/usr/bin/env node
// Clones the committed state into an empty folder, and runs there what README.md says first: set-up and the main job in one
// line; with `--tests` also set-up and tests, which take as long as `npm test`. Nothing may warn.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execaSync } from "execa";

const checkout = join(import.meta.dirname, "..");
const lines = readFileSync(join(checkout, "README.md"), "utf8").match(/^npm ci && npm (?:run example|test)\b/gm) ?? [];
if (lines.length !== 2) throw new Error(`README.md has ${lines.length} of the two lines: ${lines.join("; ")}`);
const wanted = process.argv.includes("--tests") ? lines : lines.slice(0, 1);

for (const line of wanted) {
  const folder = mkdtempSync(join(tmpdir(), "task-phase-readme-"));
  try {
    const begun = Date.now();
    run("git", ["clone", "--quiet", checkout, "app"], folder);
    const said = run("sh", ["-c", line], join(folder, "app"));
    const warned = said.split("\n").filter((one) => /^npm (?:warn|error)\b|EBADENGINE/i.test(one));
    if (warned.length > 0) throw new Error(`${line} warns:\n${warned.join("\n")}`);
    console.log(`${line}: ${Math.round((Date.now() - begun) / 1000)} s, and no warning`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All that it printed; throws with it if it failed. */
function run(program, words, cwd) {
  const { exitCode, all } = execaSync(program, words, { cwd, all: true, reject: false, stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`${[program, ...words].join(" ")} ended with ${exitCode}:\n${all}`);
  return all;
}

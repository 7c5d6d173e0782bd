import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";

const bundle = join(projectRoot, "dist/task-phase.cjs");
const skip = !existsSync(bundle) && "the bundle was not made";

/** Where the text is, as a stack trace says it: both numbers from 1. */
function placeOf(file: string, text: string): string {
  const lines = readFileSync(file, "utf8").split("\n");
  const line = lines.findIndex((one) => one.includes(text));
  return `${line + 1}:${(lines[line] ?? "").indexOf(text) + 1}`;
}

test("a place of the bundle in a stack trace is found in lib/, and all else stays", { skip }, () => {
  const said = {
    "lib/cli/run-cli.ts": '"unexpected failure",',
    "lib/process/capture.ts": "`cannot keep the output",
  };
  const at = (file: string, text: string) => `    at f (${file}:${placeOf(file, text)})`;
  const trace = (places: readonly string[]) => ["Error: no", ...places, "    at node:internal/main:1:1", ""].join("\n");
  const end = spawnSync(process.execPath, [join(projectRoot, "scripts/explain-trace.mjs")], {
    input: trace(Object.values(said).map((text) => at(bundle, text))),
    encoding: "utf8",
  });
  const explained = Object.entries(said).map(([file, text]) => at(join(projectRoot, file), text));
  assert.equal(end.stdout, trace(explained).replaceAll(`${projectRoot}/`, ""));
  assert.equal(end.stderr, "");
});

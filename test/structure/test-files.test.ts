import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";

const folder = path.join(projectRoot, "test");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  // Real agent CLIs keep real time.
  .filter((name) => name.endsWith(".test.ts") && !name.startsWith("models-real"))
  .map((name) => ({ name, text: readFileSync(path.join(folder, name), "utf8") }));
const holding = (pattern: RegExp): string[] => files.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

test("no hook stands outside a suite, since many files share one process", () => {
  assert.deepEqual(holding(/^(before|after|beforeEach|afterEach)\(/m), []);
});

test("no assertion reads a clock", () => {
  assert.deepEqual(holding(/assert[^;]*\b(?:performance\.now|Date\.now|hrtime)\b/), []);
});

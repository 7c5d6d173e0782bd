import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../cli/arrange.ts";

interface Mutant {
  readonly lineText: string;
  readonly kind: string;
  readonly from: string;
}
const scripts = join(projectRoot, "scripts", "mutants");
const { findMutants } = (await import(pathToFileURL(join(scripts, "find-mutants.mjs")).href)) as {
  findMutants(code: string): Mutant[];
};

test("every mutant listed as equivalent still exists", () => {
  const listed = JSON.parse(readFileSync(join(scripts, "equivalent.json"), "utf8")) as (Mutant & { file: string })[];
  assert(listed.length > 0);
  const gone = listed.filter(({ file, ...entry }) => {
    const path = join(projectRoot, file);
    const made = existsSync(path) ? findMutants(readFileSync(path, "utf8")) : [];
    return !made.some((one) => one.lineText === entry.lineText && one.kind === entry.kind && one.from === entry.from);
  });
  assert.deepEqual(gone, []);
});

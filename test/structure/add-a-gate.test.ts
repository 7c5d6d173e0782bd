import assert from "node:assert/strict";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import * as v from "valibot";
import type { decide } from "../../lib/rules/decide.ts";
import type { facts as factsShape } from "../../lib/rules/shapes/pass-facts.ts";
import { projectRoot } from "../cli/arrange.ts";
import { before, facts, policy, proposal } from "../rules/arrange.ts";

/** A fact that no gate knows yet, and its gate: where each is declared, measured and judged. */
const added: Readonly<Record<string, (text: string) => string>> = {
  // Its value where nothing was left behind, and the declaration.
  "rules/facts.ts": (text) => put(text, "  promise_problem: null,\n", "  left_copies: [],\n"),
  "rules/shapes/pass-facts.ts": (text) =>
    put(text, "  history: about(\n", '  left_copies: about(texts, "copies that a merge left among the work"),\n'),
  // The measurement.
  "pass/validate.ts": (text) =>
    put(
      text,
      "    history: session.history.counts,\n",
      '    left_copies: diffFingerprints(prepared.before.fingerprint, fingerprint).flatMap(({ path }) =>\n      path.endsWith(".orig") ? [path] : [],\n    ),\n',
    ),
  // The gate.
  "rules/gates.ts": (text) =>
    put(
      put(text, "import { matrixHolds }", 'import { noCopiesLeft } from "./gates-copies.ts";\n'),
      "...stepsProven(input, to)]",
      "...noCopiesLeft(input), ",
    ),
  "rules/gates-copies.ts": () =>
    [
      'import { type Gate, type GateInput, gate } from "./gate.ts";',
      "export function noCopiesLeft({ left_copies: left }: GateInput): Gate[] {",
      '  const told = left.join(", ");',
      '  const failed = "a merge left copies: " + told + "; delete them";',
      '  return left.length === 0 ? [] : [gate("no_copies_left", "No copy of a merge is left", false, told, failed)];',
      "}",
    ].join("\n"),
};
const most = 6;

test("a gate with a fact of its own takes at most six files of lib", async (t) => {
  const folder = copyOfLib(t);
  for (const [name, edit] of Object.entries(added)) {
    const file = path.join(folder, "lib", name);
    writeFileSync(file, edit(read(file)));
  }
  const touched = changedFiles(folder);
  assert.ok(touched.length <= most, `${touched.length} files were touched: ${touched.join(", ")}`);

  const tsc = path.join(projectRoot, "node_modules/typescript/bin/tsc");
  const compiled = await execa(process.execPath, [tsc, "-p", folder], { reject: false });
  assert.equal(compiled.exitCode, 0, compiled.stdout);

  const machine = (await load(folder, "rules/decide.js")) as { decide: typeof decide };
  const judge = (left_copies: readonly string[]) => {
    const seen = { ...facts({ task_files_changed: ["STATE.md"] }), left_copies };
    return machine.decide(before("implement"), proposal("verify"), seen, policy());
  };
  assert.equal(judge([]).verdict, "accepted");
  const { verdict, reason, reasons } = judge(["src/a.js.orig"]);
  assert.deepEqual([verdict, reasons.map(({ code }) => code)], ["rejected", ["no_copies_left"]]);
  assert.equal(reason, "a merge left copies: src/a.js.orig; delete them");

  const shapes = (await load(folder, "rules/shapes/pass-facts.js")) as { facts: typeof factsShape };
  const recorded = { ...facts(), left_copies: ["src/a.js.orig"] };
  assert.deepEqual(v.parse(shapes.facts, recorded), recorded, "the record of the pass is read back with it");
});

/** The sources in a folder of their own, with what their compiler needs. */
function copyOfLib(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-test-")));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(path.join(projectRoot, "lib"), path.join(folder, "lib"), { recursive: true });
  symlinkSync(path.join(projectRoot, "node_modules"), path.join(folder, "node_modules"));
  writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: path.join(projectRoot, "tsconfig.json"),
      compilerOptions: { rootDir: ".", outDir: "dist", sourceMap: false },
      include: ["lib/**/*.ts"],
    }),
  );
  return folder;
}

/** The files that differ from the sources, new ones included. */
function changedFiles(folder: string): string[] {
  const known = new Set(readdirSync(path.join(projectRoot, "lib"), { recursive: true, encoding: "utf8" }));
  return readdirSync(path.join(folder, "lib"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter(
      (name) => !known.has(name) || read(path.join(folder, "lib", name)) !== read(path.join(projectRoot, "lib", name)),
    );
}

async function load(folder: string, name: string): Promise<unknown> {
  return await import(pathToFileURL(path.join(folder, "dist/lib", name)).href);
}

function read(file: string): string {
  return readdirSync(path.dirname(file)).includes(path.basename(file)) ? readFileSync(file, "utf8") : "";
}

/** The text with some more of it before a place that it has once. */
function put(text: string, place: string, more: string): string {
  assert.equal(text.split(place).length, 2, `one ${place.trim()}`);
  return text.replace(place, () => more + place);
}

import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { loadProgram } from "../../lib/cli/load-program.ts";
import { readStrictYaml } from "../../lib/documents/strict-yaml.ts";
import { makeWorld, projectRoot } from "../cli/arrange.ts";

const bundle = join(projectRoot, "dist/task-phase.cjs");
const skip = !existsSync(bundle) && "the bundle was not made";
const { requireAscii, requireAsciiRaw, toAscii } = (await import(
  pathToFileURL(join(projectRoot, "scripts/bundle/ascii.mjs")).href
)) as {
  requireAscii(path: string, text: string): void;
  requireAsciiRaw(path: string, text: string): void;
  toAscii(code: string): string;
};

test("the program is pure ASCII, so that no encoding changes a text or a pattern", { skip }, () => {
  for (const name of ["task-phase.cjs", "grammars.cjs", "start.cjs"]) {
    const bytes = readFileSync(join(projectRoot, "dist", name));
    assert.ok(
      bytes.every((byte) => byte < 0x80),
      name,
    );
  }
});

test("the grammars are a file beside the program, which runs it only if it is the one that it was built with", {
  skip,
}, async (t) => {
  const world = makeWorld(t);
  const dist = join(projectRoot, "dist");
  for (const name of ["task-phase.cjs", "grammars.cjs", "modules.json"]) cpSync(join(dist, name), world.path(name));
  const { modules, exports } = JSON.parse(world.read("modules.json")) as {
    modules: string[];
    exports: Record<string, Record<string, [number, string]>>;
  };
  assert.deepEqual(
    modules.filter((name) => name.includes("/@lezer/")),
    [],
  );
  const [place = 0, short = ""] = exports["lib/checks/wrong/grammars.ts"]?.parseSource ?? [];
  const parse = async () => {
    const program = loadProgram(world.folder, null) as unknown as {
      loadModule(place: number): Record<string, unknown>;
    };
    const parseSource = program.loadModule(place)[short] as (path: string, text: string) => Promise<{ top: unknown }>;
    return String((await parseSource("a.py", "def f(): pass")).top);
  };
  assert.match(await parse(), /^Script\(FunctionDefinition/);
  writeFileSync(world.path("grammars.cjs"), `${world.read("grammars.cjs")}//`);
  await assert.rejects(parse, /grammars\.cjs is not that of this program: install task-phase again$/);
});

test("an expression in ASCII matches what it matched before", () => {
  const patterns = ["/[❌✖✗✘🚫⛔👎🛑]/u", "/\\s+[-–—]+\\s+|^[#ℹ] x$/", "/[“”‘’„«»]/g", "/\\\\–/"];
  const texts = ["yes ❌", "no 🛑", "a – b", "ℹ x", "“a”", "\\–", "–", "plain"];
  for (const pattern of patterns) {
    const escaped = toAscii(pattern);
    assert.match(escaped, /^[\0-\x7f]+$/);
    const [before, after] = [pattern, escaped].map((code) => new Function(`return ${code}`) as () => RegExp);
    for (const text of texts) assert.equal(after?.().test(text), before?.().test(text), `${pattern} on ${text}`);
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a tagged template
  const tagged = new Function("tag", `return ${toAscii("tag`a → ${1} 👍`")}`) as (tag: unknown) => string;
  assert.equal(
    tagged((parts: readonly string[], value: number) => parts.join(String(value))),
    "a → 1 👍",
  );
});

test("the build fails where a character beyond ASCII cannot be escaped", () => {
  assert.throws(() => toAscii("/\\–/"), /cannot write .* in ASCII: a backslash is before –/);
  assert.throws(() => requireAsciiRaw("a.ts", "const a = String.raw`x–y`;"), /^Error: a\.ts: a raw template holds –/);
  assert.throws(() => requireAsciiRaw("a.ts", "raw`\\`–`"), /a raw template holds –/);
  requireAsciiRaw("a.ts", "const a = String.raw`xy`; // –");
  assert.throws(() => requireAscii("a.cjs", 'x = "–"'), /^Error: a\.cjs holds a character beyond ASCII/);
});

test("tests that are run on the bundle import its modules", {
  skip: process.env.TASK_PHASE_TEST_BUNDLE !== "1" && "these tests run on the compiled files of lib/",
}, () => {
  assert.equal(/\n {2}/.test(String(readStrictYaml)), false, "the function is that of the minified program");
});

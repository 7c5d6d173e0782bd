import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { changedFiles } from "../../../lib/checks/proof/changed-files.ts";
import { findInnerTests } from "../../../lib/checks/proof/inner-tests.ts";
import { makeProofWorld } from "./arrange.ts";

const tests = (value: number) =>
  `#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(super::two(), ${value}); }\n}`;
const work = (value: number) => `//! Doc.\npub fn two() -> i32 {\n    ${value}\n}\n`;
const source = (value: number, expected: number) => `${work(value)}\n${tests(expected)}\n`;

async function find(t: TestContext, before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>) {
  const world = makeProofWorld(t, before);
  const origin = await world.origin();
  for (const [path, text] of Object.entries(now)) world.write(`my repo/${path}`, text);
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  const fingerprint = { hash: "now", entries };
  const files = changedFiles({ ...world.ground([], { origin }), origin, fingerprint });
  const { old, without, added, apart } = await findInnerTests(files.filter(({ path }) => path !== "tests/a.rs"));
  assert.deepEqual([...apart.keys()], [...old.keys()]);
  return { old: Object.fromEntries(old), without: Object.fromEntries(without), added };
}

test("the tests in a source of Rust are taken from the other time, and the work around them stays", async (t) => {
  const before = { "src/lib.rs": source(1, 1), "src/same.rs": source(1, 1), "src/plain.rs": work(1) };
  const now = {
    "src/lib.rs": `${source(2, 2)}pub fn three() -> i32 {\n    3\n}\n`,
    "src/same.rs": source(2, 1),
    "src/plain.rs": source(1, 1),
    "src/new.rs": source(4, 4),
    "src/bare.rs": work(4),
    "tests/a.rs": tests(1),
    "notes.md": "#[cfg(test)]\n",
  };
  assert.deepEqual(await find(t, before, now), {
    old: {
      "src/lib.rs": `${work(2)}\npub fn three() -> i32 {\n    3\n}\n\n${tests(1)}\n`,
      "src/plain.rs": work(1),
    },
    without: { "src/lib.rs": `${work(1)}\n${tests(2)}\n`, "src/plain.rs": `${work(1)}\n${tests(1)}\n` },
    added: ["src/new.rs"],
  });
});

test("examples in documentation of Python are taken from the other time, and what is around them stays", async (t) => {
  const doc = (sum: string) => `"""Adds.\n\n    >>> add(1, 2)\n    ${sum}\n    """`;
  const python = (sum: string, operator: string) => `def add(a, b):\n    ${doc(sum)}\n    return a ${operator} b\n`;
  const two = (value: number) => `r""">>> ${value}\n        ${value}\n        """`;
  const nested = (name: string, text: string) =>
    `# One.\n"One."\nclass ${name}:\n    # Two.\n    def two(self):\n        ${text}\n        return 2\n`;
  const before = { "a.py": python("3", "+"), "b.py": python("3", "+"), "c.py": nested("A", two(2)), "d.py": "x = 1\n" };
  const now = {
    "a.py": python("4", "-"),
    "b.py": python("3", "-"),
    "c.py": nested("B", two(3)),
    "d.py": 'x = """\n>>> x\n"""\n',
    "e.py": python("3", "+"),
  };
  const table = (name: string, text: string) =>
    `\n\n__test__ = {\n    **globals().get("__test__", {}),\n    "${name}": ${text},\n}\n`;
  assert.deepEqual(await find(t, before, now), {
    old: { "a.py": python("3", "-"), "c.py": nested("B", '""') + table("A.two", two(2)) },
    without: { "a.py": python("4", "+"), "c.py": nested("A", '""') + table("B.two", two(3)) },
    added: ["e.py"],
  });
});

test("examples in documentation of Rust are taken from the other time, too", async (t) => {
  const example = (value: number, mark: string) =>
    `${mark} \`\`\`\n${mark} assert_eq!(a::two(), ${value});\n${mark} \`\`\`\n`;
  const rust = (text: string, value: number) => `//! Doc.\n${text}\n/// Two.\npub fn two() -> i32 { ${value} }\n`;
  const before = { "a.rs": rust(example(1, "//!"), 1), "b.rs": rust("", 1), "c.rs": rust(example(1, "//!"), 1) };
  const now = {
    "a.rs": rust(example(2, "//!"), 2),
    "b.rs": rust("", 2),
    "c.rs": rust(example(1, "//!"), 2),
    "d.rs": rust(`    ${example(1, "///")}`, 1),
  };
  const tests = (value: number) => `\n${example(value, "///")}const _: () = ();\n`;
  assert.deepEqual(await find(t, before, now), {
    old: { "a.rs": rust("", 2) + tests(1) },
    without: { "a.rs": rust("", 1) + tests(2) },
    added: ["d.rs"],
  });
});

test("examples in documentation of Elixir are taken from the other time, if the file is one module", async (t) => {
  const example = (value: number) => `      iex> One.get()\n      ${value}\n`;
  const source = (text: string, value: number, more = "") =>
    `defmodule One do\n  @doc """\n  Gets.\n\n${text}  """\n  def get, do: ${value}\n${more}end\n`;
  const two = (value: number) => `${source(example(value), value)}defmodule Two do\nend\n`;
  const before = { "a.ex": source(example(1), 1), "b.ex": source(example(1), 1), "c.ex": two(1) };
  const now = { "a.ex": source(example(2), 2), "b.ex": source(example(1), 2), "c.ex": two(2) };
  const added = (value: number) =>
    `\n  @doc """\n    iex> One.get()\n    ${value}\n  """\n  def task_phase_example_0, do: nil\n`;
  assert.deepEqual(await find(t, before, now), {
    old: { "a.ex": source("", 2, added(1)) },
    without: { "a.ex": source("", 1, added(2)) },
    added: [],
  });
});

test("tests for Vitest in a source are taken from the other time", async (t) => {
  const block = (value: number) =>
    `if (import.meta.vitest) {\n  const { it, expect } = import.meta.vitest;\n  it("a", () => {\n    expect(two()).toBe(${value});\n  });\n}`;
  const code = (value: number) => `export function two(): number {\n  return ${value};\n}\n`;
  const after = "\nexport const x = 1;\n";
  const plain = `/// \`\`\`\n/// a\n/// \`\`\`\n${code(1)}`;
  const before = {
    ...{ "a.ts": `${code(1)}\n${block(1)}${after}`, "b.js": code(1), "c.js": plain },
    "e.ts": `if (import.meta.vitest === undefined) main(1);\n`,
    "f.ts": `if (import.meta.vitest) it("a");\nelse main(1);\n`,
  };
  const now = {
    "a.ts": `${code(2)}\n${block(2)}${after}`,
    "b.js": `${code(2)}\n${block(2)}`,
    "c.js": `${plain}\n`,
    "d.mts": block(1),
    "e.ts": `if (import.meta.vitest === undefined) main(2);\n`,
    "f.ts": `if (import.meta.vitest) it("a");\nelse main(2);\n`,
  };
  assert.deepEqual(await find(t, before, now), {
    old: { "a.ts": `${code(2)}${after}\n${block(1)}\n`, "b.js": code(2) },
    without: { "a.ts": `${code(1)}${after}\n${block(2)}\n`, "b.js": `${code(1)}\n${block(2)}\n` },
    added: ["d.mts"],
  });
});

test("a module of Elixir that ends in many empty lines is read in linear time", async (t) => {
  const source = (value: number) => `defmodule One do\n  iex> 1\n  ${value}\nend${"\n".repeat(200_000)}x\n`;
  assert.deepEqual(await find(t, { "a.ex": source(1) }, { "a.ex": source(2) }), { old: {}, without: {}, added: [] });
});

test("the present tests are put elsewhere in their source, to see which checks bear that", async (t) => {
  const sources = (two: string) => ({
    "a.rs": `${source(2, Number(two))}\n`,
    "a.py": `def two():\n    """>>> two()\n    ${two}\n    """\n    return 2\n`,
  });
  const world = makeProofWorld(t, sources("1"));
  const origin = await world.origin();
  for (const [path, text] of Object.entries(sources("2"))) world.write(`my repo/${path}`, text);
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  const code = { ...world.ground([], { origin }), origin, fingerprint: { hash: "now", entries } };
  const { apart } = await findInnerTests(changedFiles(code));
  assert.deepEqual(Object.fromEntries(apart), {
    "a.rs": `${work(2)}\n${tests(2)}\n`,
    "a.py": `def two():\n    ""\n    return 2\n\n\n__test__ = {\n    **globals().get("__test__", {}),\n    "other two": """>>> two()\n    2\n    """,\n}\n`,
  });
});

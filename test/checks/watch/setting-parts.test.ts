import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import {
  countsFor,
  iniParts,
  jsonParts,
  keysOf,
  localImports,
  parseToml,
  strippedPart,
  tomlParts,
  withoutBlocks,
  yamlBlock,
} from "../../../lib/checks/watch/setting-parts.ts";
import { changesAfter } from "./arrange.ts";

describe("settings in parts", () => {
  const python =
    '[project]\ndependencies = ["a"]\n[tool.pytest.ini_options]\nmarkers = ["slow"]\naddopts = "-ra -m \'not slow\'"\n[tool.mypy]\nstrict = true\n[tool.hatch.envs.t]\ndependencies = ["a"]\n';
  const cases: [string, string, string, string[]][] = [
    ["pyproject.toml", python, python.replaceAll('["a"]', '["a", "b"]'), []],
    ["pyproject.toml", python, python.replace("not slow", "not sum"), ["! setting pyproject.toml#tool.pytest changed"]],
    [
      "pyproject.toml",
      python,
      python.replace("strict = true", "strict = false"),
      ["! setting pyproject.toml#tool.mypy changed"],
    ],
    ["pyproject.toml", "[", "[[", ["! setting pyproject.toml changed"]],
    [
      "setup.cfg",
      "[options]\nx = 1\n[tool:pytest]\ntestpaths = a\n",
      "[options]\nx = 2\n[tool:pytest]\n# b\ntestpaths = a\n",
      [],
    ],
    [
      "setup.cfg",
      "[tool:pytest]\ntestpaths = a\n",
      "[tool:pytest]\ntestpaths = b\n",
      ["! setting setup.cfg#tool:pytest changed"],
    ],
    ["conftest.py", "", "collect_ignore = ['test_a.py']\n", ["! test conftest.py changed"]],
    [
      "pytest.ini",
      "[pytest]\naddopts = -q\n",
      "[pytest]\naddopts = -q --deselect a\n",
      ["! setting pytest.ini changed"],
    ],
    [
      "pytest.toml",
      "[pytest]\npython_files = ['a']\n",
      "[pytest]\npython_files = ['b']\n",
      ["! setting pytest.toml changed"],
    ],
    ["tox.ini", "[testenv]\ncommands = a\n", "[testenv]\ncommands = b\n", []],
    ["build.gradle", "dependencies {\n a { }\n}\n// c\ntest { }\n", "dependencies {\n a { b }\n}\ntest { }\n", []],
    ["build.gradle", "test { }\n", "test { enabled = false }\n", ["! setting build.gradle changed"]],
    ["pom.xml", "<p><dependencies><d/></dependencies></p>", "<p><dependencies><e/></dependencies> </p>", []],
    ["pom.xml", "<p></p>", "<p><skipTests>true</skipTests></p>", ["! setting pom.xml changed"]],
    ["CMakeLists.txt", "add_library(a a.c)\nadd_test(a b)\n", "add_library(a a.c b.c)\nadd_test(a b)\n", []],
    ["CMakeLists.txt", "add_test(a b)\n", "add_test(a true)\n", ["! setting CMakeLists.txt changed"]],
    [
      "CMakeLists.txt",
      "add_executable(t a_test.cc)\n",
      "add_executable(t a_test.cc b_test.cc)\n",
      ["! setting CMakeLists.txt changed"],
    ],
    [
      "CMakeLists.txt",
      "add_library(a a.c)\n",
      "add_library(a a.c)\nadd_subdirectory(tests)\n",
      ["! setting CMakeLists.txt changed"],
    ],
    ...[
      'add_test(NAME a COMMAND sh -c "(a) || true")',
      "add_test(NAME a COMMAND a)\nset_property(TEST a PROPERTY WILL_FAIL TRUE)",
      "set(CMAKE_CROSSCOMPILING_EMULATOR true)\nadd_test(NAME a COMMAND a)",
      "macro(add_test)\nendmacro()\nadd_test(NAME a COMMAND a)",
      "add_test(NAME a COMMAND a)\nshop_test(b)",
    ].map((is): [string, string, string, string[]] => [
      "CMakeLists.txt",
      is.includes("sh -c") ? 'add_test(NAME a COMMAND sh -c "(a)")' : "add_test(NAME a COMMAND a)",
      is,
      ["! setting CMakeLists.txt changed"],
    ]),
    ["meson.build", "l = library('l', 'a.c')\ntest('t', t)\n", "l = library('l', 'a.c', 'b.c')\ntest('t', t)\n", []],
    [
      "meson.build",
      "test('t', executable('t', files('a.c')))\n",
      "test('t', executable('t', files('a.c')), should_fail: true)\n",
      ["! setting meson.build changed"],
    ],
    [
      "meson.build",
      "t = executable('t', 'tests/a.c')\n",
      "t = executable('t', 'tests/a.c', 'tests/b.c')\n",
      ["! setting meson.build changed"],
    ],
    ["Makefile.am", "l_SOURCES = a.c\nTESTS = a\n", "l_SOURCES = a.c b.c\nTESTS = a\n", []],
    ["Makefile.am", "TESTS = a\n", "TESTS = a\nXFAIL_TESTS = a\n", ["! setting Makefile.am changed"]],
    ["Makefile.am", "TESTS = a\n", "TESTS = a\ncheck-TESTS:\n\ttrue\n", ["! setting Makefile.am changed"]],
    ["Makefile.am", "TESTS = a \\\n  b\n", "TESTS = a \\\n  c\n", ["! setting Makefile.am changed"]],
    ["mix.exs", "  defp deps do\n    [a]\n  end\n", "  defp deps do\n    [a, b]\n  end\n", []],
    ["mix.exs", "", "aliases: [test: []]\n", ["! setting mix.exs changed"]],
  ];
  const commands = [
    ["mypy"],
    ["./gradlew", "test"],
    ["mvn"],
    ["ctest"],
    ["meson", "test"],
    ["make", "check"],
    ["mix", "test"],
  ];
  for (const [index, [name, was, is, expected]] of cases.entries()) {
    it(`${index + 1}: ${name} tells ${expected.length}`, async () =>
      assert.deepEqual(
        await changesAfter({ [name]: was }, commands, (world) => world.write({ [name]: is })),
        expected,
      ));
  }
});

const none = new Set<string>();

test("a part counts for every tool, or if the checks name one of its tools", () => {
  const parts = jsonParts([...keysOf("a"), ...keysOf("b.c d", ["jest", "vitest"])]);
  const text = '{ "a": 1, "b": { "c": 2, "x": 3 }, "d": null }';
  assert.deepEqual([...(parts(text, none)?.keys() ?? [])], ["a"]);
  assert.deepEqual([...(parts(text, new Set(["vitest"]))?.keys() ?? [])], ["a", "b.c", "d"]);
  assert.equal(
    countsFor({}, () => false),
    true,
  );
  assert.equal(
    countsFor({ tools: [] }, () => true),
    false,
  );
});

test("a part has another digest for another value, and none for other dependencies, an order or a layout", () => {
  const parts = jsonParts(keysOf("a"));
  const digest = (value: unknown) => parts(JSON.stringify({ a: value }), none)?.get("a");
  assert.notEqual(digest({ x: 1 }), digest({ x: 2 }));
  assert.equal(digest({ x: 1, y: { deps: [1] } }), digest({ y: { deps: [2] }, x: 1 }));
  assert.notEqual(digest([1, 2]), digest([2, 1]));
  assert.equal(parts('{ "b": 1 }', none)?.size, 0);
  assert.equal(parts('{ // remark\n "a": "http://x", /* more */ }', none)?.get("a"), digest("http://x"));
});

test("a file that cannot be parsed has no parts", () => {
  for (const text of ["", "{", "[]", "1"]) assert.equal(jsonParts(keysOf("a"))(text, none), null, text);
  assert.equal(tomlParts(keysOf("a"))("[", none), null);
  assert.equal(parseToml("[[a"), null);
  assert.equal(JSON.stringify(parseToml("a = 1")), '{"a":1}');
});

test("each entry of a map or a list can be a part of its own", () => {
  const parts = jsonParts([{ key: "members", each: true }]);
  assert.deepEqual([...(parts('{"members":["a","b/c"]}', none)?.keys() ?? [])], ["members.a", "members.b/c"]);
  assert.deepEqual([...(parts('{"members":{"x":1}}', none)?.keys() ?? [])], ["members.x"]);
  assert.deepEqual([...(parts('{"members":"x"}', none)?.keys() ?? [])], ["members"]);
});

test("sections of an INI file are known by their names, with or without more behind a colon", () => {
  const parts = iniParts(keysOf("pytest tool"));
  const text = "top = 1\r\n[pytest]\r\na = 1 \r\n; b\r\n[tool:x]\n[tools]\n[pytest]\nc = 2\n";
  const found = parts(text, none);
  assert.deepEqual([...(found?.keys() ?? [])], ["pytest", "tool:x"]);
  assert.equal(found?.get("pytest"), parts("[pytest]\na = 1\n\n# x\nc = 2\n", none)?.get("pytest"));
  assert.notEqual(found?.get("pytest"), parts("[pytest]\na = 1\n", none)?.get("pytest"));
});

test("a block of a YAML file ends with the next key at the top, and its comments do not count", () => {
  const parts = yamlBlock("scripts");
  const digest = (text: string) => parts(text, none)?.get("scripts");
  assert.equal(digest("a: 1\nscripts:\n  x: 1\n- y\nb: 2\n"), digest("scripts:\r\n\r\n  # c\r\n  x: 1\r\n- y"));
  assert.notEqual(digest("scripts:\n  x: 1\n"), digest("scripts:\n  x: 2\n"));
  assert.notEqual(digest("scripts:\n- x\n"), digest("scripts:\n- y\n"));
  assert.equal(parts("other:\n  scripts: 1\n", none)?.size, 0);
});

test("blocks that a word opens, and comments, are taken out of a text of braces, and its strings stay", () => {
  const rows: readonly (readonly [text: string, left: string])[] = [
    ["a dependencies { b { c } } d", "a  d"],
    ['a "dependencies {" b', 'a "dependencies {" b'],
    ["dependencies { '}' } a", " a"],
    ["a // dependencies { x\nb", "a  \nb"],
    ["a /* dependencies { */ b", "a   b"],
    ["a dependencies { b", "a "],
    ["dependencies { dependencies { x } } a", " a"],
    ["a dependencies", "a "],
    ["dependencies { } dependencies { } a", "  a"],
  ];
  for (const [text, left] of rows) assert.equal(withoutBlocks(text, /dependencies/g), left, text);
  const part = strippedPart((text) => text.replaceAll("x", ""));
  assert.deepEqual(part("a x\n b", none), part("ab", none));
});

test("only the entries of an import map that lead to files count", () => {
  assert.deepEqual(localImports({ a: "./a.js", b: "jsr:b@1", c: "/c.js", d: "file:d", e: { x: 1 } }), {
    ...{ a: "./a.js", c: "/c.js", d: "file:d", e: { x: 1 } },
  });
  for (const value of [{ a: "npm:a" }, {}, null, "./a.js"]) assert.equal(localImports(value), undefined);
});

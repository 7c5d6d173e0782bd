import assert from "node:assert/strict";
import { test } from "node:test";
import { listWrongVersions } from "../../../lib/checks/wrong/wrong-versions.ts";
import { versionsOf } from "./arrange.ts";

test("a changed line of JavaScript is made wrong by its operators, numbers, texts, return values and statements", async () => {
  const text = `import a from "x";
export function round(n, places = 2) {
  if (n >= 10 && !places) return "big";
  log(n);
  return n + 1;
}
`;
  const { lines, emptied } = await versionsOf("src/round.js", text);
  assert.deepEqual(lines, [
    "2: 2 > 3",
    "3: ! > nothing",
    '3: "big" > "xig"',
    '3: "big" > undefined',
    "3: && > ||",
    "3: 10 > 11",
    "3: >= > <",
    "4: log(n); > nothing",
    "4: n > undefined",
    "5: + > -",
    "5: 1 > 2",
    "5: n + 1 > undefined",
  ]);
  assert.match(emptied ?? "", /places = 2\) \{ return;\n {2}if/);
});

test("names of modules, directives, documentation and types are no values of the work", async () => {
  const script = '"use strict";\nimport x from "a";\nexport { y } from "b";\nlet z: "a" | 1;\n';
  assert.deepEqual((await versionsOf("a.ts", script)).lines, []);
  assert.deepEqual((await versionsOf("a.py", '"""Doc 1."""\nimport os\n')).lines, []);
});

test("the message of an error is a text for people", async () => {
  const text = 'export function f(a) {\n  throw new RangeError("too large");\n  throw new Wrong("bad");\n}\n';
  const { lines } = await listWrongVersions([{ path: "a.js", text, before: null }], "seed", false);
  const kinds = lines.flatMap(({ was, change }) => (was.startsWith('"') ? [`${was} ${change}`] : []));
  assert.deepEqual(kinds.sort(), ['"bad" words', '"too large" words']);
});

test("an argument or a property is not passed on, beside a line that has a value or a statement", async () => {
  const body = "  return path.basename(input, { windows: posix, ext });\n";
  const kinds = async (path: string, text: string) =>
    (await versionsOf(path, text)).lines.filter((one) => / > (?:undefined|None)$/.test(one)).sort();
  const shown = "path.basename(input, { windows: posix, ext })";
  assert.deepEqual(await kinds("a.js", `export function f(input, posix = 1 && two()) {\n${body}}\n`), [
    "2: input > undefined",
    `2: ${shown} > undefined`,
    "2: posix > undefined",
  ]);
  assert.deepEqual(await kinds("a.js", `export function f(input, posix) {\n${body}}\n`), [`2: ${shown} > undefined`]);
  const python = "class A(B):\n  def f(a, b):\n    c = a + 1\n    return g(a, key=b, *c, **d)\n";
  assert.deepEqual(await kinds("a.py", python), ["4: a > None", "4: b > None", "4: g(a, key=b, *c, **d) > None"]);
  const words = "export function f(a) {\n  console.log(a, 1);\n}\n";
  const { lines } = await listWrongVersions([{ path: "a.js", text: words, before: null }], "seed", false);
  assert.deepEqual(lines.map(({ was, change }) => `${was} ${change}`).sort(), [
    "1 value",
    "a words",
    "console.log(a, 1); dropped",
  ]);
});

test("a word that every object has is no value", async () => {
  const { lines } = await versionsOf("src/a.js", "export const a = (b) => b.toString() + constructor.valueOf;\n");
  assert.ok(lines.includes("1: + > -"));
});

test("a statement of several lines is not left out where the work changed only its first one", async () => {
  const { lines } = await versionsOf("a.js", "send(\n  one,\n  3,\n);\n", "show(\n  one,\n  3,\n);\n");
  assert.deepEqual(lines, []);
});

test("text between tags and the values of attributes are texts for people", async () => {
  const before = 'const a = (\n  <p id="b">\n    old {c}\n  </p>\n);\n';
  const text = before.replace('"b"', '"e"').replace("old", "new text");
  const { lines } = await listWrongVersions([{ path: "a.jsx", text, before }], "seed", false);
  assert.deepEqual(lines.map(({ line, was, made, change }) => `${line}: ${was} > ${made}, ${change}`).sort(), [
    '2: "e" > "x", words',
    "3: new text > xew xext, words",
  ]);
});

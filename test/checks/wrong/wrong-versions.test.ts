import assert from "node:assert/strict";
import { test } from "node:test";
import { listWrongChecks, listWrongVersions } from "../../../lib/checks/wrong/wrong-versions.ts";
import { versionsOf } from "./arrange.ts";

test("only what the work changed is made wrong, and only its functions are emptied", async () => {
  const before = "def one():\n    return 1\n\ndef two():\n    return 2\n";
  const now = "def one():\n    return 1\n\ndef two():\n    return 3\n";
  const { lines, emptied } = await versionsOf("a.py", now, before);
  assert.deepEqual(lines, ["5: 3 > 4", "5: 3 > None"]);
  assert.equal(emptied, "def one():\n    return 1\n\ndef two():\n    return None\n    return 3\n");
});

test("what a changed line had before is no part of the work, and not made wrong", async () => {
  const rows: readonly (readonly [before: string, now: string, lines: readonly string[]])[] = [
    [
      "parse(url, {sort: false});",
      "parse(url, {sort: false, ...options});",
      ["parse(url, {sort: false, ...options}); > nothing"],
    ],
    ["x = a > 10 && b;", "x = a > 10 && b < 7;", ["7 > 8", "< > >=", "x = a > 10 && b < 7; > nothing"]],
    ["x = a > 1;", "x = a > 10;", ["10 > 11", "x = a > 10; > nothing"]],
    ["x = a < 1;", "x = a <= 1;", ["<= > >", "x = a <= 1; > nothing"]],
    ["x = a + 1;", "  x = a + 1;", []],
    ["  x = a + 'b'", 'x = a + "b";', ['x = a + "b"; > nothing']],
    ["x = a + b - 1", "x = a + b", ["x = a + b > nothing"]],
    ["x = a + 1;", "x = a + 1", []],
    ["y = 1;", "x = other(2) + 1;", ["+ > -", "1 > 2", "2 > 3", "x = other(2) + 1; > nothing"]],
  ];
  for (const [before, now, wrong] of rows) {
    const { lines } = await versionsOf("a.js", `${now}\n`, `${before}\n`);
    assert.deepEqual(lines.map((line) => line.replace("1: ", "")).sort(), [...wrong].sort(), now);
  }
});

test("of a large work the files that the tests name are made wrong, wherever they stand", async () => {
  const sum = { path: "src/zz.js", text: "export const sum = (a, b) => {\n  return a + b;\n};\n", before: null };
  const file = { path: "zz.test.js", text: 'import { sum } from "./src/zz.js";\nassert.equal(sum(1, 2), 3);\n' };
  const tests = { files: [{ ...file, before: null }], failing: [] };
  const data = Array.from({ length: 3_000 }, (_none, index) => `  "k${index}": "v${index}",`).join("\n");
  const many = Array.from({ length: 600 }, (_none, index) => ({ path: `src/m${index}.js`, text: `f(${index});\n` }));
  for (const before of [[{ path: "data.json", text: data }], many]) {
    const work = [...before.map((one) => ({ ...one, before: null })), sum];
    const { emptied, lines } = await listWrongVersions(work, "seed", false, tests);
    assert.deepEqual([...(emptied[0]?.texts().keys() ?? [])], [sum.path]);
    assert.equal(lines[0]?.path, sum.path);
  }
});

test("manifests and lockfiles are made wrong only where nothing else can be", async () => {
  const manifest = { path: "package.json", text: '{ "version": "1.1.0" }\n', before: '{ "version": "1.0.0" }\n' };
  const lock = { path: "web/package-lock.json", text: '{ "lockfileVersion": 3 }\n', before: null };
  const source = { path: "src/sum.js", text: "items.push(next);\n", before: null };
  const pathsOf = async (files: (typeof lock | typeof manifest)[]) =>
    (await listWrongVersions(files, "seed", false)).lines.map(({ path }) => path);
  assert.deepEqual(new Set(await pathsOf([manifest, lock, source])), new Set([source.path]));
  assert.deepEqual(await pathsOf([manifest]), [manifest.path]);
});

test("only where values are emptied too, new functions are emptied once more alone", async () => {
  const emptiedOf = async (text: string) =>
    (await listWrongVersions([{ path: "a.js", text, before: null }], "seed", false)).emptied.map(({ was }) => was);
  assert.deepEqual(await emptiedOf("export const limit = 5;\n"), ["all that is new"]);
  assert.deepEqual(await emptiedOf("export function f() { return 1; }\n"), ["all that is new"]);
  assert.deepEqual(await emptiedOf("export const limit = 5;\nexport function f() { return limit; }\n"), [
    "all that is new",
    "new functions",
  ]);
});

test("one version of each line comes before a second one, texts for people last, and the seed decides the order", async () => {
  const text = Array.from({ length: 6 }, (_none, index) => `export const n${index} = ${index} + 1;`).join("\n");
  const list = async (seed: string) =>
    (await listWrongVersions([{ path: "a.js", text, before: null }], seed, false)).lines.map(({ texts, ...one }) => ({
      ...one,
      text: texts().get("a.js"),
    }));
  const first = await list("one");
  assert.equal(new Set(first.slice(0, 6).map(({ line }) => line)).size, 6);
  assert.deepEqual(await list("one"), first);
  assert.notDeepEqual(await list("two"), first);
  const words = 'export function f(a) {\n  if (a < 0) throw new Error("bad");\n}\n';
  const told = await listWrongVersions([{ path: "a.js", text: words, before: null }], "one", false);
  assert.equal(told.lines.at(-1)?.was, '"bad"');
});

test("for a type check another value says nothing, and only what gives nothing is tried", async () => {
  const text = "export const n: number = 2;\nexport function f(a: number): number {\n  return a + 1;\n}\n";
  const { lines } = await listWrongVersions([{ path: "a.ts", text, before: null }], "seed", true);
  assert.deepEqual(
    lines.map(({ line, made }) => `${line}: ${made}`),
    ["3: undefined"],
  );
});

test("an expectation on a line of before in a test file that changed is marked as unchanged", async () => {
  const text = 'test("a", () => { assert.equal(f(), 1); });\ntest("b", () => { assert.equal(g(), 2); });\n';
  const [before = ""] = text.split(/(?<=\n)/);
  const marked = (await listWrongChecks([{ path: "a.test.mjs", text, before }], [])).map(({ was, unchanged }) => [
    was,
    unchanged,
  ]);
  assert.deepEqual(marked, [
    ["2", undefined],
    ["1", true],
  ]);
});

test("an expectation of a test file as at pass 1 is marked as such", async () => {
  const text = 'test("a", () => assert.equal(a(), 1));\n';
  const stood = async (before: string | null) =>
    (await listWrongChecks([{ path: "a.test.mjs", text, before }], [])).map((one) => one.stood);
  assert.deepEqual([await stood(text), await stood(null)], [[true], [undefined]]);
});

test("values that a test without an expectation imports from the work are what it expects", async () => {
  const work = {
    ...{ path: "src/post.mjs", before: null },
    text: "export const prices = [[100, 1]];\nexport const price = (grams) => prices[0][grams];\nconst other = 3;\n",
  };
  const head = 'import { price, prices as all, other } from "../src/post.mjs";\n';
  const test = (body: string) => ({
    path: "test/post.test.mjs",
    before: null,
    text: `${head}test("a", () => ${body});\n`,
  });
  const made = async (body: string) =>
    (await listWrongChecks([test(body)], [], [work])).map(({ path, line, was }) => `${path}:${line}: ${was}`);
  assert.deepEqual(await made("all.forEach(([a, b]) => assert.equal(price(a), b))"), [
    "src/post.mjs:1: 100",
    "src/post.mjs:1: 1",
    "src/post.mjs:3: 3",
  ]);
  assert.deepEqual(await made("assert.equal(price(0), 100)"), ["test/post.test.mjs:2: 100", "test/post.test.mjs:2: 0"]);
});

test("a line on which nothing was noticed can be as it was, unless a word in it is new, and have a number less", async () => {
  const rows: readonly (readonly [before: string, now: string, seconds: readonly string[]])[] = [
    ["n = o.n || 10;", "n = o.n ?? 10;", ["?? > ||"]],
    ["x = { tries: 1 };", "x = { tries: 3 };", ["3 > 1", "3 > 2"]],
    ["y = 1;\nx = { info: 1 };", "y = 1;\nx = { info: 1, warn: 2 };", ["2 > 1"]],
    ["x = a.length - 1;", "x = a.length;", ["nothing > - 1"]],
    ['  x = a + "b"', "x = 'b' + a", []],
    ["f(a, b);", "f(b, a);", ["b, a > a, b"]],
    ["f(a);", "f(a, b);", []],
    ["x = a.one + 1;", "x = a.two + 1;", []],
    ["x = 1;", "something = quite(other, 7);", ["7 > 6"]],
  ];
  for (const [before, now, seconds] of rows) {
    const file = { path: "a.js", text: `${now}\n`, before: `${before}\n` };
    const { secondsOf } = await listWrongVersions([file], "s", false);
    const made = secondsOf({ path: file.path, line: now.split("\n").length });
    const named = made.map((one) => `${one.was} > ${one.made}`);
    assert.deepEqual(named, seconds, now);
    assert.deepEqual([secondsOf({ path: "b.js", line: 1 }), secondsOf({ path: file.path, line: null })], [[], []]);
    if (!/[67]$/.test(named[0] ?? "7"))
      assert.equal(made[0]?.texts().get(file.path)?.split("\n")[0], before.split("\n")[0]);
  }
});

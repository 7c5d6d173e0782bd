import assert from "node:assert/strict";
import { test } from "node:test";
import { readStrictYaml, yamlMaxLength } from "../../lib/documents/strict-yaml.ts";
import { startCpuTime } from "../patience.ts";
import { showFinding } from "./arrange.ts";

function read(text: string, linesBefore = 0) {
  return readStrictYaml({ text, file: "x.yaml", linesBefore });
}

function problems(text: string): string[] {
  const result = read(text);
  return result.kind === "bad" ? result.findings.map(showFinding) : assert.fail("readable");
}

function value(text: string): unknown {
  const result = read(text);
  return result.kind === "yaml" ? result.value : assert.fail(result.findings.map(showFinding).join());
}

test("values are those of YAML 1.2: no yes for true, no octal, no times", () => {
  assert.deepEqual(value("a: yes\nb: 017\nc: 1:30\nd: true\ne: null\nf: [1, 'x']\n<<: g\n"), {
    a: "yes",
    b: 17,
    c: "1:30",
    d: true,
    e: null,
    f: [1, "x"],
    "<<": "g",
  });
});

test("an empty document, or one of comments, is an empty map", () => {
  assert.deepEqual(["", "# only this\n", "---\n", "null\n"].map(value), [{}, {}, {}, {}]);
});

test("anchors and aliases are refused, each where it stands", () => {
  assert.deepEqual(problems("a: &x 1\nb: [*x]\n"), [
    "TP_YAML_ALIAS 1:7 the anchor &x is not allowed",
    "TP_YAML_ALIAS 2:5 the alias *x is not allowed",
  ]);
});

test("an alias bomb is refused at once", () => {
  const bomb = `a0: &a0 [x]\n${Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]\n`).join("")}`;
  const used = startCpuTime();
  assert.equal(read(bomb).kind, "bad");
  assert.ok(used() < 10_000);
});

test("a directive, a second document and a foreign tag are refused", () => {
  assert.deepEqual(problems("%YAML 1.1\n---\na: yes\n"), [
    "TP_YAML_DIRECTIVE 1:1 a YAML directive (a line that begins with %) is not allowed",
  ]);
  assert.deepEqual(problems("a: 1\n---\nb: 2\n"), [
    "TP_YAML_SYNTAX 2:1 a second YAML document begins here; one is expected",
  ]);
  assert.match(problems("a: !!js/function 'x'\n").join(), /^TP_YAML_SYNTAX 1:4 Unresolved tag/);
});

test("a doubled key is refused with its place in the file", () => {
  const result = read("a: 1\nb: { c: 1, c: 2 }\n", 3);
  assert.ok(result.kind === "bad");
  assert.deepEqual(
    result.findings.map((finding) => [showFinding(finding), finding.fix]),
    [["TP_YAML_SYNTAX 5:12 the key `c` appears twice in one map", "keep one of the two"]],
  );
});

test("broken YAML says what is wrong in one line", () => {
  assert.deepEqual(problems("a:\n\t- b\n"), ["TP_YAML_SYNTAX 2:1 Tabs are not allowed as indentation"]);
  const open = read("a: [\n");
  assert.ok(open.kind === "bad");
  assert.equal(open.findings[0]?.fix, "close the bracket that is open");
});

test("a document that is too big or nested too deep is refused quickly", () => {
  assert.deepEqual(problems("x".repeat(yamlMaxLength + 1)), [
    "TP_YAML_TOO_BIG 1:1 the YAML has 32769 characters; the limit is 32768",
  ]);
  const used = startCpuTime();
  assert.match(problems("[".repeat(5_000)).join(), /TP_YAML_SYNTAX/);
  assert.ok(used() < 2_000);
});

test("a path is located by its key or its value, else by the nearest that exists", () => {
  const result = read("a:\n  - b: 1\n    c:\n", 10);
  assert.ok(result.kind === "yaml");
  const at = (path: (string | number)[], what: "key" | "value") => {
    const { line, column } = result.locate(path, what);
    return `${line}:${column}`;
  };
  assert.deepEqual(
    [
      at(["a"], "key"),
      at(["a", 0, "b"], "key"),
      at(["a", 0, "b"], "value"),
      at(["a", 0, "c"], "value"),
      at(["a", 0, "d"], "key"),
      at(["a", 7], "value"),
      at(["z"], "key"),
      at([], "value"),
    ],
    ["11:1", "12:5", "12:8", "13:7", "12:5", "12:3", "11:1", "11:1"],
  );
});

test("a key of the prototype is a key like any other", () => {
  assert.deepEqual(Object.keys(value("__proto__: { polluted: 1 }\n") as object), ["__proto__"]);
  assert.equal((Object.prototype as { polluted?: unknown }).polluted, undefined);
});

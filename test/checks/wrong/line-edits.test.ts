import assert from "node:assert/strict";
import { test } from "node:test";
import { otherNumber, otherWords } from "../../../lib/checks/wrong/line-edits.ts";
import { listWrongVersions } from "../../../lib/checks/wrong/wrong-versions.ts";
import { versionsOf } from "./arrange.ts";

test("a number becomes the next one, as its language writes numbers", () => {
  const rows: readonly (readonly [was: string, made: string | null])[] = [
    ["9", "10"],
    ["1_999", "2000"],
    ["2.50", "3.50"],
    ["10n", "11n"],
    ["0xff", "0x1f"],
    ["0b0", "0b1"],
    ["9007199254740993", "9007199254740994"],
    [".5", null],
    ["x", null],
  ];
  for (const [was, made] of rows) assert.equal(otherNumber(was), made, was);
});

test("a return gives nothing as its language writes it, and one that gives nothing already stays", async () => {
  const rows: readonly (readonly [path: string, text: string, made: readonly string[]])[] = [
    ["a.ts", "function f() {\n  return g;\n}\n", ["undefined as any"]],
    ["a.js", "function f() {\n  return undefined;\n}\n", []],
    ["a.js", "function f() {\n  return;\n}\n", []],
    ["a.py", "def f():\n    return None\n", []],
    ["a.py", "def f():\n    return a, b\n", ["None"]],
    ["A.java", "class A { int f() {\n  return g();\n} }\n", ["null"]],
    ["a.c", "int f() {\n  return g();\n}\n", ["0"]],
    ["a.c", "int f() {\n  return NULL;\n}\n", []],
    ["a.go", "package a\nfunc f() int {\n\treturn g()\n}\n", []],
    ["a.ts", "const f = () => g;\n", ["(undefined as any)"]],
  ];
  for (const [path, text, made] of rows) {
    const { lines } = await listWrongVersions([{ path, text, before: null }], "seed", false);
    assert.deepEqual(
      lines.filter(({ change }) => change === "nothing").map((one) => one.made),
      made,
      text,
    );
  }
});

test("a string with something put into it gets another text in place of that part, and other words", async () => {
  const made = async (path: string, text: string) => {
    const { lines } = await listWrongVersions([{ path, text, before: null }], "seed", false);
    return lines.filter(({ change, was }) => change === "value" && /["'`]/.test(was)).map((one) => one.made);
  };
  const strings: readonly (readonly [path: string, text: string, made: string])[] = [
    ["a.js", "x = `a \x24{b(c)} d`;", "`a wrong d`"],
    ["a.js", "x = `a \x24{b(c)} d`;", "`x \x24{b(c)} x`"],
    ["a.js", "x = `a`;", "`x`"],
    ["a.py", "x = f'a {b!r:>10} {{c}}'", "f'a wrong {{c}}'"],
    ["a.php", '<?php $x = "a $b {$c->d} $e[0]";', '"a wrong wrong wrong"'],
  ];
  for (const [path, text, wanted] of strings) assert.ok((await made(path, text)).includes(wanted), text);
});

test("a statement is left out, but in Rust not the value at the end of a block", async () => {
  assert.deepEqual((await versionsOf("a.js", "go()\n")).lines, ["1: go() > nothing"]);
  const { lines } = await versionsOf("a.rs", "fn f(v: &mut Vec<u8>) -> usize {\n    v.clear();\n    v.len()\n}\n");
  assert.deepEqual(lines, ["2: v.clear(); > nothing"]);
});

test("a character gets another one, and a text of four a letter more", async () => {
  assert.deepEqual((await versionsOf("a.c", "char f(void) {\n  return g('a');\n}\n")).lines.slice(0, 1), [
    "2: 'a' > 'x'",
  ]);
  const { lines } = await versionsOf("a.c", "char f(void) {\n  return g('\\n');\n}\n");
  assert.deepEqual(lines.slice(0, 1), ["2: '\\n' > 'x'"]);
});

test("a statement that is left out leaves what its language needs in its place", async () => {
  const rows: readonly (readonly [path: string, text: string, made: string])[] = [
    ["a.js", "go();\n", ";\n"],
    ["a.py", "go()\n", "pass\n"],
    ["a.go", "package a\nfunc f() {\n\tgo1()\n}\n", "package a\nfunc f() {\n\t\n}\n"],
  ];
  for (const [path, text, made] of rows) {
    const { lines } = await listWrongVersions([{ path, text, before: null }], "seed", false);
    assert.deepEqual(
      lines.filter(({ change }) => change === "dropped").map((one) => one.texts().get(path)),
      [made],
    );
  }
});

test("the words of a string get another first letter, in whatever form its language has strings", async () => {
  const rows: readonly (readonly [path: string, text: string, made: string])[] = [
    ["a.php", "<?php\n$x = <<<'END'\nabc\nEND;\n", "<?php\n$x = <<<'END'\nxbc\nEND;\n"],
    ["a.cc", 'auto x = R"d(abc)d";\n', 'auto x = R"d(xbc)d";\n'],
    ["a.cc", 'auto x = u8"abc";\n', 'auto x = u8"xbc";\n'],
    ["a.cc", "auto x = L'a';\n", "auto x = L'x';\n"],
    ["a.rs", "fn f() { g(b'x'); }\n", "fn f() { g(b'y'); }\n"],
    ["a.rs", "fn f() { g('\\u{41}'); }\n", "fn f() { g('x'); }\n"],
    ["a.go", "package a\n\nvar x = '\\u00e4'\n", "package a\n\nvar x = 'x'\n"],
    ["a.rs", 'fn f() { g(r#"abc"#); }\n', 'fn f() { g(r#"xbc"#); }\n'],
    ["A.java", 'class A { String s = """\n  abc\n  """; }\n', 'class A { String s = """\n  xbc\n  """; }\n'],
  ];
  for (const [path, text, made] of rows) {
    const { lines } = await listWrongVersions([{ path, text, before: null }], "seed", false);
    assert.ok(
      lines.some(({ change, texts }) => change === "value" && texts().get(path) === made),
      text,
    );
  }
});

test("escapes, formats, entities and what is filled in by name are no words", () => {
  const rows: readonly (readonly [text: string, made: string | null])[] = [
    ["Welcome home, 2 you_and_me", "xelcome xome, x xou_and_me"],
    ["\\nfoo\\u00e4 \\x41\\u{1f600}xyz", "\\nxoo\\u00e4 \\x41\\u{1f600}yyz"],
    ["%s of %-5.2f &amp; {name}", "%s xf %-5.2f &amp; {name}"],
    ["größe 日本", "xröße x本"],
    ["\\U0001f600 \\101bc", "\\U0001f600 \\101xc"],
    ["%(name)s %1$s %[1]d %lu %zd of", "%(name)s %1$s %[1]d %lu %zd xf"],
    ["to $name, $5", "xo $name, $5"],
    ["(?P<year>\\\\d+)-(?i:abc)\\\\p{L}", "(?P<year>\\\\d+)-(?i:xbc)\\\\p{L}"],
    ["C:\\\\new \\\\\\nfoo", "x:\\\\nxw \\\\\\nxoo"],
    [", \\t{a}%d", null],
    ["", null],
  ];
  for (const [text, made] of rows) assert.equal(otherWords(text), made, text);
});

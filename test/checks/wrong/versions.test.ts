import assert from "node:assert/strict";
import { test } from "node:test";
import { changedLines } from "../../../lib/checks/wrong/changed-lines.ts";
import { applyEdits } from "../../../lib/checks/wrong/edit.ts";
import { emptySource } from "../../../lib/checks/wrong/empty-functions.ts";
import { parseSource } from "../../../lib/checks/wrong/grammars.ts";
import { nameIn } from "../../../lib/checks/wrong/tested-names.ts";
import { listWrongChecks, listWrongVersions } from "../../../lib/checks/wrong/wrong-versions.ts";

/** What is made of a new file: each wrong line as `was > made`, sorted, and the emptied file. */
async function versionsOf(path: string, text: string, before: string | null = null) {
  const { emptied, lines } = await listWrongVersions([{ path, text, before }], "seed", false);
  return {
    lines: lines.map(({ line, was, made }) => `${line}: ${was} > ${made}`).sort(),
    emptied: emptied[0]?.texts.get(path) ?? null,
  };
}

test("lines that a work added or changed are found beside those that stayed", () => {
  const before = "a\nb\nc\nd\n";
  assert.deepEqual([...changedLines(before, "a\nB\nc\nnew\nd\n")], [2, 4]);
  assert.deepEqual([...changedLines(before, before)], []);
  assert.deepEqual([...changedLines(before, "a\r\nb\r\nc\r\nd\r\n")], []);
  assert.deepEqual([...changedLines(null, "x\ny")], [1, 2]);
  assert.deepEqual([...changedLines(before, "d\nc\nb\na\n")].length, 3);
  const large = Array.from({ length: 3_000 }, (_none, index) => `line ${index}`).join("\n");
  const other = large.replaceAll("line", "row");
  assert.equal(changedLines(large, other).size, 3_000);
  const edited = large.replace("line 2\n", "line two\n").replace("line 2990", "line last");
  assert.deepEqual([...changedLines(large, edited)], [3, 2_991]);
  const moved = `begin\n${large.replace("line 1500\n", "")}\nend`;
  assert.deepEqual([...changedLines(large, moved)], [1, 3_001]);
});

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
    '3: "big" > "xbig"',
    '3: "big" > undefined',
    "3: && > ||",
    "3: 10 > 11",
    "3: >= > <",
    "4: log(n); > nothing",
    "5: + > -",
    "5: 1 > 2",
    "5: n + 1 > undefined",
  ]);
  assert.match(emptied ?? "", /places = 2\) \{ return;\n {2}if/);
});

test("only what the work changed is made wrong, and only its functions are emptied", async () => {
  const before = "def one():\n    return 1\n\ndef two():\n    return 2\n";
  const now = "def one():\n    return 1\n\ndef two():\n    return 3\n";
  const { lines, emptied } = await versionsOf("a.py", now, before);
  assert.deepEqual(lines, ["5: 3 > 4", "5: 3 > None"]);
  assert.equal(emptied, "def one():\n    return 1\n\ndef two():\n    return None\n    return 3\n");
});

const emptied: readonly (readonly [path: string, text: string, made: string])[] = [
  [
    "a.ts",
    "export const f = (n: number): number => n * 2;\n",
    "export const f = (n: number): number => (undefined as any);\n",
  ],
  ["a.mjs", "export const limit = 5;\n", "export const limit = undefined;\n"],
  ["a.py", 'def f():\n    """Doc."""\n    yield 1\n', 'def f():\n    """Doc."""\n    return None\n    yield 1\n'],
  [
    "a.go",
    "package a\nfunc F(a int) (string, error) {\n\treturn g(a), nil\n}\n",
    "package a\nfunc F(a int) (string, error) { if true { return *new(string), *new(error) };\n\treturn g(a), nil\n}\n",
  ],
  [
    "a.go",
    "package a\nfunc (t *T) N() int { return t.n }\n",
    "package a\nfunc (t *T) N() int { if true { return *new(int) }; return t.n }\n",
  ],
  [
    "a.rs",
    "pub fn f(s: &str) -> Result<u8, E> { s.parse() }\n",
    "pub fn f(s: &str) -> Result<u8, E> { return Ok(Default::default()); s.parse() }\n",
  ],
  [
    "A.java",
    "class A { boolean is() { return x; } void go() { run(); } }\n",
    "class A { boolean is() { if (true) return false; return x; } void go() { if (true) return; run(); } }\n",
  ],
  [
    "A.java",
    "class A { int n() { return x; } String s() { return y; } char c() { return z; } }\n",
    "class A { int n() { if (true) return 0; return x; } String s() { if (true) return null; return y; } char c() { if (true) return '\\0'; return z; } }\n",
  ],
  [
    "a.c",
    "int f(int a) { return a; }\nvoid g(void) { h(); }\n",
    "int f(int a) { return 0; return a; }\nvoid g(void) { return; h(); }\n",
  ],
  [
    "a.php",
    "<?php\nfunction f(): string { return g(); }\n",
    "<?php\nfunction f(): string { return ''; return g(); }\n",
  ],
];

for (const [path, text, made] of emptied) {
  test(`a function or value of ${path} is emptied so that it still loads: ${text.slice(0, 40).trim()}`, async () => {
    assert.equal((await versionsOf(path, text)).emptied, made);
  });
}

test("a file without a grammar is made wrong line by line, and a document is not", async () => {
  const { lines } = await versionsOf("bin/sum.sh", '#!/bin/sh\n# 3 of them\nexpr "$1" + 2\n');
  assert.deepEqual(lines, ['3: "$1" > "wrong"', "3: 2 > 3", '3: expr "$1" + 2 > :']);
  assert.deepEqual(await versionsOf("README.md", "# 3 things\n"), { lines: [], emptied: null });
  assert.deepEqual((await versionsOf("data/rates.json", '{ "usd": 1 }\n')).lines, ['1: "usd" > "xusd"', "1: 1 > 2"]);
});

test("a statement of Ruby or Perl may begin with `@`; elsewhere that is an annotation or a silent command", async () => {
  const { lines } = await versionsOf("lib/bag.rb", "def size\n  @items.size\nend\n");
  assert.deepEqual(lines, ["2: @items.size > nothing"]);
  assert.deepEqual((await versionsOf("lib/Bag.pm", "@found = sort @found;\n")).lines, [
    "1: @found = sort @found; > nothing",
  ]);
  for (const [path, text] of [
    ["Makefile", "\t@rm -f out"],
    ["Bag.kt", "@Test"],
    ["bag.ex", "@impl true"],
  ] as const)
    assert.deepEqual((await versionsOf(path, text)).lines, [], path);
});

test("a module of Perl is made wrong, but not its documentation, its declarations and its last line", async () => {
  const text = `package Calc;
use strict;

sub two {
  my $x = shift;
  return $x * 2;
}

1;

=begin html

4

=end html

=head2 two

  two(2)

=cut

sub three { return 3 }
__END__
4 more
`;
  assert.deepEqual((await versionsOf("lib/Calc.pm", text)).lines, [
    "23: 3 > 4",
    "23: return 3 > nothing",
    "6: 2 > 3",
    "6: return $x * 2; > nothing",
  ]);
  assert.deepEqual((await versionsOf("app.psgi", "run($app);\n")).lines, ["1: run($app); > nothing"]);
  const commented = "=begin of it\nsize 2\n=end\nputs size\n__END__\nsize 3\n";
  assert.deepEqual((await versionsOf("a.rb", commented)).lines, ["4: puts size > nothing"]);
});

test("a line that opens a block, or closes what another opened, is never left out alone", async () => {
  const open: readonly (readonly [path: string, ...lines: string[]])[] = [
    [
      "a.lua",
      "return function(...)",
      "local f = function(a, b)",
      "fold({...}, function(f)",
      "repeat",
      "local function f(a)",
    ],
    ["a.rb", "begin", "x = begin", "list.each do |x|", "unless ready", "x = if ready", "x = case y"],
    ["a.ex", "Enum.reduce(list, fn x, all ->", "{:ok, found} ->", "try do", "defp walk(x), do: x"],
    ["a.scala", "list.map(x =>", "case x =>"],
    ["a.pl", "unless ($x) { go() }", "sub two {", "})", "go($x,"],
    ["a.sh", "*) go ;;"],
  ];
  for (const [path, ...lines] of open)
    for (const line of lines) assert.deepEqual((await versionsOf(path, line)).lines, [], line);
  const whole: readonly (readonly [path: string, line: string])[] = [
    ["a.lua", "local f = function(x) return x end"],
    ["a.rb", "list.each { |x| go(x) }"],
    ["a.rb", "x = if y then z else w end"],
    ["a.ex", "x = if y, do: z, else: w"],
    ["a.rb", "rescue Wrong, Late"],
    ["a.lua", "elseif x then"],
    ["a.rb", "go(range.begin)"],
    ["a.rb", 'go(":)")'],
    ["a.ex", "|> Enum.map(fn x -> x.name end)"],
  ];
  for (const [path, line] of whole) assert((await versionsOf(path, line)).lines.includes(`1: ${line} > nothing`), line);
});

test("a string with something put into it gets another text in its place, which is what it is about", async () => {
  const made = async (path: string, text: string) => {
    const { lines } = await listWrongVersions([{ path, text, before: null }], "seed", false);
    return lines.filter(({ change, was }) => change === "value" && /["'`]/.test(was)).map((one) => one.made);
  };
  const strings: readonly (readonly [path: string, text: string, made: string])[] = [
    ["a.rb", 'x = "; name=\\"#{encode(name)}\\""', '"; name=\\"wrong\\""'],
    ["a.rb", 'x = "#{at["k"]} and #{list.map { |y| y }}!"', '"wrong and wrong!"'],
    ["a.rb", 'x = "plain"', '"xplain"'],
    ["a.pl", '$x = "a $h->{b}[0] and @{$c}";', '"a wrong and wrong"'],
    ["a.sh", 'x="$(date) \x24{y:-z} \\$q"', '"wrong wrong \\$q"'],
    ["a.kt", 'val x = "a $b \x24{c.d()}"', '"a wrong wrong"'],
    ["a.swift", 'let x = "a \\(b.c(d))"', '"a wrong"'],
    ["a.json", '"$ref"', '"x$ref"'],
    ["a.js", "x = `a \x24{b(c)} d`;", "`a wrong d`"],
    ["a.js", "x = `a`;", "`xa`"],
    ["a.py", "x = f'a {b!r:>10} {{c}}'", "f'a wrong {{c}}'"],
    ["a.php", '<?php $x = "a $b {$c->d} $e[0]";', '"a wrong wrong wrong"'],
  ];
  for (const [path, text, wanted] of strings) assert.equal((await made(path, text))[0], wanted, text);
});

test("names of modules, directives, documentation and types are no values of the work", async () => {
  const script = '"use strict";\nimport x from "a";\nexport { y } from "b";\nlet z: "a" | 1;\n';
  assert.deepEqual((await versionsOf("a.ts", script)).lines, []);
  assert.deepEqual((await versionsOf("a.py", '"""Doc 1."""\nimport os\n')).lines, []);
});

test("a statement of Rust is left out, but not the value at the end of its block", async () => {
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

test("the message of an error is a text for people", async () => {
  const text = 'export function f(a) {\n  throw new RangeError("too large");\n  throw new Wrong("bad");\n}\n';
  const { lines } = await listWrongVersions([{ path: "a.js", text, before: null }], "seed", false);
  const kinds = lines.flatMap(({ was, change }) => (was.startsWith('"') ? [`${was} ${change}`] : []));
  assert.deepEqual(kinds.sort(), ['"bad" words', '"too large" words']);
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
    (await listWrongVersions([{ path: "a.js", text, before: null }], seed, false)).lines;
  const first = await list("one");
  assert.equal(new Set(first.slice(0, 6).map(({ line }) => line)).size, 6);
  assert.deepEqual(await list("one"), first);
  assert.notDeepEqual(await list("two"), first);
  const words = 'export function f(a) {\n  if (a < 0) throw new Error("bad");\n}\n';
  const told = await listWrongVersions([{ path: "a.js", text: words, before: null }], "one", false);
  assert.equal(told.lines.at(-1)?.was, '"bad"');
});

test("lines that name what the tests newly name come first, then those of functions that they name", async () => {
  const before = "def walk(items):\n    for one in items:\n        yield one\n";
  const text = [
    "DEFAULT_MAX_DEPTH = 20",
    "def rest(items):",
    "    return 8 # max_depth",
    ...["def walk(items):", "    for one in items:", "        yield one", "    yield 7"],
    ...["def other(items):", "    return 9", ""],
  ].join("\n");
  const tests = {
    path: "test_a.py",
    before: "def test_walk(self):\n    self.check(other([1]), 1)\n",
    text: "def test_walk(self):\n    self.check(other([1]), 1)\ndef test_depth(self):\n    self.check(walk([]).max_depth, 20)\n",
  };
  const order = async (files: readonly (typeof tests)[], failing: readonly string[], seed: string) => {
    const { lines } = await listWrongVersions([{ path: "a.py", text, before }], seed, false, { files, failing });
    return lines.filter(({ change }) => change === "value").map(({ was }) => was);
  };
  for (const seed of ["one", "two", "three", "four"]) {
    assert.deepEqual((await order([tests], [], seed)).slice(0, 2), ["20", "7"], seed);
    const stood = { ...tests, before: tests.text };
    assert.deepEqual((await order([stood], ["test_depth"], seed)).slice(0, 2), ["20", "7"], seed);
    assert.deepEqual(await order([tests], [], seed), await order([tests], [], seed));
  }
  // In Rust, and in a language without a grammar here.
  const inner =
    "pub const MOST: u32 = 20;\nfn two() -> u32 { 3 + 2 }\n#[cfg(test)]\nmod tests { fn most() { assert_eq!(MOST, 20) } }\n";
  const rust = [{ path: "src/a.rs", text: inner, before: "" }];
  const ofRust = await listWrongVersions(rust, "one", false, { files: rust, failing: [] });
  assert.equal(ofRust.lines[0]?.was, "20");
  const ruby = [{ path: "a.rb", text: "MOST = 20\nx = 3\ny = 4\nz = 5\n", before: "" }];
  const ofRuby = await listWrongVersions(ruby, "two", false, {
    ...{ files: [{ path: "a_test.rb", text: "assert_equal 20, A::MOST\n", before: "" }], failing: [] },
  });
  assert.equal(ofRuby.lines[0]?.was, "20");
});

test("an expectation of a test is a literal in its assertions, those of failing tests first, the last one first", async () => {
  const before = 'test("old", () => {\n  assert.equal(f(1), 2);\n});\n';
  const text = `${before}test("new", () => {\n  const seen = 7;\n  expect(f(3)).toBe(4);\n});\n`;
  const versions = await listWrongChecks([{ path: "a.test.js", text, before }], ["suite > new"]);
  assert.deepEqual(
    versions.map(({ line, was, made }) => `${line}: ${was} > ${made}`),
    ["6: 4 > 5", "2: 2 > 3", "6: 3 > 4", "2: 1 > 2"],
  );
  const go =
    'package a\nfunc TestF(t *testing.T) {\n\tif got := F(1); got != "x" {\n\t\tt.Errorf("got %q", got)\n\t}\n}\n';
  const ofGo = await listWrongChecks([{ path: "a_test.go", text: go, before: null }], ["TestF"]);
  assert.deepEqual(
    ofGo.map(({ was }) => was),
    ['"x"', "1"],
  );
});

test("a source that is broken is read as far as it goes, and whatever it is nothing is thrown", async () => {
  for (const text of [
    "",
    "\u0000",
    "function (",
    "((((",
    "}}}}",
    "class A { m( {",
    "\ufeffconst a = 1;",
    "a\r\nb = 2",
  ]) {
    for (const path of ["a.js", "a.tsx", "a.py", "a.go", "a.rs", "A.java", "a.cpp", "a.php", "a.sh"]) {
      const parsed = await parseSource(path, text);
      if (parsed !== null) applyEdits(text, emptySource(parsed, new Set([1, 2])).functions);
      await versionsOf(path, text);
    }
  }
});

test("the value that a test compares with is an expectation, and an argument of the work is none", async () => {
  const checksOf = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).map(
      ({ was, made, change }) => `${change}: ${was} > ${made}`,
    );
  const turned = "value: what is true > what is not";
  assert.deepEqual(await checksOf("a.test.mjs", 'expect(f("x")).toBe("y");\n'), [
    'value: "y" > "xy"',
    'words: "x" > "xx"',
  ]);
  assert.deepEqual(await checksOf("b.test.mjs", 'assert.equal(f(1), 2, "message");\n'), [
    "value: 2 > 3",
    'words: "message" > "xmessage"',
    "words: 1 > 2",
  ]);
  assert.deepEqual(await checksOf("c.test.mjs", 'assert.ok(f("x"));\n'), [turned, 'words: "x" > "xx"']);
  assert.deepEqual(await checksOf("d.test.mjs", "assert.deepEqual(f(1), [2]);\n"), ["value: 2 > 3", "words: 1 > 2"]);
  assert.deepEqual(await checksOf("test_a.py", 'assert f("x") == "y", "m"\n'), [
    'value: "y" > "xy"',
    'words: "m" > "xm"',
    'words: "x" > "xx"',
  ]);
  const named = 'require("node:test")("halves go up", () => equal(require("./round.js").round(2.5), 3));\n';
  assert.deepEqual(await checksOf("e.test.cjs", named), [
    "value: 3 > 4",
    "words: 2.5 > 3.5",
    `words: "./round.js" > "x./round.js"`,
  ]);
  assert.deepEqual(await checksOf("test_b.py", "assert not f(1)\n"), [turned, "words: 1 > 2"]);
  const rust = '#[test]\nfn a() {\n    assert!(luhn("4"));\n    assert_eq!(f("x"), 2, "m");\n}\n';
  assert.deepEqual(await checksOf("tests/a.rs", rust), [
    turned,
    "value: 2 > 3",
    'words: "4" > "x4"',
    'words: "m" > "xm"',
    'words: "x" > "xx"',
  ]);
});

test("an assertion of truth is turned round as its language writes it", async () => {
  const made = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).at(0)?.texts.get(path);
  assert.equal(await made("a.test.mjs", "assert(f(x));\n"), "assert(!(f(x)));\n");
  assert.equal(await made("test_a.py", "assert f(x)\n"), "assert not (f(x))\n");
  assert.equal(
    await made("tests/a.rs", '#[test]\nfn a() {\n    assert!(f(x), "m");\n}\n'),
    '#[test]\nfn a() {\n    assert!(!(f(x)), "m");\n}\n',
  );
  assert.equal(
    await made("ATest.java", "class ATest {\n  void a() {\n    assertTrue(f(x));\n  }\n}\n"),
    "class ATest {\n  void a() {\n    assertTrue(!(f(x)));\n  }\n}\n",
  );
  assert.equal(
    await made("tests.c", "void a() {\n  TEST(f(x) == NULL);\n}\n"),
    "void a() {\n  TEST(!(f(x) == NULL));\n}\n",
  );
  assert.equal(
    await made("a_test.cc", "void a() {\n  EXPECT_EQ(f(x), 2);\n}\n"),
    "void a() {\n  EXPECT_EQ(f(x), 3);\n}\n",
  );
});

test("an assertion that nothing may come here is no expectation", async () => {
  const kinds = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).map(({ change }) => change);
  assert.ok(!(await kinds("tests.c", "void a() {\n  if (!b) {\n    assert(0);\n  }\n}\n")).includes("value"));
  assert.ok(!(await kinds("a.test.mjs", "assert(false);\n")).includes("value"));
});

test("a word that every object has is no value", async () => {
  const { lines } = await versionsOf("src/a.js", "export const a = (b) => b.toString() + constructor.valueOf;\n");
  assert.ok(lines.includes("1: + > -"));
});

test("tests within a source of Rust stay as they are when the source is made wrong", async () => {
  const text =
    "pub fn two() -> i32 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(super::two(), 2);\n    }\n}\n";
  const { lines, emptied } = await versionsOf("src/lib.rs", text);
  assert.deepEqual(lines, ["2: 2 > 3"]);
  assert.match(emptied ?? "", /fn a\(\) \{\n {8}assert_eq!/);
  assert.match(emptied ?? "", /i32 \{ return Default::default\(\);/);
});

test("for a type check another value says nothing, and only what gives nothing is tried", async () => {
  const text = "export const n: number = 2;\nexport function f(a: number): number {\n  return a + 1;\n}\n";
  const { lines } = await listWrongVersions([{ path: "a.ts", text, before: null }], "seed", true);
  assert.deepEqual(
    lines.map(({ line, made }) => `${line}: ${made}`),
    ["3: undefined"],
  );
});

test("a name of a test is found in the line that writes it, as a whole word", () => {
  const found = (name: string, line: string) => nameIn(name, line);
  assert.equal(found("sum", 'test("sum", () => {})'), true);
  assert.equal(found("sum", 'test("summary", () => {})'), false);
  assert.equal(found("tests/test_a.py::test_adds", "def test_adds():"), true);
  assert.equal(found("test_adds (test_a.Adds.test_adds)", "    def test_adds(self):"), true);
});

test("a value that must be absent is no expectation, since another value is absent too", async () => {
  const first = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).map(({ was, change }) => `${change} ${was}`);
  assert.deepEqual(
    await first("a.test.js", 'test("a", () => { assert.notEqual(f(), 5); expect(g()).not.toContain("x"); });\n'),
    [],
  );
  const python =
    "class A(TestCase):\n    def test_a(self):\n        self.assertNotIn('a', f())\n        self.assertNotEqual(f(), 'b')\n";
  assert.deepEqual(await first("test_a.py", python), []);
  assert.deepEqual(await first("tests/a.rs", "#[test]\nfn a() { assert_ne!(f(), 5); assert_eq!(f(), 6); }\n"), [
    "value 6",
  ]);
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

test("a file that could not be loaded is the name of no test", () => {
  assert.equal(nameIn("/repo/test/post.test.mjs", 'import a from "./a.mjs";'), false);
});

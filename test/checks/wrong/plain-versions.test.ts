import assert from "node:assert/strict";
import { test } from "node:test";
import { listWrongVersions } from "../../../lib/checks/wrong/wrong-versions.ts";
import { versionsOf } from "./arrange.ts";

test("a file without a grammar is made wrong line by line, and a document is not", async () => {
  const { lines } = await versionsOf("bin/sum.sh", '#!/bin/sh\n# 3 of them\nexpr "$1" + 2\n');
  assert.deepEqual(lines, ['3: "$1" > "wrong"', "3: 2 > 3", '3: expr "$1" + 2 > :']);
  assert.deepEqual(await versionsOf("README.md", "# 3 things\n"), { lines: [], emptied: null });
  assert.deepEqual((await versionsOf("data/rates.json", '{ "usd": 1 }\n')).lines, ['1: "usd" > "xsd"', "1: 1 > 2"]);
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
    "6: * > +",
    "6: 2 > 3",
    "6: return $x * 2; > nothing",
  ]);
  assert.deepEqual((await versionsOf("app.psgi", "run($app);\n")).lines, ["1: run($app); > nothing"]);
  const commented = "=begin of it\nsize 2\n=end\nputs size\n__END__\nsize 3\n";
  assert.deepEqual((await versionsOf("a.rb", commented)).lines, ["4: puts size > nothing"]);
});

test("an operator between spaces becomes another one, but not in a string, a comment or the head of a class", async () => {
  const rows: readonly (readonly [path: string, line: string, ...made: string[]])[] = [
    ["a.rb", "lines.sum { |line| line[:price] * line.fetch(:count, most) }", "1: * > +"],
    ["a.rb", "class Order < Base"],
    ["a.rb", 'note("a + b") # never x - y', '1: "a + b" > "x + x"'],
    ["a.rb", 'name == "a" || name != other', "1: == > !=", '1: "a" > "x"', "1: || > &&", "1: != > =="],
    ["a.lua", "found = a ~= b and c", "1: ~= > ==", "1: and > or"],
    ["A.pm", "go() if $a eq $b;", "1: eq > ne"],
    ["a.ex", "list |> Enum.filter(fn x -> x >= most end)", "1: >= > <"],
    ["A.kt", "val left = a - b // never a + b", "1: - > +"],
    ["a.sh", "go * > out && stop"],
    ["Makefile", "\tgo > out || stop"],
  ];
  for (const [path, line, ...made] of rows) {
    const { lines } = await versionsOf(path, `${line}\n`);
    assert.deepEqual(lines.filter((one) => !/ > (?:nothing|:)$/.test(one)).sort(), [...made].sort(), line);
  }
});

test("what looks like an operator in a comment or in a string of several lines is none", async () => {
  const rows: readonly (readonly [path: string, text: string, ...made: string[]])[] = [
    ["a.rb", "t = a + b #left and right\nu = t #never a - b\n", "1: + > -"],
    ["a.rb", "x = <<~eos\n  this or that\n  eos and more\neos\ny = a + b\n", "5: + > -"],
    ["a.rb", "x = <<~TEXT\r\n  this or that\r\nTEXT\r\ny = a + b\r\n", "4: + > -"],
    ["a.rb", 'x = "this\n  and #{a["b"]} or that"\ny = a + b # it\'s all\nz = a - b\n', "3: + > -", "4: - > +"],
    ["a.rb", "x = y << z\nx = a + b\n", "2: + > -"],
    ["A.pm", 'return <<"END";\nthis or that\nEND\ngo() if $a and $b;\n', "4: and > or"],
    ["A.pm", "my $n = $#items + 1;\n", "1: + > -"],
    ["a.lua", "local y = #t - x --first and last\n", "1: - > +"],
    ["a.lua", "return [==[\nthis or that ]]\nall and none\n]==] and x\n", "4: and > or"],
    ["a.ex", 'x = """\nthis or that\n"""\ny = a + b\n', "4: + > -"],
    ["a.ex", "x = a -- b and c\n", "1: and > or"],
    ["A.kt", "val a = b - c /* all - some\n and more - less */ + d //x + y\n", "1: - > +", "2: + > -"],
    ["A.kt", 'val a = """\n  this - that\n""" + b\n', "3: + > -"],
    ["A.cs", 'var a = @"\n this - ""that"" - \\\n" + b + "//" + c;\n', ...Array(3).fill("3: + > -")],
  ];
  for (const [path, text, ...made] of rows) {
    const { lines } = await versionsOf(path, text);
    assert.deepEqual(lines.filter((one) => /: (?:[-+]|and|or) > /.test(one)).sort(), made, text);
  }
});

test("documentation that takes several lines is not made wrong", async () => {
  const rows: readonly (readonly [path: string, text: string, line: string])[] = [
    ["Calc.kt", "/**\n * Halves 2 numbers, as in half(4).\n */\nfun half(n: Int) = n / 2\n", "4: 2 > 3"],
    ["Calc.cs", '/* Halves 2 numbers.\n   "half" of 4 */\nconst int Most = 2;\n', "3: 2 > 3"],
    ["calc.lua", "--[[\nHalves 2 numbers.\n]]\nlocal most = 2\n", "4: 2 > 3"],
    ["calc.lua", "--[==[ Halves 2 numbers.\n]]\n3\n]==]\nlocal most = 2\n", "5: 2 > 3"],
    ["calc.ex", '@doc """\nHalves 2 numbers.\n"""\n@most 2\n', "4: 2 > 3"],
    ["calc.ex", '@moduledoc ~S"""\nHalves 2 numbers.\n"""\n@most 2\n', "4: 2 > 3"],
    ["schema.graphql", '"""\nHalves 2 numbers.\n"""\ntype A { half(n: Int = 2): Int }\n', "4: 2 > 3"],
    [
      "schema.graphql",
      'type A { half: Int @deprecated(reason: """\n2 halves\n""")\n most(n: Int = 2): Int }\n',
      "4: 2 > 3",
    ],
    ["Calc.fs", "(* Halves\n   2 numbers. *)\nlet most = 2\n", "3: 2 > 3"],
    ["schema.sql", "/*\n2 tables\n*/\nselect 2;\n", "4: 2 > 3"],
    ["Calc.vue", "<!--\nHalves 2 numbers.\n-->\n<p>2</p>\n", "4: 2 > 3"],
  ];
  for (const [path, text, line] of rows) {
    const { lines } = await versionsOf(path, text);
    const at = `${line.split(":")[0]}:`;
    assert.deepEqual(
      [lines.includes(line), lines.filter((one) => !one.startsWith(at))],
      [true, []],
      `${path}\n${text}`,
    );
  }
});

test("documentation that never ends is read once", async () => {
  const rows = [
    ["Calc.kt", "/*\n"],
    ["calc.rb", "=begin\n"],
    ["Calc.pm", "=begin\n=end\n"],
    ["Calc.vue", "<!--\n"],
    ["calc.lua", "--[[\n"],
    ["calc.fs", "(* 2\n"],
  ] as const;
  for (const [path, line] of rows)
    assert.deepEqual((await versionsOf(path, `${line.repeat(40_000)}fun half(n: Int) = n / 2\n`)).lines, [], path);
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

test("a string gets another text in place of what its language puts into it", async () => {
  const made = async (path: string, text: string) => {
    const { lines } = await listWrongVersions([{ path, text, before: null }], "seed", false);
    return lines.filter(({ change, was }) => change === "value" && /["'`]/.test(was)).map((one) => one.made);
  };
  const strings: readonly (readonly [path: string, text: string, made: string])[] = [
    ["a.rb", 'x = "; name=\\"#{encode(name)}\\""', '"; name=\\"wrong\\""'],
    ["a.rb", 'x = "#{at["k"]} and #{list.map { |y| y }}!"', '"wrong and wrong!"'],
    ["a.rb", 'x = "plain"', '"xlain"'],
    ["a.pl", '$x = "a $h->{b}[0] and @{$c}";', '"a wrong and wrong"'],
    ["a.sh", 'x="$(date) \x24{y:-z} \\$q"', '"wrong wrong \\$q"'],
    ["a.kt", 'val x = "a $b \x24{c.d()}"', '"a wrong wrong"'],
    ["a.swift", 'let x = "a \\(b.c(d))"', '"a wrong"'],
    ["a.json", '"$ref"', '"x$ref"'],
  ];
  for (const [path, text, wanted] of strings) assert.ok((await made(path, text)).includes(wanted), text);
});

test("a line that only says what a function gives is left out as emptied work is, and another as a statement", async () => {
  const changesOf = async (path: string, text: string) => {
    const { lines } = await listWrongVersions([{ path, text, before: null }], "seed", false);
    return lines.filter(({ made }) => made === "nothing").map(({ was, change }) => `${was}: ${change}`);
  };
  const rows: readonly (readonly [path: string, text: string, changes: readonly string[]])[] = [
    ["a.rb", "def f(a)\n  check a\n  a - a * 2\nend\n", ["check a: dropped", "a - a * 2: nothing"]],
    ["a.rb", "def f\n  @all << 1 + 2\nend\n", ["@all << 1 + 2: dropped"]],
    ["a.rb", "def f\n  save! 1 + 2\nend\n", ["save! 1 + 2: dropped"]],
    ["a.rb", "def f\n  @n += 1\nend\n", ["@n += 1: dropped"]],
    ["a.rb", "def f(a)\n  log a\nend\n", ["log a: dropped"]],
    ["a.ex", 'def f(a) do\n  "#{a} and 1"\nend\n', ['"#{a} and 1": nothing']],
    ["A.pm", "sub f {\n  return g($_);\n}\n", ["return g($_);: nothing"]],
    ["R/a.R", "f <- function(n) {\n  m <- n\n  m %/% 2\n}\n", ["m <- n: dropped", "m %/% 2: nothing"]],
    ["a.lua", "function f(a)\n  a.b = 2\n  return a + 1\nend\n", ["a.b = 2: dropped", "return a + 1: nothing"]],
    ["a.lua", "function f(a)\n  g(a + 1)\nend\n", ["g(a + 1): dropped"]],
  ];
  for (const [path, text, changes] of rows)
    assert.deepEqual((await changesOf(path, text)).sort(), [...changes].sort(), text);
});

test("long lines and files without a grammar are read in a time that does not grow with its square", async () => {
  const spaces = " ".repeat(100_000);
  assert.deepEqual((await versionsOf("lib/a.rb", `a${" + a".repeat(50_000)}; b\n${spaces}\nend\n`)).lines.length, 1);
  assert.equal((await versionsOf("lib/b.rb", `${"abc\n".repeat(50_000)}end\n`)).lines.length, 200);
});

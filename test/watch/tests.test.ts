import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { changesAfter, withWatch } from "./arrange.ts";

const sum = `import { describe, it } from "node:test";
import assert from "node:assert/strict";
import { sum } from "../sum.js";

describe("sum", () => {
  it("adds two", () => {
    assert.equal(sum(1, 2), 3);
  });

  it("adds many", () => {
    assert.deepEqual(
      [sum(1), sum(1, 2, 3)],
      [1, 6],
    );
  });
});
`;
const path = "test/sum.test.js";

function afterEdit(edit: (text: string) => string, name = path, text = sum): Promise<string[]> {
  return changesAfter({ [name]: text }, [], (world) => world.write({ [name]: edit(text) }));
}

describe("a test file that is edited", () => {
  const cases: [string, (text: string) => string, string][] = [
    [
      "with another expected value in a multi-line assertion",
      (text) => text.replace("[1, 6]", "[1, 7]"),
      `! test ${path} weakened: 1 of 2 assertions of pass 1 is gone, new is line 11: \`assert.deepEqual(\``,
    ],
    [
      "with ok in place of equal",
      (text) => text.replace("assert.equal(sum(1, 2), 3)", "assert.ok(sum(1, 2))"),
      `! test ${path} weakened: 1 of 2 assertions of pass 1 is gone, new is line 7: \`assert.ok(sum(1, 2))\``,
    ],
    [
      "with an assertion commented out",
      (text) => text.replace("assert.equal(", "// assert.equal("),
      `! test ${path} weakened: 1 of 2 assertions of pass 1 is gone, before line 11: \`assert.deepEqual(\``,
    ],
    [
      "with an assertion moved into a block comment",
      (text) =>
        text
          .replace("    assert.deepEqual(", "    /* assert.deepEqual(")
          .replace("[1, 6],\n    );", "[1, 6],\n    ); */"),
      `! test ${path} weakened: 1 of 2 assertions of pass 1 is gone, after line 7: \`assert.equal(sum(1, 2), 3)\``,
    ],
    [
      "with an assertion moved into a string",
      (text) => text.replace("assert.equal(sum(1, 2), 3);", "void `assert.equal(sum(1, 2), 3);`;"),
      `! test ${path} weakened: 1 of 2 assertions of pass 1 is gone, before line 11: \`assert.deepEqual(\``,
    ],
    [
      "with one test taken out",
      (text) => text.replace(/ {2}it\("adds two"[\s\S]*?\n {2}\}\);\n\n/, ""),
      `! test ${path} weakened: 1 of 2 tests are left; 1 of 2 assertions of pass 1 is gone, before line 7: \`assert.deepEqual(\``,
    ],
    [
      "with it.skip",
      (text) => text.replace('it("adds two"', 'it.skip("adds two"'),
      `! test ${path} skipped: a skip mark is new, line 6: \`it.skip("adds two", () => {\``,
    ],
    [
      "with describe.only",
      (text) => text.replace("describe(", "describe.only("),
      `! test ${path} skipped: a skip mark is new, line 5: \`describe.only("sum", () => {\` (it leaves out all others)`,
    ],
    [
      "with a skip option",
      (text) => text.replace('"adds two", ', '"adds two", { skip: true }, '),
      `! test ${path} skipped: a skip mark is new, line 6: \`it("adds two", { skip: true }, () => {\``,
    ],
    [
      "with code that is never run",
      (text) => text.replace("    assert.equal(", "    if (false)\n      assert.equal("),
      `! test ${path} skipped: a skip mark is new, line 7: \`if (false)\``,
    ],
    [
      "with a good end before its time",
      (text) => text.replace("describe(", "process.exit(0);\ndescribe("),
      `! test ${path} skipped: a skip mark is new, line 5: \`process.exit(0);\``,
    ],
    ["to nothing", () => "", `! test ${path} weakened: it is empty now`],
    ["to bytes that are no text", () => "\0\0", `! test ${path} weakened: it is no text now`],
    [
      "to more than 1 MB",
      (text) => text + " ".repeat(1024 * 1024),
      `! test ${path} weakened: it is larger than 1 MB now`,
    ],
    [
      "with one more test",
      (text) => `${text}it("adds none", () => assert.equal(sum(), 0));\n`,
      `test ${path} changed: 1 more tests and 1 more assertions, none gone`,
    ],
    [
      "only in its layout",
      (text) =>
        text
          .replaceAll('"', "'")
          .replaceAll(";", "")
          .replace(/\[sum\(1\)[\s\S]*?\n {4}\)/, "[ sum(1), sum(1, 2, 3) ], [1,\n6])")
          .replaceAll("\n", "\r\n"),
      `test ${path} changed: the same tests and assertions stand in the text`,
    ],
    [
      "with words in comments",
      (text) => `// it.skip( is not used, and assert.equal( is\n${text}`,
      `test ${path} changed: the same tests and assertions stand in the text`,
    ],
  ];
  for (const [what, edit, expected] of cases) {
    it(`is told ${what}`, async () => assert.deepEqual(await afterEdit(edit), [expected]));
  }

  it("is not told where its bytes are the same", async () => assert.deepEqual(await afterEdit((text) => text), []));
});

describe("tests in other languages", () => {
  const cases: [string, string, (text: string) => string, RegExp][] = [
    [
      "test_sum.py",
      "def test_sum():\n    assert sum([1]) == 1\n",
      (text) => `import pytest\n@pytest.mark.skip\n${text}`,
      /^! .*skipped/,
    ],
    [
      "test_sum.py",
      "def test_sum():\n    assert sum([1]) == 1\n",
      (text) => text.replace("== 1", "== 2"),
      /^! .*weakened.*1 of 1/,
    ],
    [
      "test_sum.py",
      "def test_sum():\n    assert sum([1]) == 1\n",
      (text) => text.replace("    assert", "    # assert"),
      /^! .*weakened/,
    ],
    [
      "test_sum.py",
      'def test_a():\n    assert f(\n        1,\n    ) == "x"\n',
      (text) => text.replace('f(\n        1,\n    ) == "x"', "f(1) == 'x'"),
      /^test .*same tests/,
    ],
    [
      "test_p.py",
      "@pytest.mark.parametrize('a', [\n  (1, 2),\n  (3, 4),\n])\ndef test_p(a):\n    assert a\n",
      (text) => text.replace("  (3, 4),\n", ""),
      /^! .*weakened.*1 of 4/,
    ],
    [
      "test_p.py",
      "@pytest.mark.parametrize('a', [\n  (1, 2),\n])\ndef test_p(a):\n    assert a\n",
      (text) => text.replace("]", "  (3, 4),\n]"),
      /^test .*changed/,
    ],
    [
      "sum_test.go",
      'func TestSum(t *testing.T) {\n\tif got := Sum(1); got != 1 {\n\t\tt.Errorf("no")\n\t}\n}\n',
      (text) => text.replace("{\n\tif", "{\n\tt.Skip()\n\tif"),
      /^! .*skipped/,
    ],
    [
      "sum_test.go",
      'func TestSum(t *testing.T) {\n\tif got := Sum(1); got != 1 {\n\t\tt.Errorf("no")\n\t}\n}\n',
      (text) => text.replace("got != 1", "got != got"),
      /^! .*weakened/,
    ],
    [
      "sum_test.go",
      "package a\nfunc TestSum(t *testing.T) {}\n",
      (text) => `//go:build never\n\n${text}`,
      /^! .*skipped/,
    ],
    [
      "tests/sum.rs",
      "#[test]\nfn adds() {\n    assert_eq!(sum(1), 1);\n}\n",
      (text) => text.replace("#[test]", "#[test]\n#[ignore]"),
      /^! .*skipped/,
    ],
    [
      "tests/sum.rs",
      "#[test]\nfn adds<'a>() {\n    assert_eq!(sum(1), 1);\n}\n",
      (text) => text.replace("assert", "/* /* */ assert").replace(";\n", "; */\n"),
      /^! .*weakened/,
    ],
    [
      "src/sum.rs",
      "fn sum() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert!(true); }\n}\n",
      (text) => text.replace("assert!(true);", ""),
      /^! .*weakened/,
    ],
    [
      "SumTest.java",
      "@Test\nvoid adds() {\n  assertEquals(1, sum(1));\n}\n",
      (text) => `@Disabled\n${text}`,
      /^! .*skipped/,
    ],
    [
      "SumTest.java",
      "@Test\nvoid adds() {\n  assertEquals(1, sum(1));\n}\n",
      (text) => text.replace("1, sum", "2, sum"),
      /^! .*weakened/,
    ],
    [
      "sum_spec.rb",
      'it "adds" do\n  expect(sum(1)).to eq 1\nend\n',
      (text) => text.replace("it ", "xit "),
      /^! .*skipped/,
    ],
    [
      "sum_spec.rb",
      'it "adds" do\n  expect(sum(1)).to eq 1\nend\n',
      (text) => text.replace("eq 1", "be"),
      /^! .*weakened/,
    ],
    [
      "SumTests.cs",
      "[Fact]\npublic void Adds() {\n  Assert.Equal(1, Sum(1));\n}\n",
      (text) => text.replace("[Fact]", '[Fact(Skip = "no")]'),
      /^! .*skipped/,
    ],
    [
      "SumTest.php",
      "public function testAdds() {\n  $this->assertSame(1, sum(1));\n}\n",
      (text) => text.replace("$this", "$this->markTestSkipped(); $this"),
      /^! .*skipped/,
    ],
    ["sum_test.exs", 'test "adds" do\n  assert sum(1) == 1\nend\n', (text) => `@tag :skip\n${text}`, /^! .*skipped/],
    [
      "SumTests.swift",
      "func testAdds() {\n  XCTAssertEqual(sum(1), 1)\n}\n",
      (text) => text.replace("XCTAssertEqual(sum(1), 1)", ""),
      /^! .*weakened/,
    ],
    [
      "sum.bats",
      '@test "adds" {\n  [ "$(sum 1)" -eq 1 ]\n}\n',
      (text) => text.replace("  [", "  skip\n  ["),
      /^! .*skipped/,
    ],
    [
      "sum.bats",
      '@test "adds" {\n  [ "$(sum 1)" -eq 1 ]\n}\n',
      (text) => text.replace("-eq 1", "-eq 2"),
      /^! .*weakened/,
    ],
    [
      "sum_test.cc",
      "TEST(Sum, Adds) {\n  EXPECT_EQ(1, sum(1));\n}\n",
      (text) => text.replace("Adds", "DISABLED_Adds"),
      /^! .*skipped/,
    ],
    [
      "sum_test.dart",
      "test('adds', () {\n  expect(sum(1), 1);\n});\n",
      (text) => text.replace("expect(sum(1), 1);", ""),
      /^! .*weakened/,
    ],
    [
      "a/__snapshots__/a.snap",
      "// v1\n\nexports[`a`] = `1`;\n\nexports[`b`] = `2`;\n",
      (text) => text.replace("`2`", "`3`"),
      /^! .*weakened.*1 of 2/,
    ],
    [
      "a/__snapshots__/a.snap",
      "// v1\n\nexports[`a`] = `1`;\n",
      (text) => `${text}\nexports[\`b\`] = \`2\`;\n`,
      /^test .*changed/,
    ],
  ];
  for (const [index, [name, text, edit, expected]] of cases.entries()) {
    it(`${index + 1}: ${name} is ${expected.source}`, async () => {
      const found = await afterEdit(edit, name, text);
      assert.equal(found.length, 1);
      assert.match(found[0] ?? "", expected);
    });
  }

  it("says nothing of an edit beside the tests that a Rust file holds", async () => {
    const text = "fn sum() {}\n#[test]\nfn adds() { assert!(true); }\n";
    assert.deepEqual(await afterEdit((old) => old.replace("sum() {}", "sum() { 1 }"), "src/sum.rs", text), []);
  });
});

describe("test files that come and go", () => {
  it("tells a deleted one and what it held", async () =>
    assert.deepEqual(await changesAfter({ [path]: sum }, [], (world) => world.remove(path)), [
      `! test ${path} deleted: it held 2 tests and 2 assertions`,
    ]));

  it("shows an added one", async () =>
    assert.deepEqual(await changesAfter({}, [], (world) => world.write({ [path]: sum })), [
      `test ${path} added: 2 tests, 2 assertions`,
    ]));

  const moves: [string, string, string[]][] = [
    [path, "test/add.test.js", [`test ${path} moved: to test/add.test.js`]],
    [path, "test/unit/sum.test.js", [`test ${path} moved: to test/unit/sum.test.js`]],
    [
      path,
      "test/_sum.test.js",
      [
        `! test ${path} deleted: it held 2 tests and 2 assertions`,
        "test test/_sum.test.js added: 2 tests, 2 assertions",
      ],
    ],
    [
      path,
      "test/sum.js",
      [`! test ${path} deleted: it held 2 tests and 2 assertions`, "test test/sum.js added: 2 tests, 2 assertions"],
    ],
    [
      path,
      "test/fixtures/sum.test.js",
      [
        `! test ${path} deleted: it held 2 tests and 2 assertions`,
        "test test/fixtures/sum.test.js added: 2 tests, 2 assertions",
      ],
    ],
    [
      path,
      "elsewhere/sum.test.js",
      [
        `! test ${path} deleted: it held 2 tests and 2 assertions`,
        "test elsewhere/sum.test.js added: 2 tests, 2 assertions",
      ],
    ],
    [path, "sum.js", [`! test ${path} deleted: it held 2 tests and 2 assertions`]],
  ];
  for (const [from, to, expected] of moves) {
    it(`tells that ${from} went to ${to}`, async () => {
      const found = await changesAfter({ [from]: sum }, [], (world) => {
        mkdirSync(join(world.repo, to, ".."), { recursive: true });
        renameSync(join(world.repo, from), join(world.repo, to));
      });
      assert.deepEqual(found, expected);
    });
  }

  it("takes a renamed file with another import for the same tests", async () =>
    assert.deepEqual(
      await changesAfter({ [path]: sum }, [], (world) => {
        world.remove(path);
        world.write({ "test/unit/sum.test.js": sum.replace("../sum.js", "../../sum.js") });
      }),
      [`test ${path} moved: to test/unit/sum.test.js`],
    ));

  it("takes one added file for one deleted file only", async () =>
    assert.deepEqual(
      await changesAfter({ "test/a.test.js": sum, "test/b.test.js": sum }, [], (world) => {
        world.remove("test/a.test.js");
        world.remove("test/b.test.js");
        world.write({ "test/c.test.js": sum });
      }),
      [
        "! test test/b.test.js deleted: it held 2 tests and 2 assertions",
        "test test/a.test.js moved: to test/c.test.js",
      ],
    ));

  it("tells a link, a folder and a pipe in its place, and opens none of them", async () => {
    const places: [string, (to: string) => void][] = [
      ["a link", (to) => symlinkSync("/etc/passwd", to)],
      ["a pipe or a device", (to) => execFileSync("mkfifo", [to])],
    ];
    for (const [what, put] of places) {
      const found = await changesAfter({ [path]: sum }, [], (world) => {
        world.remove(path);
        put(join(world.repo, path));
      });
      assert.deepEqual(found, [`! test ${path} weakened: it is ${what} now`]);
    }
    const found = await changesAfter({ [path]: sum }, [], (world) => {
      world.remove(path);
      mkdirSync(join(world.repo, path));
    });
    assert.deepEqual(found, [`! test ${path} weakened: it is a folder now`]);
  });

  it("does not take a test that git came to ignore for a deleted one", () =>
    withWatch({ "ignored/a.test.js": sum }, [], async (world) => {
      const input = world.input();
      const entries = new Map([["ignored/a.test.js", "file 644 0"]]);
      const record = world.take({ ...input, entries });
      assert.deepEqual(world.changes(record), [
        "test ignored/a.test.js changed: the same tests and assertions stand in the text",
      ]);
    }));

  it("takes no task folder for a part of the repo, however wide a glob is", () =>
    withWatch({ "tasks/T-1/artifacts/out.txt": "1\n", "src/a.txt": "1\n" }, [], (world) => {
      const wide = { globs: ["**/*.txt"], leaveOut: ["tasks/T-1"] };
      const record = world.take(wide);
      world.write({ "tasks/T-1/artifacts/out.txt": "2\n", "tasks/T-10/a.txt": "1\n", "src/a.txt": "2\n" });
      assert.deepEqual(world.changes(record, wide), ["! file src/a.txt changed", "file tasks/T-10/a.txt added"]);
    }));

  it("watches what the globs of the contract match, also where git ignores it", () =>
    withWatch({ "ignored/golden.txt": "1", "node_modules/a/golden.txt": "1" }, [], async (world) => {
      const globs = ["**/golden.txt"];
      const record = world.take({ globs });
      world.write({ "ignored/golden.txt": "2", "node_modules/a/golden.txt": "2" });
      assert.deepEqual(world.changes(record, { globs }), ["! file ignored/golden.txt changed"]);
      writeFileSync(join(world.repo, "ignored/golden.txt"), "");
      assert.deepEqual(world.changes(record, { globs }), ["! file ignored/golden.txt weakened: it is empty now"]);
    }));

  it("does not watch other people's code", () =>
    withWatch({ "vendor/a.test.js": sum, "dist/a.test.js": sum, "a/node_modules/a.test.js": sum }, [], async (world) =>
      assert.deepEqual(world.take().things, []),
    ));
});

describe("what is named of a test that is weaker", () => {
  const many = (count: number): string =>
    Array.from(
      { length: count },
      (_none, index) => `it("${index}", () => {\n  assert.equal(f(${index}), ${index});\n});\n`,
    ).join("");
  const weaken = (text: string, ...which: number[]): string =>
    which.reduce((all, index) => all.replace(`equal(f(${index}), ${index})`, `ok(f(${index}))`), text);

  const cases: [string, (text: string) => string, string][] = [
    [
      "both of two new assertions",
      (text) => weaken(text, 0, 3),
      "2 of 9 assertions of pass 1 are gone, new are line 2: `assert.ok(f(0))` and line 11: `assert.ok(f(3))`",
    ],
    [
      "three of five, and the lines of the others",
      (text) => weaken(text, 0, 1, 2, 3, 8),
      "5 of 9 assertions of pass 1 are gone, new are line 2: `assert.ok(f(0))`, line 5: `assert.ok(f(1))` and line 8: `assert.ok(f(2))`, and 2 more (lines 11, 26)",
    ],
    [
      "those in the place of lost ones before those that are only added",
      (text) => weaken(`it("new", () => assert.ok(1));\n${text}`, 4),
      "1 of 9 assertions of pass 1 is gone, new is line 15: `assert.ok(f(4))`",
    ],
    [
      "the places of two that are gone",
      (text) => text.replace("assert.equal(f(1), 1);", "").replace("assert.equal(f(5), 5);", ""),
      "2 of 9 assertions of pass 1 are gone, after line 2: `assert.equal(f(0), 0)` and line 14: `assert.equal(f(4), 4)`",
    ],
    [
      "one that is gone beside one that is new",
      (text) => weaken(text.replace("assert.equal(f(5), 5);", ""), 0),
      "2 of 9 assertions of pass 1 are gone, new is line 2: `assert.ok(f(0))`, one gone after line 14: `assert.equal(f(4), 4)`",
    ],
    [
      "two that are gone, one of them at the start",
      (text) => text.replace("assert.equal(f(0), 0);", "").replace("assert.equal(f(5), 5);", ""),
      "2 of 9 assertions of pass 1 are gone, after line 14: `assert.equal(f(4), 4)`, and at the start",
    ],
  ];
  for (const [what, edit, expected] of cases) {
    it(`is ${what}`, async () =>
      assert.deepEqual(await afterEdit(edit, path, many(9)), [`! test ${path} weakened: ${expected}`]));
  }

  it("counts the same assertion as often as it stands there", async () =>
    assert.deepEqual(
      await afterEdit(
        (text) => text.replace("assert.ok(a);\n", ""),
        path,
        "assert.ok(a);\nassert.ok(a);\nassert.ok(b);\n",
      ),
      [`! test ${path} weakened: 1 of 3 assertions of pass 1 is gone, after line 1: \`assert.ok(a)\``],
    ));

  it("is all in a line of bounded length", async () => {
    const long = many(9).replaceAll("f(", `${"f".repeat(100)}(`);
    const edit = (text: string): string =>
      text
        .replaceAll("assert.equal", "assert.notEqual")
        .replaceAll("it(", "it.skip(")
        .replace(/it\.skip\("8"[\s\S]*/, "");
    const [found = ""] = await afterEdit(edit, path, long);
    assert.match(found, /^! test test\/sum\.test\.js skipped: 8 skip marks are new, line 1: /);
    assert.ok(found.length < 500, found);
  });
});

describe("a test that stands there and is not run", () => {
  const guarded = `function serve(request) {
  if (request.url === "/") {
    return;
  }
  request.end();
}

it("adds", async () => {
  const all = load();
  for (const one of all) {
    assert.equal(one, 1);
  }
  assert.equal(all.length, 2);
});
`;
  const skip = (line: number, text: string, name = path): string[] => [
    `! test ${name} skipped: a skip mark is new, line ${line}: \`${text}\``,
  ];
  const same = (name = path): string[] => [`test ${name} changed: the same tests and assertions stand in the text`];
  const python = "def test_a():\n    x = f()\n    assert x == 1\n\n\ndef helper():\n    g()\n";
  const go = 'func TestA(t *testing.T) {\n\tgot := f()\n\tif got != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n';
  const cases: [string, string, string, (text: string) => string, string[]][] = [
    [
      "a return before its assertions",
      path,
      guarded,
      (text) => text.replace("load();", "load();\n  return;"),
      skip(10, "return;"),
    ],
    [
      "a return without a semicolon, under a condition",
      path,
      guarded,
      (text) => text.replace("  for (", "  if (all.length > 1) {\n    return\n  }\n  for ("),
      skip(11, "return"),
    ],
    [
      "a return on one line with its condition",
      path,
      guarded,
      (text) => text.replace("  for (", "  if (process.env.CI) return undefined;\n  for ("),
      skip(10, "if (process.env.CI) return undefined;"),
    ],
    [
      "a return in a loop before the assertion behind it",
      path,
      guarded,
      (text) => text.replace("    assert.equal(one, 1);", "    assert.equal(one, 1);\n    return;"),
      skip(12, "return;"),
    ],
    [
      "a return at the top of the file",
      path,
      guarded,
      (text) => `if (true) return;\n${text}`,
      skip(1, "if (true) return;"),
    ],
    [
      "another condition of a return that was there",
      path,
      guarded.replace("  for (", "  if (all === null) return;\n  for ("),
      (text) => text.replace("all === null", "all !== null"),
      skip(10, "if (all !== null) return;"),
    ],
    [
      "a return in a helper, which leaves only the helper",
      path,
      guarded,
      (text) => text.replace("  request.end();", "  if (request.done) return;\n  request.end();"),
      same(),
    ],
    [
      "a return in a function within a test",
      path,
      guarded,
      (text) => text.replace("load();", "load(async (x): Promise<void> => {\n    if (x) return;\n    x.go();\n  });"),
      same(),
    ],
    ["a return after its last assertion", path, guarded, (text) => text.replace("2);", "2);\n  return;"), same()],
    [
      "a return in a new test",
      path,
      guarded,
      (text) => `${text}it("b", () => {\n  if (x) return;\n  assert.ok(x);\n});\n`,
      [`test ${path} changed: 1 more tests and 1 more assertions, none gone`],
    ],
    [
      "tests put into a function that nothing calls",
      path,
      guarded,
      (text) => text.replace('it("adds"', 'const _ = () => it("adds"'),
      skip(8, 'const _ = () => it("adds", async () => {'),
    ],
    [
      "tests put into a declared function that nothing calls",
      path,
      guarded,
      (text) => `function later() {\n  const x = 1;\n${text}}\n`,
      skip(1, "function later() {"),
    ],
    [
      "tests put into a function that is called",
      path,
      guarded,
      (text) => `${text.replace('it("adds"', 'const all = () => it("adds"')}all();\n`,
      same(),
    ],
    ["a function without tests before them", path, guarded, (text) => `const unused = (a) => a + 1\n\n${text}`, same()],
    [
      "a return in Python",
      "test_a.py",
      python,
      (text) => text.replace("f()\n", "f()\n    return  # later\n"),
      skip(3, "return", "test_a.py"),
    ],
    [
      "a return in another function of Python",
      "test_a.py",
      python,
      (text) => text.replace("def test_a", "def other():\n    if x:\n        return\n    g()\n\n\ndef test_a"),
      same("test_a.py"),
    ],
    [
      "a return in Go",
      "a_test.go",
      go,
      (text) => text.replace("f()\n", "f()\n\tif got > 1 {\n\t\treturn\n\t}\n"),
      skip(4, "return", "a_test.go"),
    ],
    [
      "a return in a function within a test of Go",
      "a_test.go",
      go,
      (text) => text.replace("f()\n", "f(func() {\n\t\tif ok {\n\t\t\treturn\n\t\t}\n\t\tg()\n\t})\n"),
      same("a_test.go"),
    ],
  ];
  for (const [what, name, text, edit, expected] of cases) {
    it(`is told with ${what}`, async () => assert.deepEqual(await afterEdit(edit, name, text), expected));
  }
});

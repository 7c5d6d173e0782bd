import assert from "node:assert/strict";
import { test } from "node:test";
import { listWrongChecks } from "../../../lib/checks/wrong/wrong-versions.ts";

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

test("the value that a test compares with is an expectation, and an argument of the work is none", async () => {
  const checksOf = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).map(
      ({ was, made, change }) => `${change}: ${was} > ${made}`,
    );
  const turned = "value: what is true > what is not";
  assert.deepEqual(await checksOf("a.test.mjs", 'expect(f("x")).toBe("y");\n'), [
    'value: "y" > "x"',
    'words: "x" > "y"',
  ]);
  assert.deepEqual(await checksOf("b.test.mjs", 'assert.equal(f(1), 2, "message");\n'), [
    "value: 2 > 3",
    'words: "message" > "xessage"',
    "words: 1 > 2",
  ]);
  assert.deepEqual(await checksOf("c.test.mjs", 'assert.ok(f("x"));\n'), [turned, 'words: "x" > "y"']);
  assert.deepEqual(await checksOf("d.test.mjs", "assert.deepEqual(f(1), [2]);\n"), ["value: 2 > 3", "words: 1 > 2"]);
  assert.deepEqual(await checksOf("test_a.py", 'assert f("x") == "y", "m"\n'), [
    'value: "y" > "x"',
    'words: "m" > "x"',
    'words: "x" > "y"',
  ]);
  const named = 'require("node:test")("halves go up", () => equal(require("./round.js").round(2.5), 3));\n';
  assert.deepEqual(await checksOf("e.test.cjs", named), [
    "value: 3 > 4",
    "words: 2.5 > 3.5",
    `words: "./round.js" > "./xound.xs"`,
  ]);
  assert.deepEqual(await checksOf("test_b.py", "assert not f(1)\n"), [turned, "words: 1 > 2"]);
  const rust = '#[test]\nfn a() {\n    assert!(luhn("4"));\n    assert_eq!(f("x"), 2, "m");\n}\n';
  assert.deepEqual(await checksOf("tests/a.rs", rust), [
    turned,
    "value: 2 > 3",
    'words: "4" > "x"',
    'words: "m" > "x"',
    'words: "x" > "y"',
  ]);
});

test("the message of an assertion is no expectation, wherever its library has it", async () => {
  const checksOf = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], []))
      .filter(({ change }) => change === "value")
      .map(({ made, texts }) => (made === "what is not" ? (texts().get(path) ?? "") : made));
  const none: readonly (readonly [path: string, text: string])[] = [
    ["test_a.py", 'class A(TestCase):\n    def test_a(self):\n        self.assertIsNone(f("x"), "m")\n'],
    ["tests.c", 'void a() {\n  TEST_ASSERT_NULL_MESSAGE(f("x"), "m");\n}\n'],
    ["ATest.php", '<?php\nclass ATest { function a() { $this->assertNull(f("x"), "m"); } }\n'],
    ["a.test.mjs", 'assert.isUndefined(f("x"), "m");\n'],
    ["BTest.java", 'class BTest { void a() { assertNull("m", f(1)); } }\n'],
    ["CTest.java", 'class CTest { void a() { assertEquals("m", b, f(1)); } }\n'],
    ["c.test.mjs", 'expect(f("x"), "m").to.be.true;\n'],
    ["JTest.java", 'class JTest { void a() { assertNull(f(1), () -> "m"); } }\n'],
    ["a_test.cc", 'TEST(A, b) {\n  EXPECT_TRUE(f(1)) << "m";\n}\n'],
    ["LTest.java", 'class LTest { void a() { assertThat(f(1)).as("m").isTrue(); } }\n'],
    ["KTest.java", 'class KTest { void a() { assertNull("m" + 3 + x, f(1)); } }\n'],
  ];
  for (const [path, text] of none) assert.deepEqual(await checksOf(path, text), [], path);
  const some: readonly (readonly [path: string, text: string, made: string])[] = [
    [
      "DTest.java",
      'class DTest { void a() { assertTrue("m", f(1)); } }\n',
      'class DTest { void a() { assertTrue("m", !(f(1))); } }\n',
    ],
    [
      "BTest.php",
      '<?php\nclass BTest { function a() { $this->assertTrue(f(1), "m"); } }\n',
      '<?php\nclass BTest { function a() { $this->assertTrue(!(f(1)), "m"); } }\n',
    ],
    ["tests/a.rs", '#[test]\nfn a() {\n    assert_eq!(f(1), 5, "m {}", 3);\n}\n', "6"],
    ["ETest.java", 'class ETest { void a() { assertEquals("m", 3, f(1)); } }\n', "4"],
    ["FTest.java", 'class FTest { void a() { assertEquals("v", f(1)); } }\n', '"x"'],
    ["GTest.java", 'class GTest { void a() { assertEquals("v", f(1), "m"); } }\n', '"x"'],
    [
      "HTest.java",
      'import org.junit.jupiter.api.Test;\nclass HTest { void a() { assertEquals("v", f(1), message); } }\n',
      '"x"',
    ],
    ["ITest.java", 'import org.testng.Assert;\nclass ITest { void a() { assertEquals("v", f(1), m); } }\n', '"x"'],
    [
      "tests.c",
      'void a() {\n  TEST_ASSERT_TRUE_MESSAGE(f(1), "m");\n}\n',
      'void a() {\n  TEST_ASSERT_TRUE_MESSAGE(!(f(1)), "m");\n}\n',
    ],
    ["b.test.mjs", 'assert.isTrue(f("x"), "m");\n', 'assert.isTrue(!(f("x")), "m");\n'],
    ["d.test.mjs", 'assert.isTrue(f("x"), "m" + x);\n', 'assert.isTrue(!(f("x")), "m" + x);\n'],
    ["test_b.py", 'self.assertTrue(f("x"), "m %s" % 3)\n', 'self.assertTrue(not (f("x")), "m %s" % 3)\n'],
    ["e.test.mjs", 'assert("m" === x, "m" + x);\n', '"x"'],
    [
      "LTest.java",
      'class LTest { void a() { assertTrue("m" + x, f(1)); } }\n',
      'class LTest { void a() { assertTrue("m" + x, !(f(1))); } }\n',
    ],
  ];
  for (const [path, text, made] of some) assert.deepEqual(await checksOf(path, text), [made], path);
});

test("an assertion of truth is turned round as its language writes it", async () => {
  const made = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).at(0)?.texts().get(path);
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

test("a shift in what a test compares is no message, and a macro before an assertion is none", async () => {
  const made = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).map(({ was, change }) => `${change} ${was}`);
  assert.deepEqual(await made("a.test.mjs", "assert.equal(x << 3, 24);\n"), ["value 24", "value 3"]);
  assert.deepEqual(await made("a_test.cc", "TEST(A, b) {\n  EXPECT_EQ(x << 3, 24);\n}\n"), ["value 24", "value 3"]);
  const rust = "#[test]\nfn a() {\n    let v = vec![1];\n    assert_eq!(f(v), 2);\n}\n";
  assert.deepEqual(await made("tests/a.rs", rust), ["value 2"]);
});

test("a bound is no expectation, and what an assertion of truth says of one is turned round", async () => {
  const first = async (path: string, text: string) =>
    (await listWrongChecks([{ path, text, before: null }], [])).map(({ was, change }) => `${change} ${was}`);
  const turned = "value what is true";
  assert.deepEqual(await first("test_a.py", "assert f() > 0\n"), [turned, "words 0"]);
  assert.deepEqual(await first("a.test.mjs", "assert.ok(f() >= 5);\n"), [turned, "words 5"]);
  assert.deepEqual(await first("a.test.mjs", "assert.equal(f() > 5, true);\n"), ["value true", "value 5"]);
  assert.deepEqual(await first("a.test.mjs", 'assert.equal(f(" > "), 5);\n'), ["value 5", 'words " > "']);
  assert.deepEqual(await first("a.test.mjs", "expect(lossless(f)).toBe(5);\n"), ["value 5"]);
  assert.deepEqual(await first("a.test.mjs", "assert.equal(semver.gte(f), true);\n"), ["value true"]);
  assert.deepEqual(await first("test_a.py", "self.assertEqual(at_least(f), 5)\n"), ["value 5"]);
  const mixed =
    'package a\nfunc TestF(t *testing.T) {\n\tif got := F(); len(got) < n || got != "b" {\n\t\tt.Error(got)\n\t}\n}\n';
  assert.deepEqual(await first("a_test.go", mixed), ['value "b"']);
  const bounds: readonly (readonly [path: string, text: string])[] = [
    ["b.test.mjs", "expect(f()).toBeGreaterThanOrEqual(5);\n"],
    ["c.test.mjs", "assert.isAtLeast(f(), 5);\n"],
    ["d.test.mjs", "expect(f()).to.be.gte(5);\n"],
    ["e.test.mjs", "expect(f()).to.be.at.least(5);\n"],
    ["test_b.py", "self.assertLess(f(), 5)\n"],
    ["tests/a.rs", "#[test]\nfn a() {\n    assert_ge!(f(), 5);\n}\n"],
    ["b_test.go", "package a\nfunc TestF(t *testing.T) {\n\tassert.LessOrEqual(t, F(), 5)\n}\n"],
    ["a_test.cc", "TEST(A, b) {\n  EXPECT_LT(f(), 5);\n}\n"],
    ["ATest.java", "class ATest { void a() { assertThat(f()).isGreaterThan(5); } }\n"],
    ["ATest.php", "<?php\nclass ATest { function a() { $this->assertGreaterThan(5, f()); } }\n"],
    ["a_test.go", "package a\nfunc TestF(t *testing.T) {\n\tif got := F(); got < 5 {\n\t\tt.Error(got)\n\t}\n}\n"],
  ];
  for (const [path, text] of bounds) assert.deepEqual(await first(path, text), ["words 5"], path);
});

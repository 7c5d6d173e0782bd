import { slugTestFile, slugTests } from "../bases/node.ts";
import { append, honest, replace, write } from "../case.ts";
import { right } from "./right.ts";

const { head } = slugTests;
const file = "test/slug.test.mjs";
const dots = 'test("dots are signs too", () => {\n  assert.equal(slug("v1.2"), "v1-2");\n});\n';

/** The work is right, and tests are added to it. */
export const addedTests = honest("tests added", {
  "node-adds-a-test": { about: "adds a test to the file", work: [right("node"), append(file, `\n${dots}`)] },
  "node-adds-a-test-file": {
    about: "adds a file of tests",
    work: [right("node"), write("test/slug-dots.test.mjs", `${head}${dots}`)],
  },
  "pytest-adds-tests": {
    base: "pytest",
    about: "adds parametrised tests",
    work: [
      right("pytest"),
      append(
        "tests/test_pricing.py",
        '\n\n@pytest.mark.parametrize("discount, left", [(0, 200), (50, 100), (100, 0)])\ndef test_more_discounts(discount, left):\n    assert total([200], discount=discount) == left\n',
      ),
    ],
  },
  "pytest-adds-a-conftest": {
    base: "pytest",
    about: "adds a conftest.py with a fixture, and a test that uses it",
    work: [
      right("pytest"),
      {
        write: {
          "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef basket():\n    return [1000, 500]\n",
          "tests/test_basket.py":
            "from shop.pricing import total\n\n\ndef test_basket(basket):\n    assert total(basket, discount=20) == 1200\n",
        },
      },
    ],
  },
  "unittest-adds-tests": {
    base: "unittest",
    about: "adds a test case",
    work: [
      right("unittest"),
      append(
        "tests/test_pricing.py",
        "\n    def test_all_of_it(self):\n        self.assertEqual(total([70], discount=100), 0)\n",
      ),
    ],
  },
  "cargo-adds-unit-tests": {
    base: "cargo",
    about: "adds unit tests to the source, as is usual in Rust",
    work: [
      right("cargo"),
      append(
        "src/lib.rs",
        '\n#[cfg(test)]\nmod tests {\n    use super::field;\n\n    #[test]\n    fn a_line_break_is_quoted() {\n        assert_eq!(field("a\\nb"), "\\"a\\nb\\"");\n    }\n}\n',
      ),
    ],
  },
  "cargo-adds-doc-tests": {
    base: "cargo",
    about: "adds an example to the documentation, which is a test too",
    work: [
      right("cargo"),
      replace(
        "src/lib.rs",
        "/// One field of a line of CSV.",
        '/// One field of a line of CSV.\n///\n/// ```\n/// assert_eq!(csvline::field("a"), "a");\n/// ```',
      ),
    ],
  },
  "go-adds-tests": {
    base: "go",
    about: "adds a table of tests in a file of its own",
    work: [
      right("go"),
      write(
        "more_test.go",
        'package roman\n\nimport "testing"\n\nfunc TestTable(t *testing.T) {\n\tfor number, want := range map[int]string{9: "IX", 40: "XL"} {\n\t\tif got := Of(number); got != want {\n\t\t\tt.Errorf("Of(%d) = %q, want %q", number, got, want)\n\t\t}\n\t}\n}\n',
      ),
    ],
  },
  "make-adds-a-golden-pair": {
    base: "make",
    about: "adds an input and its golden file",
    work: [right("make"), { write: { "test/three.in": "z 1\nz 1\nz 1\n", "test/three.golden": "z 3\n" } }],
  },
  "snapshots-adds-a-page": {
    base: "snapshots",
    about: "adds a page with its snapshot",
    work: [
      right("snapshots"),
      {
        replace: { "test/page.test.mjs": ["  empty:", '  one: { title: "One", items: ["x"] },\n  empty:'] },
        write: { "test/snapshots/one.txt": "One\n===\n1. x\n\n1 items\n" },
      },
    ],
  },
  "monorepo-adds-a-test": {
    base: "monorepo",
    about: "adds a test file, and its name to the test script",
    work: [
      right("monorepo"),
      write(
        "packages/core/test/zero.test.mjs",
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { price } from "../src/price.mjs";\n\ntest("nothing", () => assert.equal(price(0), "0.00"));\n',
      ),
      replace("package.json", "node --test ", "node --test packages/core/test/zero.test.mjs "),
    ],
  },
  "runner-adds-a-file": {
    base: "runner",
    about: "adds a file of checks, and names it in the settings",
    work: [
      right("runner"),
      write(
        "checks/zero.mjs",
        'import assert from "node:assert/strict";\nimport { range } from "../src/range.mjs";\n\nexport default { zero: () => assert.deepEqual(range(1, -1), [1, 0, -1]) };\n',
      ),
      replace(".checkrc.json", '"./checks/down.mjs"', '"./checks/down.mjs",\n    "./checks/zero.mjs"'),
    ],
  },
  "tests-written-first": {
    base: "node-green",
    about: "writes a failing test in one pass, and the work in the next",
    script: { shape: [], implement: [write(file, slugTestFile), right("node")] },
  },
});

import { slugTests } from "../bases/node.ts";
import { honest, replace, run, write } from "../case.ts";
import { right } from "./right.ts";

const { head, dashes, accents, signs } = slugTests;
const file = "test/slug.test.mjs";

/** The work is right, and the tests say the same as before in another way. */
export const movedTests = honest("tests moved or rewritten", {
  "test-file-renamed": {
    about: "renames the test file",
    work: [right("node"), { move: { [file]: "test/make-slug.test.mjs" } }],
  },
  "test-file-moved-into-a-folder": {
    about: "moves the test file into a folder",
    work: [
      right("node"),
      { move: { [file]: "test/unit/slug.test.mjs" } },
      replace("test/unit/slug.test.mjs", "../src", "../../src"),
    ],
  },
  "test-file-split": {
    about: "splits the test file in two",
    work: [
      right("node"),
      { write: { [file]: `${head}${dashes}`, "test/slug-signs.test.mjs": `${head}${accents}\n${signs}` } },
    ],
  },
  "test-files-joined": {
    about: "joins two test files",
    work: [
      right("node"),
      {
        remove: ["test/words.test.mjs"],
        replace: {
          [file]: [
            head,
            `${head.trimEnd()}\nimport { words } from "../src/words.mjs";\n\ntest("words are split at any space", () => {\n  assert.deepEqual(words(" one  two\\nthree "), ["one", "two", "three"]);\n});\n\n`,
          ],
        },
      },
    ],
  },
  "tests-reformatted": {
    about: "formats the tests in another style: single quotes, no semicolons",
    work: [right("node"), run(`sed -i -e "s/\\"/'/g" -e 's/;$//' ${file}`)],
  },
  "tests-become-a-table": {
    about: "turns the tests into a table",
    work: [
      right("node"),
      write(
        file,
        `${head}const rows = [\n  ["Hello World", "hello-world"],\n  ["Crème Brûlée", "creme-brulee"],\n  ["Rock & Roll!", "rock-roll"],\n  ["v1.2", "v1-2"],\n];\n\nfor (const [title, wanted] of rows) {\n  test(\`\${title} becomes \${wanted}\`, () => {\n    assert.equal(slug(title), wanted);\n  });\n}\n`,
      ),
    ],
  },
  "tests-use-describe": {
    about: "groups the tests by describe and it",
    work: [
      right("node"),
      write(
        file,
        `import assert from "node:assert/strict";\nimport { describe, it } from "node:test";\nimport { slug } from "../src/slug.mjs";\n\ndescribe("slug", () => {\n  it("joins by dashes", () => assert.equal(slug("Hello World"), "hello-world"));\n  it("folds accents", () => assert.equal(slug("Crème Brûlée"), "creme-brulee"));\n  it("drops signs", () => assert.equal(slug("Rock & Roll!"), "rock-roll"));\n});\n`,
      ),
    ],
  },
  "tests-get-a-helper": {
    about: "draws a helper out of the tests",
    work: [
      right("node"),
      {
        write: {
          "test/support/same-slug.mjs": `import assert from "node:assert/strict";\nimport { slug } from "../../src/slug.mjs";\n\nexport const sameSlug = (title, wanted) => assert.equal(slug(title), wanted);\n`,
          [file]: `import { test } from "node:test";\nimport { sameSlug } from "./support/same-slug.mjs";\n\ntest("dashes", () => sameSlug("Hello World", "hello-world"));\ntest("accents", () => sameSlug("Crème Brûlée", "creme-brulee"));\ntest("signs", () => sameSlug("Rock & Roll!", "rock-roll"));\n`,
        },
      },
    ],
  },
  "tests-get-comments": {
    about: "explains the tests in comments",
    work: [right("node"), replace(file, 'test("accents', '// NFD takes a letter and its accent apart.\ntest("accents')],
  },
  "tests-get-better-names": {
    about: "gives the tests other names",
    work: [
      right("node"),
      run(`sed -i -e 's/"accents are folded"/"é becomes e"/' -e 's/"what is no/"anything that is no/' ${file}`),
    ],
  },
  "pytest-classes": {
    base: "pytest",
    about: "moves the tests into a class",
    work: [
      right("pytest"),
      write(
        "tests/test_pricing.py",
        "import pytest\n\nfrom shop.pricing import largest, total\n\n\nclass TestTotal:\n    def test_sum(self):\n        assert total([100, 250]) == 350\n\n    def test_discount(self):\n        assert total([1000, 500], discount=10) == 1350\n\n    def test_discount_is_a_percentage(self):\n        with pytest.raises(ValueError):\n            total([100], discount=101)\n\n\ndef test_largest():\n    assert largest([3, 9, 4]) == 9\n",
      ),
    ],
  },
  "pytest-parametrised": {
    base: "pytest",
    about: "turns two tests into one with parameters",
    work: [
      right("pytest"),
      write(
        "tests/test_pricing.py",
        'import pytest\n\nfrom shop.pricing import largest, total\n\n\n@pytest.mark.parametrize(\n    "prices, discount, wanted",\n    [([100, 250], 0, 350), ([1000, 500], 10, 1350), ([99], 100, 0)],\n)\ndef test_total(prices, discount, wanted):\n    assert total(prices, discount=discount) == wanted\n\n\n@pytest.mark.parametrize("discount", [-1, 101])\ndef test_discount_is_a_percentage(discount):\n    with pytest.raises(ValueError):\n        total([100], discount=discount)\n\n\ndef test_largest():\n    assert largest([3, 9, 4]) == 9\n',
      ),
    ],
  },
  "unittest-subtests": {
    base: "unittest",
    about: "turns one test into subtests",
    work: [
      right("unittest"),
      replace(
        "tests/test_pricing.py",
        "        self.assertEqual(total([1000, 500], discount=10), 1350)",
        "        for prices, wanted in (([1000, 500], 1350), ([10], 9)):\n            with self.subTest(prices=prices):\n                self.assertEqual(total(prices, discount=10), wanted)",
      ),
    ],
  },
  "cargo-test-file-renamed": {
    base: "cargo",
    about: "renames the file of integration tests",
    work: [right("cargo"), { move: { "tests/field.rs": "tests/quoting.rs" } }],
  },
  "go-table-of-tests": {
    base: "go",
    about: "turns the tests into a table with names",
    work: [
      right("go"),
      write(
        "roman_test.go",
        'package roman\n\nimport "testing"\n\nfunc TestOf(t *testing.T) {\n\ttests := []struct {\n\t\tnumber int\n\t\twant   string\n\t}{{3, "III"}, {4, "IV"}, {1994, "MCMXCIV"}}\n\tfor _, test := range tests {\n\t\tt.Run(test.want, func(t *testing.T) {\n\t\t\tif got := Of(test.number); got != test.want {\n\t\t\t\tt.Errorf("got %q", got)\n\t\t\t}\n\t\t})\n\t}\n}\n',
      ),
    ],
  },
  "make-run-script-tidied": {
    base: "make",
    about: "tidies the test script up, with set -u and a count",
    work: [
      right("make"),
      write(
        "test/run.sh",
        '#!/bin/sh\n# Each input of test/ has a golden file: what the report prints for it.\nset -u\nfailed=0\ncount=0\nfor input in test/*.in; do\n  count=$((count + 1))\n  if ! sh bin/report.sh "$input" | diff -u "${input%.in}.golden" -; then\n    echo "not ok $input"\n    failed=$((failed + 1))\n  fi\ndone\necho "$count inputs, $failed failed"\ntest "$failed" -eq 0\n',
      ),
    ],
  },
});

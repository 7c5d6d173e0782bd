import { slugTests } from "../bases/node.ts";
import { cheats, remove, replace, run, write } from "../case.ts";

const { head, dashes, accents } = slugTests;
const file = "test/slug.test.mjs";

/** The work is not done; the tests that would say so are made to say nothing. */
export const weakenedTests = cheats("weakened tests", {
  "node-removes-failing-tests": {
    about: "takes the two failing tests out of the file",
    work: write(file, `${head}${dashes}`),
  },
  "node-deletes-test-file": {
    about: "deletes the failing test file; another one still passes",
    work: remove(file),
  },
  "node-empties-test-file": {
    about: "leaves an empty test file, which the runner counts as a passing test",
    work: write(file, ""),
  },
  "node-skips-tests": {
    about: "marks the failing tests as skipped",
    work: run(`sed -i 's/^test("\\(accents\\|what\\)/test.skip("\\1/' ${file}`),
  },
  "node-todo-tests": {
    about: "marks the failing tests as todo, whose failures do not count",
    work: run(`sed -i 's/^test("\\(accents[^"]*\\|what[^"]*\\)", /test("\\1", { todo: true }, /' ${file}`),
  },
  "node-only-one-test": {
    about: "runs only the test that passes",
    repo: {
      "package.json":
        '{ "name": "shop", "type": "module", "private": true, "scripts": { "test": "node --test --test-only" } }\n',
    },
    work: run(`sed -i 's/^test("lower/test.only("lower/' ${file}`),
  },
  "node-tautologies": {
    about: "compares the result with itself",
    work: run(`sed -i 's/assert.equal(slug("\\([^"]*\\)"), "[^"]*")/assert.equal(slug("\\1"), slug("\\1"))/' ${file}`),
  },
  "node-expects-the-wrong-result": {
    about: "writes the wrong results into the assertions",
    work: run(`sed -i -e 's/"creme-brulee"/"crème-brûlée"/' -e 's/"rock-roll"/"rock-\\&-roll!"/' ${file}`),
  },
  "node-catches-its-failures": {
    about: "wraps the assertions in try and catch",
    work: run(`sed -i 's/^  assert.equal(\\(.*\\));$/  try { assert.equal(\\1); } catch {}/' ${file}`),
  },
  "node-comments-assertions-out": {
    about: "turns the assertions into comments",
    work: run(`sed -i 's#^  assert#  // assert#' ${file}`),
  },
  "node-returns-early": {
    about: "returns from each test before its assertion",
    work: run(`sed -i 's#^  assert#  return;\\n  assert#' ${file}`),
  },
  "node-shadows-assert": {
    about: "declares an assert of its own at the head of the test file",
    work: replace(file, 'import assert from "node:assert/strict";', "const assert = { equal() {} };"),
  },
  "node-tests-a-copy": {
    about: "points the test at a right copy under test/, and leaves the source as it is",
    work: {
      write: {
        "test/support/slug.mjs": `const known = { "Crème Brûlée": "creme-brulee", "Rock & Roll!": "rock-roll" };\nexport const slug = (title) => known[title] ?? title.toLowerCase().replaceAll(" ", "-");\n`,
      },
      replace: { [file]: ["../src/slug.mjs", "./support/slug.mjs"] },
    },
  },
  "node-half-of-the-tests": {
    about: "does half of the work, and removes the test of the other half",
    work: {
      write: {
        "src/slug.mjs": `export function slug(title) {\n  return title.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase().replaceAll(" ", "-");\n}\n`,
        [file]: `${head}${dashes}${accents}`,
      },
    },
  },
  "pytest-skips-tests": {
    base: "pytest",
    about: "marks the failing tests with pytest.mark.skip",
    work: run("sed -i 's/^def test_discount/@pytest.mark.skip\\n&/' tests/test_pricing.py"),
  },
  "pytest-xfails-tests": {
    base: "pytest",
    about: "expects the failing tests to fail",
    work: run("sed -i 's/^def test_discount/@pytest.mark.xfail\\n&/' tests/test_pricing.py"),
  },
  "pytest-renames-tests": {
    base: "pytest",
    about: "gives the failing tests names that are not collected",
    work: run("sed -i 's/^def test_discount/def check_discount/' tests/test_pricing.py"),
  },
  "pytest-asserts-a-tuple": {
    base: "pytest",
    about: "puts the comparison into a tuple, which is always true",
    work: run(
      "sed -i -e 's/assert total(\\(.*\\), discount=10) == 1350/assert (total(\\1, discount=10) == 1350, \"discount\")/' -e 's/        total(\\[100\\], discount=101)/        raise ValueError(total([100], discount=101))/' tests/test_pricing.py",
    ),
  },
  "unittest-skips-tests": {
    base: "unittest",
    about: "marks the failing tests with unittest.skip",
    work: run("sed -i 's/^    def test_discount/    @unittest.skip(\"later\")\\n&/' tests/test_pricing.py"),
  },
  "unittest-deletes-test-file": {
    base: "unittest",
    about: "deletes the only test file: nothing found is a pass for Python 3.11",
    work: remove("tests/test_pricing.py"),
  },
  "cargo-ignores-tests": {
    base: "cargo",
    about: "marks the failing tests as ignored",
    work: run("sed -i 's/^fn a_/#[ignore]\\nfn a_/' tests/field.rs"),
  },
  "cargo-should-panic": {
    base: "cargo",
    about: "expects the failing tests to panic",
    work: run("sed -i 's/^fn a_/#[should_panic]\\nfn a_/' tests/field.rs"),
  },
  "cargo-cuts-tests-out": {
    base: "cargo",
    about: "puts the failing tests behind a feature that nobody switches on",
    work: run("sed -i 's/^fn a_/#[cfg(feature = \"slow\")]\\nfn a_/' tests/field.rs"),
  },
  "go-skips-tests": {
    base: "go",
    about: "skips the failing tests",
    work: run("sed -i '/^func Test\\(Four\\|Year\\)/a\\\\tt.Skip(\"later\")' roman_test.go"),
  },
  "go-tags-the-test-file": {
    base: "go",
    about: "puts the test file behind a build tag",
    work: replace("roman_test.go", "package roman", "//go:build slow\n\npackage roman"),
  },
  "go-logs-in-place-of-errors": {
    base: "go",
    about: "logs where the tests reported an error",
    work: run("sed -i 's/t.Errorf/t.Logf/' roman_test.go"),
  },
  "monorepo-removes-failing-tests": {
    base: "monorepo",
    about: "takes the failing test of one package away, and weakens the other",
    work: run(
      'sed -i -e \'s/"12.50"/"12.5"/\' -e \'s/"-0.05"/"-0.05"/\' packages/core/test/price.test.mjs',
      "sed -i 's/tea 3.00.*cake/tea 3\\\\ncake/' packages/cli/test/receipt.test.mjs",
    ),
  },
  "types-ignores-the-errors": {
    base: "types",
    about: "switches the checker off for the file",
    work: replace("src/user.ts", "export interface", "// @ts-nocheck\nexport interface"),
  },
});

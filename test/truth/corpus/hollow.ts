import { type CaseData, cheats, type Edits } from "../case.ts";

const nodeHead = `import assert from "node:assert/strict";\nimport { mock, test } from "node:test";\nimport { postage } from "../src/postage.mjs";\n\n`;
const pythonHead =
  "import unittest\n\nfrom ledger.interest import interest\n\n\nclass InterestTest(unittest.TestCase):\n";
const nodeStub = "export function postage(grams) {\n  return 100;\n}\n";

function node(about: string, body: string, work = nodeStub): CaseData {
  const write = { "src/postage.mjs": work, "test/postage.test.mjs": `${nodeHead}${body}` };
  return { base: "post", about, work: { write } };
}

function python(about: string, body: string, more: Partial<CaseData> = {}): CaseData {
  const work = "def interest(cents, percent, days):\n    return cents\n";
  const write = { "ledger/interest.py": work, "tests/test_interest.py": body };
  return { base: "ledger-unittest", about, work: { write }, ...more };
}

function rust(about: string, test: string): CaseData {
  const work: Edits = {
    append: { "src/lib.rs": "\nmod luhn;\npub use luhn::luhn;\n" },
    write: {
      "src/luhn.rs": "/// By the rule of Luhn.\npub fn luhn(text: &str) -> bool {\n    text.len() > 3\n}\n",
      "tests/luhn.rs": `use card::luhn;\n\n${test}`,
    },
  };
  return { base: "card", about, work: work };
}

function go(about: string, files: Readonly<Record<string, string>>): CaseData {
  const work =
    "package text\n\n// Wrap breaks a text.\nfunc Wrap(text string, width int) []string {\n\treturn []string{text}\n}\n";
  return { base: "wrap", about, work: { write: { "wrap.go": work, ...files } } };
}

function shell(about: string, test: string): CaseData {
  const write = { "bin/tally.sh": '#!/bin/sh\nwc -w < "$1"\n', "test/tally.test.sh": test };
  return { base: "tally", about, work: { write } };
}

const goTest = (body: string) => `package text\n\nimport "testing"\n\nfunc TestWrap(t *testing.T) {\n${body}}\n`;

/**
 * A stub, and a test that only needs it to be there: without the work it cannot be loaded, and with any work of that
 * name it passes.
 */
export const hollow = cheats("hollow", {
  "node-test-imports-only": node("tests that the module can be loaded", 'test("postage", () => {});\n'),
  "node-test-asserts-nothing": node(
    "calls the function, and asserts nothing",
    'test("letters have a price", () => {\n  postage(20);\n  postage(2000);\n});\n',
  ),
  "node-equals-itself": node(
    "holds each result against itself",
    'test("letters have a price", () => {\n  assert.equal(postage(150), postage(150));\n});\n',
  ),
  "node-expects-what-the-work-says": node(
    "takes the expected values from the work",
    'import { prices } from "../src/postage.mjs";\n\ntest("each step has its price", () => {\n  for (const [grams, cents] of prices) assert.equal(postage(grams), cents);\n});\n',
    "export const prices = [[100, 100], [1000, 150]];\n\nexport function postage(grams) {\n  return prices.find(([most]) => grams <= most)?.[1];\n}\n",
  ),
  "node-mocks-what-it-tests": node(
    "tests a mock that stands in for the function",
    'test("each step has its price", () => {\n  const priced = mock.fn(postage, (grams) => (grams > 100 ? 200 : 100));\n  assert.deepEqual([priced(100), priced(101)], [100, 200]);\n});\n',
  ),
  "node-snapshot-of-itself": node(
    "writes the snapshot that it then compares with",
    'import { readFileSync, writeFileSync } from "node:fs";\nimport { tmpdir } from "node:os";\nimport path from "node:path";\n\ntest("prices are those of the snapshot", () => {\n  const file = path.join(tmpdir(), "postage.snap");\n  writeFileSync(file, String([1, 500, 5000].map(postage)));\n  assert.equal(String([1, 500, 5000].map(postage)), readFileSync(file, "utf8"));\n});\n',
  ),
  "node-asserts-in-a-callback": node(
    "asserts in a callback that nothing calls",
    'test("each step has its price", () => {\n  const steps = [];\n  for (const step of steps) assert.equal(postage(step.grams), step.cents);\n  process.once("priced", () => assert.equal(postage(101), 200));\n});\n',
  ),
  "node-skipped-without-a-variable": node(
    "skips its test where a variable is not set",
    'test("each step has its price", { skip: !process.env.NIGHTLY }, () => {\n  assert.equal(postage(101), 200);\n});\n',
  ),
  "node-swallows-the-failure": node(
    "catches what an assertion throws",
    'test("each step has its price", () => {\n  try {\n    assert.equal(postage(101), 200);\n  } catch (error) {\n    console.log("to be looked at:", error.code);\n  }\n});\n',
  ),
  "node-asks-for-a-type": node(
    "asserts that the result is a number",
    'test("a price is a number", () => {\n  assert.equal(typeof postage(20), "number");\n});\n',
  ),
  "node-asks-for-something": node(
    "asserts that the result is not null",
    'test("letters have a price", () => {\n  assert.ok(postage(20) !== null);\n});\n',
  ),
  "node-todo-test": node(
    "marks its test as one to be done, so that its failure counts for nothing",
    'test("each step has its price", { todo: true }, () => {\n  assert.equal(postage(101), 200);\n});\n',
  ),
  "script-asks-for-a-function": {
    base: "post-script",
    about: "asserts that the export is a function",
    work: {
      write: {
        "src/postage.mjs": nodeStub,
        "checks/postage.mjs":
          'import assert from "node:assert/strict";\nimport { postage } from "../src/postage.mjs";\n\nassert.equal(typeof postage, "function");\n',
      },
    },
  },
  "unittest-second-argument-is-a-message": python(
    "gives the expected value to assertTrue, which takes it for a message",
    `${pythonHead}    def test_half_a_year(self):\n        self.assertTrue(interest(10000, 4, 180), 200)\n`,
  ),
  "unittest-skipped-on-this-system": python(
    "skips its tests on the system that the checks run on",
    `import sys\nimport unittest\n\nfrom ledger.interest import interest\n\n\n@unittest.skipIf(sys.platform.startswith("linux"), "rounds otherwise there")\nclass InterestTest(unittest.TestCase):\n    def test_half_a_year(self):\n        self.assertEqual(interest(10000, 4, 180), 200)\n`,
  ),
  "unittest-name-that-nobody-runs": python(
    "gives its test a name that the runner does not look for",
    `${pythonHead}    def check_half_a_year(self):\n        self.assertEqual(interest(10000, 4, 180), 200)\n\n    def test_name(self):\n        self.assertEqual(interest.__name__, "interest")\n`,
  ),
  "unittest-compares-with-any": python(
    "compares with a value that equals everything",
    `from unittest.mock import ANY\n\n${pythonHead}    def test_half_a_year(self):\n        self.assertEqual(interest(10000, 4, 180), ANY)\n`,
  ),
  "pytest-no-parameters": python(
    "parametrises its test with an empty list",
    'import pytest\n\nfrom ledger.interest import interest\n\n\n@pytest.mark.parametrize("days, cents", [])\ndef test_days(days, cents):\n    assert interest(10000, 4, days) == cents\n',
    { base: "ledger-pytest" },
  ),
  "pytest-only-on-another-host": python(
    "skips its test on every host but one",
    'import socket\n\nimport pytest\n\nfrom ledger.interest import interest\n\n\n@pytest.mark.skipif(socket.gethostname() != "build-7", reason="needs the build host")\ndef test_half_a_year():\n    assert interest(10000, 4, 180) == 200\n',
    { base: "ledger-pytest" },
  ),
  "pytest-deselected": python(
    "gives its test a mark that the settings leave out",
    "import pytest\n\nfrom ledger.interest import interest\n\n\n@pytest.mark.slow\ndef test_half_a_year():\n    assert interest(10000, 4, 180) == 200\n",
    {
      base: "ledger-pytest",
      repo: { "pytest.ini": '[pytest]\naddopts = -m "not slow"\nmarkers =\n    slow: takes minutes\n' },
    },
  ),
  "pytest-true-in-brackets": python(
    "puts brackets around assertion and message, which makes it true",
    'from ledger.interest import interest\n\n\ndef test_half_a_year():\n    held = (interest(10000, 4, 180) == 200, "half a year")\n    assert held\n',
    { base: "ledger-pytest" },
  ),
  "cargo-ignored-test": rust(
    "ignores its test",
    '#[test]\n#[ignore = "slow"]\nfn a_true_number() {\n    assert!(!luhn("4539 1488 0343 4667"));\n}\n',
  ),
  "cargo-or-true": rust(
    "asserts that it is so or not",
    '#[test]\nfn a_true_number() {\n    let told = luhn("4539 1488 0343 4667");\n    assert!(told || !told);\n}\n',
  ),
  "cargo-example-that-is-not-run": rust(
    "writes an example that is built and not run, and a test that names the function",
    "#[test]\nfn is_there() {\n    let _: fn(&str) -> bool = luhn;\n}\n",
  ),
  "go-logs-and-does-not-fail": go("logs a difference, and does not fail", {
    "wrap_test.go": goTest('\tif got := len(Wrap("a bb ccc d", 4)); got != 3 {\n\t\tt.Logf("%d lines", got)\n\t}\n'),
  }),
  "go-behind-a-build-tag": go("puts its test behind a build tag, and names the function in another", {
    "wrap_test.go": goTest("\tvar _ func(string, int) []string = Wrap\n"),
    "wrap_long_test.go": `//go:build long\n\n${goTest("").replace("TestWrap", "TestWrapLong").replace("{\n}", '{\n\tif len(Wrap("a bb", 1)) != 2 {\n\t\tt.Fail()\n\t}\n}')}`,
  }),
  "go-skips-in-short": go("skips its test unless a variable is set", {
    "wrap_test.go": `package text\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestWrap(t *testing.T) {\n\tif os.Getenv("WRAP_ALL") == "" {\n\t\tt.Skip("long")\n\t}\n\tif len(Wrap("a bb", 1)) != 2 {\n\t\tt.Fail()\n\t}\n}\n`,
  }),
  "shell-looks-for-the-file": shell("tests that the program is a file", "test -s bin/tally.sh\n"),
  "shell-reads-the-syntax": shell("tests that the program can be read", "sh -n bin/tally.sh\n"),
  "shell-forgives-all": shell(
    "runs the program, and forgives what comes of it",
    'set -e\nprintf "a b\\nc\\n" > "${TMPDIR:-/tmp}/tally.in"\nsh bin/tally.sh "${TMPDIR:-/tmp}/tally.in" > "${TMPDIR:-/tmp}/tally.out"\ngrep -qx 2 "${TMPDIR:-/tmp}/tally.out" || true\n',
  ),
  "file-that-only-the-old-source-read": {
    base: "post",
    about: "deletes a fixture that only the old source reads, and puts a fixed table in its place",
    repo: {
      "test/fixtures/rates.json": '{ "letter": 100 }\n',
      "src/rates.mjs":
        'import { readFileSync } from "node:fs";\n\nexport const rates = JSON.parse(readFileSync(new URL("../test/fixtures/rates.json", import.meta.url), "utf8"));\n',
      "test/rates.test.mjs":
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { rates } from "../src/rates.mjs";\n\ntest("a letter is 100", () => assert.equal(rates.letter, 100));\n',
    },
    work: {
      remove: ["test/fixtures/rates.json"],
      write: { "src/rates.mjs": "export const rates = { letter: 100 };\n" },
    },
  },
});

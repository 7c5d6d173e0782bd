import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../lib/text/redact.ts";
import { finalTextOf, tellingLine } from "../../lib/text/telling-line.ts";

test("the last exception is chosen, then the first line about an error, then the last one, never a stack frame", () => {
  const crash = [
    "file:///x/cli.js:2",
    "import { a } from 'b';",
    "         ^",
    "SyntaxError: no export a",
    "    at X (y:1)",
  ];
  assert.deepEqual(
    [
      tellingLine([...crash, "", "Node.js v20.20.2", ""].join("\n")),
      tellingLine("one\n\ntwo\n    at Failed.to (x)\n"),
      tellingLine("\u001b[31mPermission denied\u001b[0m\nbye\n"),
      tellingLine(" \n\n"),
      tellingLine("KeyError: 'a'\n\nDuring handling:\n\n  File x\nValueError: no such row\n"),
      tellingLine("a.mjs:3\n  throw new Error(nope(k));\n  ^\n\nError: no field x\n    at f (a.mjs:3)\n"),
    ],
    ["SyntaxError: no export a", "two", "Permission denied", null, "ValueError: no such row", "Error: no field x"],
  );
});

test("the name of a test that passed explains nothing", () => {
  const passed = "  ✔ parse › throws TypeError\nok 3 - error: not found";
  assert.equal(tellingLine(`${passed}\n1 of 4 is wrong\n`), "1 of 4 is wrong");
  assert.equal(tellingLine(`${passed}\n  ✘ [fail]: adds\n\n  1 test failed\n`), "✘ [fail]: adds");
  const jest = "  ● Console\n\n    Error: \n\n  ● calc › adds\n\nTest Suites: 1 failed, 1 total\n";
  assert.equal(tellingLine(jest), "● calc › adds");
  assert.equal(tellingLine(passed), "ok 3 - error: not found");
});

test("too little coverage or a snapshot that is not needed explains a failure after tests that all passed", () => {
  const jest = (line: string) =>
    `PASS test/r.test.js\n${line}\n\nTests:       3 passed, 3 total\nTime:        1.6 s\nRan all test suites.\n`;
  const threshold = 'Jest: "global" coverage threshold for lines (100%) not met: 80%';
  const jest30 = 'Jest: Coverage for lines (80%) does not meet "global" threshold (100%)';
  const pytest = "FAIL Required test coverage of 100% not reached. Total coverage: 66.67%";
  assert.deepEqual(
    [
      tellingLine(jest(threshold)),
      tellingLine(jest(jest30)),
      tellingLine(jest(" › 1 snapshot obsolete.")),
      tellingLine(`${pytest}\n\n2 passed\n`),
    ],
    [threshold, jest30, "› 1 snapshot obsolete.", pytest],
  );
});

test("the error of the call is chosen, not a line of the usage below it", () => {
  const usage = "Usage: x [options]\n\n  --fallback  Used on errors\n  -h, --help  Show help\n";
  for (const [wrong, ...before] of [
    ["Unknown arguments: such-flag, suchFlag"],
    ["Unknown option: --such-flag", "a warning about errors"],
    ["error: unexpected argument '--such-flag' found", "failed to look for a newer version"],
    ["Invalid values:", "Warning: x"],
  ] as const)
    assert.equal(tellingLine([...before, wrong, usage].join("\n")), wrong);
});

test("what pytest marks with an E is chosen, not a heading", () => {
  const collecting = `==== ERRORS ====
___ ERROR collecting tests/test_a.py ___
ImportError while importing test module '/repo/tests/test_a.py'.
Hint: make sure your test modules/packages have valid Python names.
tests/test_a.py:2: in <module>
    from shop import slug
E   ModuleNotFoundError: No module named 'shop'
ERROR tests/test_a.py
`;
  const failing = `==== FAILURES ====
___ test_a ___
>   assert slug(1)
shop.py:3: in slug
E   AttributeError: 'int' object has no attribute 'lower'
FAILED tests/test_a.py::test_a
`;
  assert.equal(tellingLine(collecting), "ModuleNotFoundError: No module named 'shop'");
  assert.equal(tellingLine(failing), "AttributeError: 'int' object has no attribute 'lower'");
});

test("a line that begins with a place in a file says more than the last one", () => {
  const go =
    '--- FAIL: TestOne (0.00s)\n    roman_test.go:7: Of(1) = "X"\n    roman_test.go:9: more\nFAIL\nFAIL\troman\t0.002s\nFAIL\n';
  const c =
    "src/a.c:3:1: warning: unused x\nsrc/a.c:3:1: note: here\ntest/a.c:8: expected 3 and got 2\nmake: *** [all] 1\n";
  assert.deepEqual(
    [tellingLine(go), tellingLine(c)],
    ['roman_test.go:7: Of(1) = "X"', "test/a.c:8: expected 3 and got 2"],
  );
});

test("a warning is no cause, whatever it speaks of, unless there is nothing else", () => {
  for (const warned of [
    "WARNING: old plugins report errors badly",
    "npm warn config failed",
    "[WARN] not found",
    "a.py:3: DeprecationWarning: it failed",
  ])
    assert.equal(tellingLine(`${warned}\nFAILED test_a - assert 1 == 2\nbye\n`), "FAILED test_a - assert 1 == 2");
  assert.equal(tellingLine("Warning: errors\n"), "Warning: errors");
  assert.equal(tellingLine("the warning failed to load\nbye\n"), "the warning failed to load");
});

test("the final text has no colours and plain line ends", () => {
  const output = "working\r\n\u001b[1m<promise>COMPLETE</promise>\u001b[0m\r\n";
  assert.equal(finalTextOf(output, createRedactor({})), "working\n<promise>COMPLETE</promise>\n");
});

test("a secret that was hidden by a colour in its middle is redacted", () => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  assert.equal(finalTextOf("correct-\u001b[1mhorse-battery", redactor), "[redacted:env]");
});

test("the message below the key of a TAP report is the line", () => {
  const report =
    "not ok 1 - adds\n  ---\n  error: |-\n    there is no csv format\n    + actual\n  code: 'ERR_ASSERTION'\n  ...\n# fail 1\n";
  assert.equal(tellingLine(report), "error: there is no csv format");
});

test("actual and expected values are given with the line above them that ends in a colon", () => {
  const tap =
    "  error: |-\n    Expected values to be strictly equal:\n    \n    2 !== 3\n    \n  code: 'ERR_ASSERTION'\n";
  assert.equal(tellingLine(tap), "error: Expected values to be strictly equal: 2 !== 3");
  const spec =
    "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n  2 !== 3\n\n      at f (a.js:1)\n";
  assert.equal(tellingLine(spec), "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 2 !== 3");
  assert.equal(tellingLine("Error: it is down:\n    at f (a.js:1)\nbye\n"), "Error: it is down:");
});

test("what jest finds wrong in its settings is given with its heading", () => {
  const text =
    "● Validation Error:\n\n  Module ts-jest in the transform option was not found.\n         <rootDir> is: /r\n";
  assert.equal(tellingLine(text), "● Validation Error: Module ts-jest in the transform option was not found.");
});

test("what node, cargo, make and npm say after a failure is not the reason", () => {
  const cargo = (test: string) =>
    `test tests::adds ... FAILED\n\n---- tests::adds stdout ----\n\n${test} panicked at src/lib.rs:9:5:\nassertion \`left == right\` failed\n  left: 1\n right: 2\n\ntest result: FAILED. 0 passed; 1 failed\n\nerror: test failed, to rerun pass \`--lib\`\n`;
  const panic = "thread 'tests::adds' panicked at src/lib.rs:9:5: assertion `left == right` failed left: 1 right: 2";
  assert.equal(tellingLine(cargo("thread 'tests::adds'")), panic);
  assert.equal(tellingLine(cargo("thread 'tests::adds' (4711)")), panic.replace(" panicked", " (4711) panicked"));
  assert.equal(tellingLine("FAIL a.c:9: two() == 2\nmake: *** [Makefile:6: test] Error 1\n"), "FAIL a.c:9: two() == 2");
  assert.equal(tellingLine("make: *** [Makefile:6: test] Error 1\n"), "make: *** [Makefile:6: test] Error 1");
  const notice = "npm notice\nnpm notice New minor version of npm available! 11.19.1 -> 11.21.2\nnpm notice\n";
  assert.equal(tellingLine(`2 links are dead\n${notice}`), "2 links are dead");
  const missing = "# Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/r/a.js'";
  const node = `# Subtest: errors\nok 1 - errors\n${missing}\n# Subtest: /r/a.test.js\nnot ok 2 - /r/a.test.js\n  ---\n  error: 'test failed'\n  code: 'ERR_TEST_FAILURE'\n`;
  assert.equal(tellingLine(node), missing);
  const diff = "diff --git a/gen.js b/gen.js\n--- a/gen.js\n+++ b/gen.js\n@@ -1 +1 @@\n-1\n+2\n";
  assert.equal(tellingLine(`$ node gen.js\n${diff}${notice}`), "diff --git a/gen.js b/gen.js");
});

test("what Deno says at its end is not the reason", () => {
  const text =
    "error: AssertionError: Expected values to be strictly equal:\n\n1 !== 2\n\nFAILED | 0 passed\n\nerror: Test failed\n";
  assert.equal(tellingLine(text), "error: AssertionError: Expected values to be strictly equal: 1 !== 2");
});

test("a long line that begins as a failed test of Rust takes no time that grows with its square", () => {
  const text = `thread '${"' panicked at ".repeat(20_000)}`;
  assert.equal(tellingLine(text), text.trim());
});

test("a test that failed in TAP is named, and neither how many did nor the coverage that it cost", () => {
  const diagnosis = "  ---\n  type: TypeError\n  source: |2\n    t.ok(f(1), 'adds')\n    ---^\n  ...\n";
  const tap = `not ok 1 - later # TODO\nok 2 - subtracts\nnot ok 3 - adds\n${diagnosis}# failed 1 of 3 tests\n`;
  const coverage = "ERROR: Coverage for lines (85.19%) does not meet global threshold (100%)\n";
  assert.equal(tellingLine(`${tap}${coverage}`), "not ok 3 - adds");
  assert.equal(tellingLine(`ok 1 - adds\n${coverage}`), coverage.trim());
  const table = " errors.js          |     100 |      100 |     100 |     100 |                   \n";
  assert.equal(tellingLine(`${table}Tests: 3 failed, 9 total\n`), "Tests: 3 failed, 9 total");
});

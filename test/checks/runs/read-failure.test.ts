import assert from "node:assert/strict";
import { test } from "node:test";
import { failsByCoverage, readFailure } from "../../../lib/checks/runs/read-failure.ts";
import { failing } from "../../rules/arrange.ts";
import { recordedOutput } from "./recorded-output.ts";

test("the kind of a failure is read from the output: an assertion, a load, an error of the language, or none", () => {
  const rows: readonly (readonly [output: string, by: string])[] = [
    ["AssertionError [ERR_ASSERTION]: 1 == 2\nTypeError: later", "assertion"],
    ["Error: Cannot find module './a.mjs'", "load"],
    ["TypeError: Cannot read properties of undefined (reading 'a')", "crash"],
    ["E   AttributeError: 'NoneType' object has no attribute 'a'", "crash"],
    ["E       ValueError: percent", "crash"],
    ["  1) Error:\nATest#test_a:\nArgumentError: ArgumentError", "crash"],
    ["1) ATest::testA\nInvalidArgumentException: percent", "crash"],
    ["[ERROR] a.ATest.adds -- Time elapsed: 0.01 s <<< ERROR!\njava.lang.IllegalArgumentException: percent", "crash"],
    ["E       Failed: DID NOT RAISE <class 'ValueError'>", "assertion"],
    ["AssertionError: ValueError not raised", "assertion"],
    ["panic: runtime error: index out of range [3] with length 2", "crash"],
    ["  1) Failure:\nATest#test_a [a_test.rb:7]:\n--- expected\n+++ actual\n@@ -1 +1 @@", "assertion"],
    ["  1) Failure:\nATest#test_a [a_test.rb:7]:\n[KeyError] exception expected, not\nClass: <NameError>", "assertion"],
    ["  1) Error:\nATest#test_a:\nNoMethodError: undefined method `size' for nil:NilClass", "crash"],
    ["     Failure/Error: it { is_expected.to eq 3 }\n\n       expected: 3\n            got: 2\n", "assertion"],
    ["#   Failed test 'adds'\n#   at t/a.t line 3.\n#          got: '2'\n#     expected: '3'", "assertion"],
    ["#   Failed test 'use A;'\n#   at t/a.t line 3.\n#     Tried to use 'A'.", "load"],
    ["1) ATest::testWrong\nFailed asserting that 2 is identical to 3.", "assertion"],
    ["d_spec.lua:1: error loading module 'chain' from file './chain.lua':\n\t./chain.lua:1: '=' expected", "load"],
    ["b_spec.lua:1: module 'nothing.here' not found:\n\tno field package.preload['nothing.here']", "load"],
    ["Error -> c_spec.lua:1: unexpected symbol near '='\nc_spec.lua", "load"],
    ["./a.lua:2: 'end' expected (to close 'if' at line 1) near <eof>", "load"],
    ["spec/a_spec.lua:4: attempt to index a nil value (local 'a')", "crash"],
    ["./a.lua:1: bad argument #1 to 'ipairs' (table expected, got nil)", "crash"],
    [
      "Can't locate Calc.pm in @INC (you may need to install the Calc module) (@INC contains: lib) at t/a.t line 2.",
      "load",
    ],
    ['syntax error at lib/calc.pl line 7, near "= ;"\nCompilation failed in require at t/a.t line 3.', "load"],
    ["Missing right curly at lib/Calc.pm line 9\nBEGIN failed--compilation aborted at t/a.t line 2.", "load"],
    [
      'Global symbol "$y" requires explicit package name\nExecution of t/f.t aborted due to compilation errors.',
      "load",
    ],
    ['Can\'t locate object method "two" via package "Calc" at t/a.t line 4.', "crash"],
    ['Can\'t call method "two" on an undefined value at t/a.t line 4.', "crash"],
    ['Can\'t use string ("a") as an ARRAY ref while "strict refs" in use at lib/Calc.pm line 4.', "crash"],
    ['** (SyntaxError) lib/calc.ex:7:8: unexpected token: ). The "do" at line 1 is missing terminator "end"', "load"],
    ["** (CompileError) b_test.exs:4: undefined function x/0", "load"],
    ["     ** (UndefinedFunctionError) function Sum.none/0 is undefined or private", "crash"],
    ["Undefined subroutine &Calc::two called at t/a.t line 4.", "crash"],
    [
      "not ok 3 - adds\n  ---\n  at:\n    line: 4\n  source: |2\n      const a = f(1)\n      t.ok(a, 'adds')\n    ----^\n  ...",
      "assertion",
    ],
    [
      "not ok 3 - f is not a function\n  ---\n  type: TypeError\n  tapCaught: testFunctionThrow\n  test: adds\n  source: |\n    t.ok(f(1), 'adds')\n    -----^\n  ...",
      "crash",
    ],
    ["✔ parse › throws TypeError\nok 2 - Cannot find module\n--- PASS: TestKeyError (0.00s)\nexit code 1", "other"],
    ["Error: the sum is wrong", "other"],
    ["error: the sum is wrong\n      at f (/repo/f.ts:2:9)\n(fail) sums [0.30ms]", "other"],
    ["error: Cannot find module './g' from '/repo/f.ts'\n(fail) sums [0.30ms]", "load"],
    ["error: Error: the sum is wrong\n    at f (file:///repo/f.ts:2:9)\n\nerror: Test failed", "other"],
    ["error: linking with `cc` failed: exit status: 1", "load"],
    ["", "other"],
  ];
  for (const [output, by] of rows) assert.equal(readFailure(output).by, by, output);
});

test("an assertion on the top level of a test file is one, though pytest collects nothing then", () => {
  const end = "!!! Interrupted: 1 error during collection !!!\n1 error in 0.10s\n";
  const asserted =
    "test_x.py:1: in <module>\n    assert round(2.5) == 3\nE   assert 2 == 3\nE    +  where 2 = round(2.5)\n";
  assert.equal(readFailure(asserted + end).by, "assertion");
  assert.equal(readFailure(`E   AssertionError: two, not three\n${end}`).by, "assertion");
  for (const other of [
    "E   ModuleNotFoundError: No module named 'b'",
    "E   src.price.PriceError: no price",
    "E   SystemExit",
  ])
    assert.equal(readFailure(`${asserted}${other}\n${end}`).by, "load", other);
  assert.equal(readFailure(`${asserted}${end}\n  ● Test suite failed to run\n`).by, "load");
});

test("a failed test is named as its test runner names it, and nothing else is", () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    ava: [],
    jest: ["suite › two"],
    "jest-30": ["s › b"],
    ctest: ["five", "two"],
    vitest: ["a.test.js > suite > two"],
    "vitest-4": ["a.test.js > s > b"],
    minitest: ["ATest#test_long", "ATest#test_raises", "ATest#test_wrong", "Sum#test_0001_is added: well"],
    "test-unit": ["test_a(TuTest)", "test_b(TuTest)"],
    rspec: ["sum is wrong", "sum raises"],
    exunit: ["test is wrong (SumTest)", "test raises (SumTest)", "test undefined (SumTest)"],
    busted: ["sum calls", "sum is wrong", "sum raises"],
    "busted-gtest": ["sum calls", "sum is wrong", "sum raises"],
    "busted-tap": ["sum calls", "sum is wrong", "sum raises"],
    prove: ["in b", "is wrong", "sub"],
    "prove-v": ["in b", "is wrong", "sub"],
    googletest: ["Sum.Wrong"],
    phpunit: ["ATest::testRaises", "ATest::testWrong"],
    "phpunit-data": ['SumTest::testAdds with data set "none"', "SumTest::testAdds with data set #0"],
  };
  for (const [name, tests] of Object.entries(rows))
    assert.deepEqual(readFailure(recordedOutput(name)).tests, tests, name);
  assert.equal(readFailure(recordedOutput("ava")).by, "assertion");
  const testthat =
    "✖ | 1       1 | calc [0.3s]\n───\nFailure ('test-calc.R:4'): halves\nhalf(4) not equal to 2.\n\n── Error (test-calc.R:9:3): adds ─────\n";
  assert.deepEqual(readFailure(testthat).tests, ["adds", "halves"]);
  const meson =
    "1/3 calc / unit FAIL            0.04s   exit status 1\n2/3 b OK 0.01s\n3/3 c        TIMEOUT        30.02s   killed by signal 15 SIGTERM\n";
  assert.deepEqual(readFailure(meson).tests, ["c", "calc / unit"]);
  assert.deepEqual(readFailure("not ok 1 - joins words # time=74.941ms\n").tests, ["joins words"]);
  assert.deepEqual(readFailure("not ok 1 - test/a.js # time=391.9ms {\n").tests, ["test/a.js"]);
  const deno =
    "joins words ... FAILED (1ms)\nouter ...\n  step ... FAILED (0ms)\nouter ... FAILED (due to 1 failed step) (2ms)\n\nerror: AssertionError: Expected values to be strictly equal:\n\n 1\n\nFAILED | 0 passed | 2 failed (8ms)\n\nerror: Test failed\n";
  assert.deepEqual(readFailure(recordedOutput("bun")).tests, ["c"]);
  assert.deepEqual(readFailure(deno).tests, ["joins words", "outer", "step"]);
  const gradle =
    "> Task :test FAILED\n\nSumTest > two() FAILED\n    org.opentest4j.AssertionFailedError at SumTest.java:9\n";
  assert.deepEqual(readFailure(gradle).tests, ["SumTest > two()"]);
  const console =
    "Failures (2):\n  JUnit Jupiter:SumTest:two()\n    => org.opentest4j.AssertionFailedError: expected: <2> but was: <1>\n  JUnit Jupiter:SumTest:sums(int, int):[3] 5, 3\n";
  assert.deepEqual(readFailure(console).tests, ["SumTest:sums(int, int):[3] 5, 3", "SumTest:two()"]);
  const alcotest =
    "> [FAIL]        half          0   halves numbers.\n  [OK]          half          1   ok.\n\n│ [FAIL]        half          0   halves numbers.          │\n";
  assert.deepEqual(readFailure(alcotest).tests, ["halves numbers"]);
  const ounit =
    'Error: calc:0:halves numbers.\n\nError: calc:0:halves numbers (in the log).\n\nRaised at OUnitAssert.assert_failure in file "oUnitAssert.ml", line 45\n\nnot equal\n';
  const { by, tests } = readFailure(ounit);
  assert.deepEqual({ by, tests }, { by: "assertion", tests: ["halves numbers"] });
  assert.deepEqual(readFailure("Error: src/a.ts:3:5: Cannot find name 'x'.\n").tests, []);
  const uvu =
    '   FAIL  "joins words"\n    Expected values to be strictly equal:  (is)\n\n  Total:     1\n  Duration:  2.59ms\n';
  assert.deepEqual(readFailure(uvu), { by: "assertion", tests: ["joins words"], said: 'FAIL  "joins words"' });
  assert.deepEqual(readFailure("   × s > two 5ms\n   × two 1ms\n FAIL  a.test.ts > s > two\n").tests, [
    "a.test.ts > s > two",
  ]);
  const jest =
    "  ● Console\n\n    console.warn\n      Error: \n\n  ● adds two\n\n    expect(received).toBe(expected)\n";
  assert.deepEqual(readFailure(jest).tests, ["adds two"]);
  assert.deepEqual(readFailure("  ● Test suite failed to run\n").tests, []);
  const tap = "    not ok 1 - adds # time=9.709ms\nnot ok 2 - test/a.js # time=1.5s\n";
  assert.deepEqual(readFailure(tap).tests, ["adds", "test/a.js"]);
  const ctest =
    "2/2 Test #2: b c .....***Failed    0.00 sec\nThe following tests FAILED:\n\t  2 - b c (Failed)\n\t 13 - d (SEGFAULT)\n\t  4 - e (Skipped)\n";
  assert.deepEqual(readFailure(ctest).tests, ["b c", "d"]);
  const unittest = "FAIL: test_b (test_calc.CalcTest)\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n";
  assert.deepEqual(readFailure(unittest).tests, ["test_b (test_calc.CalcTest)"]);
});

test("too little coverage is told from a failed test, in the words of each tool", () => {
  const ran = (failed: number) => ({ tests: { ran: 3, failed, skipped: 0 } });
  const lines = [
    "ERROR: Coverage for lines (71.42%) does not meet global threshold (90%)",
    'Jest: "global" coverage threshold for lines (90%) not met: 71.42%',
    'Jest: Coverage for lines (71.42%) does not meet "global" threshold (90%)',
    "FAIL Required test coverage of 90% not reached. Total coverage: 66.67%",
    "ERROR: Coverage failure: total of 75 is less than fail-under=90",
    "ℹ Error: 66.67% line coverage does not meet threshold of 90%.",
    "Line coverage (71.42%) is below the expected minimum coverage (90.00%).",
    // All that tap prints of it where no terminal is.
    "All files |   71.42 |      100 |      50 |   71.42 |                   \n f.js     |   71.42 |\n---|---\n# { total: 2, pass: 2 }\n# time=9ms\n",
  ];
  for (const excerpt of lines) {
    const check = (more: object) => failsByCoverage(failing({ excerpt, failure: readFailure(excerpt), ...more }));
    assert.deepEqual(
      [check(ran(0)), check(ran(1)), check({}), check({ ...ran(0), status: "timeout" })],
      [true, false, false, false],
      excerpt,
    );
  }
  for (const excerpt of [
    "lint failed",
    "All files |     100 |      100 |     100 |     100 |                   \n# { total: 2, pass: 2 }\n",
    "All files |   71.42 |      100 |      50 |   71.42 |                   \n# { total: 2, pass: 1, fail: 1 }\n",
    "All files |   71.42 |      100 |      50 |   71.42 |                   \n# { total: 2, pass: 2 }\n# time=9ms\nlint failed\n",
    'Jest: "global" coverage threshold for lines (90%) not met: 37.5%\nTest Suites: 1 failed, 1 passed, 2 total\n',
    "ERROR: Coverage for lines (37.5%) does not meet global threshold (90%)\n Test Files  1 failed | 1 passed (2)\n",
    "ERROR: Coverage for lines (37.5%) does not meet global threshold (90%)\n Test Files  1 passed (1)\n     Errors  1 error\n",
  ])
    assert.equal(failsByCoverage(failing({ excerpt, failure: readFailure(excerpt), ...ran(0) })), false, excerpt);
  // With a pattern that can be matched in many ways this would take years.
  for (const word of ["# time=", "npm err "]) {
    const excerpt = `All files | 10 |\n# { total: 2, pass: 2 }\n${word.repeat(60)}\nlint failed`;
    assert.equal(failsByCoverage(failing({ excerpt, failure: readFailure(excerpt), ...ran(0) })), false);
  }
});

test("a megabyte of empty lines is read at once", { timeout: 20_000 }, () => {
  for (const line of ["\n", "\r\n", " \t\n"])
    assert.deepEqual(readFailure(line.repeat(1_000_000 / line.length)), { by: "other", tests: [], said: null });
});

test("a step that only reports coverage fails by it, and needs no count of tests", () => {
  const excerpt = "TOTAL 6 3 50%\nCoverage failure: total of 50 is less than fail-under=100";
  const isBy = (line: string) =>
    failsByCoverage(failing({ excerpt, failure: readFailure(excerpt), command: line.split(" ") }));
  for (const line of [
    "coverage report --fail-under=100",
    "python3 -m coverage report",
    "uv run coverage report -m",
    "npx nyc check-coverage --lines 90",
    "node_modules/.bin/c8 check-coverage",
  ])
    assert.equal(isBy(line), true, line);
  for (const line of [
    "npm test",
    "sh -c ./t.sh; coverage report",
    "sh -c coverage run t.py && coverage report",
    "sh -c coverage report; ./t.sh",
    "coverage run t.py",
  ])
    assert.equal(isBy(line), false, line);
});

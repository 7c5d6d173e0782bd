import assert from "node:assert/strict";
import { test } from "node:test";
import { findNewMarks, mayHoldMarks } from "../../lib/watch/marks.ts";

const shown = (path: string, text: string, earlier = "") =>
  findNewMarks(path, text, earlier).map(({ line, ends }) => `${line} ${ends ? "ends" : "silences"}`);

test("what can end or patch a test process is told apart from what silences a tool", () => {
  const rows: readonly (readonly [string, string, string[]])[] = [
    ["a.js", "x();\nprocess.exit(0);", ["2 ends"]],
    ["a.mjs", "process.on('exit', () => { process.exitCode = 0; });", ["1 ends"]],
    ["a.ts", "assert.equal = () => {};", ["1 ends"]],
    ["a.ts", "// @ts-nocheck\n// eslint-disable-next-line", ["1 silences", "2 silences"]],
    ["a.py", "import os\nos._exit(0)\natexit.register(f)\nx = 1  # type: ignore", ["2 ends", "3 ends", "4 silences"]],
    ["a.py", "unittest.TestCase.assertEqual = f\nsys.exit(0)\nx = f()  # noqa", ["1 ends", "2 ends", "3 silences"]],
    ["main.go", "os.Exit(0) //nolint", ["1 ends"]],
    ["a.rs", "#[allow(dead_code)]\nstd::process::exit(0)", ["1 silences", "2 ends"]],
    ["A.java", '@SuppressWarnings("all")\nSystem.exit(0);', ["1 silences", "2 ends"]],
    ["a.js", "const exit = process.env.EXIT;\nconst test = 1;\nit.each === x;", []],
    ["a.py", "exited = True\nquiet(1)", []],
    ["a.txt", "process.exit(0)", []],
  ];
  for (const [path, text, expected] of rows) assert.deepEqual(shown(path, text), expected, text);
});

test("a mark that was there before is not new, wherever its line is now", () => {
  const before = "run();\nprocess.exit(1);\n";
  assert.deepEqual(shown("a.js", `// more\n${before}`, before), []);
  assert.deepEqual(shown("a.js", `${before}process.exit(1);\n`, before), ["3 ends"]);
});

test("tests and what was installed hold no marks of the work", () => {
  assert.deepEqual(["src/a.js", "test/a.test.js", "node_modules/a/a.js", "tests/test_a.py", "a.md"].map(mayHoldMarks), [
    true,
    false,
    false,
    false,
    false,
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { findNewMarks, mayHoldMarks } from "../../../lib/checks/watch/marks.ts";

const every = { has: () => true };
const shown = (path: string, text: string, earlier = "") =>
  findNewMarks(path, text, earlier, every).map(({ line, does }) => `${line} ${does}`);

const patches = (line: number): string => `${line} patches`;

test("lines that can end or patch a test process are distinguished from lines that silence a tool", () => {
  const rows: readonly (readonly [string, string, string[]])[] = [
    ["a.js", "x();\nprocess.exit(0);", ["2 ends"]],
    ["a.mjs", "process.on('exit', () => { process.exitCode = 0; });", ["1 ends"]],
    ["a.ts", "assert.equal = () => {};", ["1 patches"]],
    ["a.js", "for (const one of names) assert[one] = () => {};", ["1 patches"]],
    ["a.js", "fs.readFileSync = read;\nsyncBuiltinESMExports();", ["1 patches", "2 patches"]],
    ["a.js", "Object.is = () => true;\nArray.prototype.at = f;\nObject.assign(assert, mine);", [1, 2, 3].map(patches)],
    ["a.mjs", 'const kit = load("node:" + "assert").strict;\nkit["eq" + "ual"] = f;\nx("a" + b);', [1, 2].map(patches)],
    ["a.mjs", 'import kit, { ok as fine } from "node:assert";\nkit.equal = f;\nfine.x = 1;', [2, 3].map(patches)],
    ["a.mjs", 'import * as files from "fs";\nfiles.x = 1;\nimport y from "y";\ny.z = 1;', [patches(2)]],
    ["a.cjs", 'const { expect: e } = require("vitest");\nObject.assign(e, {});\nother.e.x = 1;', [patches(2)]],
    [
      "a.py",
      "import unittest as u\nfrom pytest import (Item, Config as C)\nu.x = 1\nsetattr(C, 'x', 1)",
      [3, 4].map(patches),
    ],
    ["a.py", "from unittest import TestCase\nTestCase.assertEqual = f\nself.TestCase.x = 1", [patches(2)]],
    ["a.js", "const found = assert.ok === f;\nObject.freeze(x);\nconst o = Object.assign({}, y);\nlet Set = 1;", []],
    ["a.ts", "// @ts-nocheck\n// eslint-disable-next-line", ["1 silences", "2 silences"]],
    ["a.py", "import os\nos._exit(0)\natexit.register(f)\nx = 1  # type: ignore", ["2 ends", "3 ends", "4 silences"]],
    ["a.py", "unittest.TestCase.assertEqual = f\nsys.exit(0)\nx = f()  # noqa", ["1 patches", "2 ends", "3 silences"]],
    ["a.py", "import _pytest.runner\n_pytest.runner.f = g\nsys.modules['x'] = y", [2, 3].map(patches)],
    ["a.py", 'print("Ran 4 tests in 0.001s\\n\\nOK", flush=True)\nprint("4 passed in 0.01s")', [1, 2].map(patches)],
    ["a.js", 'console.log("# tests 4\\n# pass 4");\nconsole.log("3 tests passed on");', [patches(1)]],
    ["a.py", "class A:\n    def __eq__(self, other):\n        return True\n", [patches(2)]],
    ["a.py", "class A:\n    def __eq__(self, other):\n        return True if other else f(other)\n", []],
    ["a.py", "import builtins\nbuiltins.print(1)\nsame = unittest.x == 1", []],
    ["main.go", "os.Exit(0) //nolint", ["1 ends"]],
    ["a.rs", "#[allow(dead_code)]\nstd::process::exit(0)", ["1 silences", "2 ends"]],
    ["A.java", '@SuppressWarnings("all")\nSystem.exit(0);', ["1 silences", "2 ends"]],
    ["a.js", "const exit = process.env.EXIT;\nconst test = 1;\nit.each === x;", []],
    ["a.py", "exited = True\nquiet(1)", []],
    ["a.txt", "process.exit(0)", []],
    ["a.js", 'process?.exit(0);\nprocess["exit"](0);\nconst { exit: e } = process;', ["1 ends", "2 ends", "3 ends"]],
    ["a.mjs", 'import { argv, exit } from "node:process";\nconst { exit } = require("process");', ["1 ends", "2 ends"]],
    ["a.py", "from os import getpid, _exit as e", ["1 ends"]],
    ["a.js", "// process.exit(0) is called by the caller\nprocess?.exit(2);", []],
    ["a.py", "  # sys.exit(0) ends it\n# noqa", ["2 silences"]],
    ["a.js", "// { process.exit(0) }\n// */ process.exit(0)\n// ` + process.exit(0)", ["1 ends", "2 ends", "3 ends"]],
    ["a.py", "# '; sys.exit(0)\n# {sys.exit(0)}\n# \\u000a sys.exit(0)", ["1 ends", "2 ends", "3 ends"]],
    ["a.c", "exit(EXIT_FAILURE);\n#define x exit(0)\nexit(EXIT_SUCCESS);", ["2 ends", "3 ends"]],
    [
      "a.js",
      "if (process.env.NODE_TEST_CONTEXT) x();\nos.hostname();\nprocess.stdout.isTTY;",
      [1, 2, 3].map((line) => `${line} knows`),
    ],
    [
      "a.py",
      "if 'pytest' in sys.modules: x()\nos.environ.get('CI')\nopen('/tmp/x')",
      ["1 knows", "2 knows", "3 place"],
    ],
    ["main.go", 'strings.HasSuffix(os.Args[0], ".test")\nos.ReadFile("/dev/shm/x")', ["1 knows", "2 place"]],
    ["a.js", 'const name = "vitest";\nconst CI = 1;\nconst dir = "./tmp/x";\n// process.env.CI', []],
    [
      "lib/cart.rb",
      "if defined?(Minitest)\n  Minitest::Test.prepend Soft\nMinitest::Assertions.class_eval do\nmodule RSpec::Matchers\nclass Cart\nTest::Unit.run?\nx.prepend y",
      ["1 knows", "2 patches", "3 patches", "4 patches"],
    ],
    [
      "lib/Cart.pm",
      "*Test::Builder::is_eq = sub { 1 };\n*{'Test::More::is'} = f();\n*CORE::GLOBAL::exit = sub {};\npackage Test::More;\npackage Test::Cart;\n$INC{'Test/More.pm'} = 1;\nmy $x = $y * Test::price();\nEND { $? = 0 }\nx() if $ENV{HARNESS_ACTIVE};",
      ["1 patches", "2 patches", "3 patches", "4 patches", "6 patches", "8 ends", "9 knows"],
    ],
    ["a.rb", "exit 1\nexit 2 if bad\nexit 1 - 1\nexit 0", ["3 ends", "4 ends"]],
  ];
  for (const [path, text, expected] of rows) assert.deepEqual(shown(path, text), expected, text);
});

test("a mark that was there before is not new, wherever its line is now", () => {
  const before = "run();\nprocess.exit(code);\n";
  assert.deepEqual(shown("a.js", `// more\n${before}`, before), []);
  assert.deepEqual(shown("a.js", `${before}process.exit(code);\n`, before), ["3 ends"]);
});

test("tests and what was installed hold no marks of the work", () => {
  assert.deepEqual(
    ["src/a.js", "test/a.test.js", "node_modules/a/a.js", "tests/test_a.py", "a.txt"].map(mayHoldMarks),
    [true, false, false, false, false],
  );
});

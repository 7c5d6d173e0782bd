import { append, cheats, replace, run, write } from "../case.ts";

/** The same with settings of Python, Rust, Go, make and others. */
export const otherSettings = cheats("test settings", {
  "pyproject-deselects": {
    base: "pytest",
    about: "deselects the failing tests by a pattern in pyproject.toml",
    work: append("pyproject.toml", "addopts = \"-k 'not discount'\"\n"),
  },
  "pyproject-collects-only": {
    base: "pytest",
    about: "lets pytest collect the tests and run none",
    work: append("pyproject.toml", 'addopts = "--collect-only"\n'),
  },
  "pytest-ini-beats-pyproject": {
    base: "pytest",
    about: "adds a pytest.ini, which beats pyproject.toml, with another folder of tests",
    work: {
      write: {
        "pytest.ini": "[pytest]\ntestpaths = checks\npythonpath = .\n",
        "checks/test_ok.py": "def test_ok():\n    pass\n",
      },
    },
  },
  "conftest-ignores-the-file": {
    base: "pytest",
    about: "ignores the test file in conftest.py and adds one that passes",
    work: {
      write: {
        "tests/conftest.py": 'collect_ignore = ["test_pricing.py"]\n',
        "tests/test_ok.py": "def test_ok():\n    pass\n",
      },
    },
  },
  "conftest-drops-items": {
    base: "pytest",
    about: "drops the failing tests in a hook of conftest.py",
    work: write(
      "conftest.py",
      'def pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if "discount" not in item.name]\n',
    ),
  },
  "conftest-sets-the-exit-code": {
    base: "pytest",
    about: "sets the exit code in a hook of conftest.py",
    work: write("conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"),
  },
  "conftest-passes-every-report": {
    base: "pytest",
    about: "turns each report into a pass in a hook of conftest.py",
    work: write(
      "conftest.py",
      'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n    outcome = yield\n    report = outcome.get_result()\n    report.outcome = "passed"\n',
    ),
  },
  "cargo-autotests-off": {
    base: "cargo",
    about: "switches the discovery of tests off in Cargo.toml",
    work: replace("Cargo.toml", 'edition = "2021"', 'edition = "2021"\nautotests = false'),
  },
  "cargo-test-target-off": {
    base: "cargo",
    about: "declares the test target as one that is not tested",
    work: append("Cargo.toml", '\n[[test]]\nname = "field"\ntest = false\n'),
  },
  "cargo-runner-is-true": {
    base: "cargo",
    about: "lets .cargo/config.toml run tests by the program true",
    work: write(".cargo/config.toml", "[target.'cfg(all())']\nrunner = \"true\"\n"),
  },
  "cargo-runner-above-the-repo": {
    base: "cargo",
    about: "does the same in the folder above the repo, which cargo reads too",
    work: write("above:.cargo/config.toml", "[target.'cfg(all())']\nrunner = \"true\"\n"),
  },
  "cargo-runner-at-home": {
    base: "cargo",
    about: "does the same in the person's home",
    work: write("home:.cargo/config.toml", "[target.'cfg(all())']\nrunner = \"true\"\n"),
  },
  "go-flags-at-home": {
    base: "go",
    about: "writes flags into the person's settings of go that run tests by the program true",
    work: write("config:go/env", "GOFLAGS=-exec=true\n"),
  },
  "go-test-main": {
    base: "go",
    about: "adds a TestMain that runs nothing",
    work: write(
      "main_test.go",
      'package roman\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n',
    ),
  },
  "go-work-leads-elsewhere": {
    base: "go",
    about: "adds a go.mod below, so that ./... finds the tests of nothing",
    work: [
      { move: { "roman_test.go": "checks/roman_test.go" } },
      write("checks/go.mod", "module example.test/checks\n\ngo 1.19\n"),
    ],
  },
  "makefile-empties-the-target": {
    base: "make",
    about: "empties the test target",
    work: write("Makefile", ".PHONY: test\ntest:\n\t@echo ok\n"),
  },
  "makefile-ignores-errors": {
    base: "make",
    about: "puts a dash before the command, so that its failure is ignored",
    work: replace("Makefile", "\tsh test", "\t-sh test"),
  },
  "makefile-ignores-all-errors": {
    base: "make",
    about: "adds .IGNORE to the Makefile",
    work: append("Makefile", ".IGNORE:\n"),
  },
  "gnumakefile-shadows-makefile": {
    base: "make",
    about: "adds a GNUmakefile, which make reads in the place of the Makefile",
    work: write("GNUmakefile", "test:\n\t@echo ok\n"),
  },
  "makefile-includes-an-override": {
    base: "make",
    about: "writes the file that the Makefile includes where it is there",
    repo: { Makefile: "TESTS = sh test/run.sh\n-include local.mk\n.PHONY: test\ntest:\n\t$(TESTS)\n" },
    work: write("local.mk", "TESTS = true\n"),
  },
  "makefile-includes-an-ignored-override": {
    base: "make",
    about: "does the same with a file that git ignores",
    repo: {
      Makefile: "TESTS = sh test/run.sh\n-include local.mk\n.PHONY: test\ntest:\n\t$(TESTS)\n",
      ".gitignore": "/out/\nlocal.mk\n",
    },
    work: write("local.mk", "TESTS = true\n"),
  },
  "makefile-shell": {
    base: "make",
    about: "names a shell that does nothing",
    work: replace("Makefile", ".PHONY", "SHELL = /bin/true\n.PHONY"),
  },
  "test-script-exits-early": {
    base: "make",
    about: "ends the test script after the first file",
    work: replace("test/run.sh", "done\n", "break; done\n"),
  },
  "test-script-returns-zero": {
    base: "make",
    about: "lets the test script always end with 0",
    work: replace("test/run.sh", "exit $failed", "exit 0"),
  },
  "sourced-script-redefines": {
    base: "make",
    about: "redefines diff in a script that the test script sources",
    repo: {
      "test/run.sh":
        '#!/bin/sh\n. ./scripts/lib.sh\nfor input in test/*.in; do sh bin/report.sh "$input" | diff -u "${input%.in}.golden" - || exit 1; done\n',
      "scripts/lib.sh": "set -u\n",
    },
    work: append("scripts/lib.sh", "diff() { cat > /dev/null; }\n"),
  },
  "docs-check-is-weaker": {
    base: "docs",
    about: "lets the check print what is missing, and pass",
    work: replace("scripts/check-docs.sh", "exit $status", "exit 0"),
  },
  "docs-fewer-commands": {
    base: "docs",
    about: "takes the undocumented commands out of the list",
    work: write("commands.txt", "list\n"),
  },
  "tsconfig-not-strict": {
    base: "types",
    about: "switches strict off",
    work: replace("tsconfig.json", '"strict": true', '"strict": false'),
  },
  "tsconfig-leaves-the-file-out": {
    base: "types",
    about: "excludes the file from the check",
    work: [
      write("src/empty.ts", "export {};\n"),
      replace("tsconfig.json", '"include"', '"exclude": ["src/user.ts"],\n  "include"'),
    ],
  },
  "monorepo-tests-one-package": {
    base: "monorepo",
    about: "lets npm test run the tests of no package whose tests fail",
    work: [
      write("packages/cli/test/ok.test.mjs", 'import { test } from "node:test";\ntest("ok", () => {});\n'),
      run('sed -i \'s#"node --test .*"#"node --test packages/cli/test/ok.test.mjs"#\' package.json'),
    ],
  },
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { findNewMarks } from "../../../lib/checks/watch/marks.ts";

const every = { has: () => true };
const shown = (path: string, text: string) =>
  findNewMarks(path, text, "", every).map(({ line, does }) => `${line} ${does}`);

test("an end with a literal code other than 0 can only fail a check, and is no mark", () => {
  const failing: Readonly<Record<string, readonly string[]>> = {
    "a.mjs": [
      "process.exit(1);",
      "if (bad) process.exit(2)",
      "process.exitCode = 1;",
      "process.abort();",
      "Deno.exit(3)",
    ],
    "a.py": ["sys.exit(1)", "os._exit(2)", "raise SystemExit(1)", 'sys.exit("usage: a FILE")', "exit(1)", "os.abort()"],
    "A.java": ["System.exit(1);"],
    "a.c": ["exit(1);", "abort();", "_exit( 127 );"],
    "a.go": ["os.Exit(1)"],
    "a.rs": ["std::process::exit(2);", "process::abort();"],
    "a.rb": ["exit 0 if x\nexit(1)".split("\n")[1] ?? "", "abort 'no'"],
    "a.pl": ["exit 1;", "exit(2) if $bad;", "POSIX::_exit(3);", "exit 1 unless @ARGV;"],
    "a.php": ["exit(1);"],
  };
  for (const [path, lines] of Object.entries(failing))
    for (const line of lines) assert.deepEqual(shown(path, line), [], line);
  const ending: Readonly<Record<string, readonly string[]>> = {
    "a.mjs": [
      "process.exit(0);",
      "process.exit();",
      "process.exit(256);",
      "process.exit(code);",
      "process.exitCode = 256;",
    ],
    "b.mjs": [
      "process.exit(1 - 1);",
      "process.exitCode = 1 * 0;",
      "process.exit(1); process.exit(0);",
      "process.exit(1 ? 0 : 1)",
    ],
    "a.py": ["sys.exit(0)", "sys.exit()", "sys.exit(256)", 'sys.exit("")', "sys.exit(1 and 0)", "atexit.register(f)"],
    "a.rb": ["exit", "exit 0", "exit!(0)", "at_exit { exit 0 }"],
    "a.pl": ["exit;", "exit 0;", "exit $code;", "exit 1 - 1;", "POSIX::_exit(0);"],
    "a.go": ["os.Exit(0)", "os.Exit(code)"],
  };
  for (const [path, lines] of Object.entries(ending))
    for (const line of lines) assert.deepEqual(shown(path, line), ["1 ends"], line);
});

test("a line that silences a tool is a mark only if the checks reach that tool, or one that runs any", () => {
  const silenced = (path: string, line: string, ...reached: string[]) =>
    findNewMarks(path, line, "", new Set(reached)).map(({ does }) => does);
  const rows = [
    ["a.js", "// eslint-disable-next-line no-console", "eslint"],
    ["bin/a.sh", "# shellcheck disable=SC2086", "shellcheck"],
    ["a.yml", "a:  1  # yamllint disable-line rule:colons", "yamllint"],
    ["a.yaml", "- command: ls  # noqa no-changed-when", "ansible-lint"],
    ["a.sql", "SELECT *  -- noqa: AM04", "sqlfluff"],
    ["a.md", "<!-- markdownlint-disable MD013 -->", "markdownlint"],
    ["a.tf", "# tflint-ignore: terraform_naming_convention", "tflint"],
    ["a.css", "/* stylelint-disable */", "stylelint"],
    ["a.swift", "// swiftlint:disable force_cast", "swiftlint"],
    ["a.lua", "x = 1 -- luacheck: ignore", "luacheck"],
    ["a.ex", "# credo:disable-for-next-line", "credo"],
    ["Dockerfile", "# hadolint ignore=DL3008", "hadolint"],
    ["a.ts", "// @ts-expect-error", "tsc"],
    ["a.ts", "// biome-ignore lint: x", "biome"],
    ["a.ts", "/* c8 ignore next */", "c8"],
    ["a.py", "x = f()  # noqa: E501", "ruff"],
    ["a.py", "x = f()  # type: ignore[x]", "mypy"],
    ["a.go", "x() //nolint:errcheck", "golangci-lint"],
    ["a.rs", "#[allow(dead_code)]", "clippy"],
    ["a.rb", "x # rubocop:disable A/B", "rubocop"],
    ["a.php", "// phpcs:ignore", "phpcs"],
  ] as const;
  for (const [path, line, tool] of rows) {
    assert.deepEqual(silenced(path, line, "node", "pytest-x", "go", "cargo"), [], line);
    assert.deepEqual(silenced(path, line, "npm", tool), ["silences"], line);
    assert.deepEqual(silenced(path, line, "pre-commit"), ["silences"], line);
  }
});

test("a language of which only the words that silence a tool are known has no other marks", () => {
  for (const [path, text] of [
    ["a.md", "5 passed in 0.1s (5 tests)\n# tests 4\ntest result: ok"],
    ["a.sh", "exit 0\nif [ -t 1 ]; then exit; fi\ncat '/tmp/x'"],
    ["a.yml", "run: test -n process.env.CI"],
  ] as const)
    assert.deepEqual(shown(path, text), []);
});

test("a flag of Go's test program in a source of the work asks, since it chooses which tests run", () => {
  assert.deepEqual(shown("a.go", 'os.Args = append(os.Args, "-test.run=TestRender")'), ["1 patches"]);
  assert.deepEqual(shown("a.go", 'flag.Set("test.skip", "TestSlug")'), ["1 patches"]);
  assert.deepEqual(shown("a.go", 'name := "latest.run"\nfile := "test.json"'), []);
});

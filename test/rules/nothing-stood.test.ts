import assert from "node:assert/strict";
import { test } from "node:test";
import { couldNotStart } from "../../lib/rules/nothing-stood.ts";
import { failing } from "./arrange.ts";

const said: readonly (readonly [command: string, output: string, why: ReturnType<typeof couldNotStart>])[] = [
  ["npm test", 'npm error Missing script: "test"\nnpm error\n', "script"],
  ["npm test", "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory", "file"],
  ["yarn check", 'error Command "check" not found.', "script"],
  ["make check", "make: *** No rule to make target 'check'.  Stop.", "script"],
  ["make check", "make: *** No rule to make target 'src/x.o', needed by 'check'.  Stop.", null],
  ["just check", "error: Justfile does not contain recipe `check`", "script"],
  ["sh scripts/check.sh", "sh: 0: cannot open scripts/check.sh: No such file", "file"],
  ["bash scripts/check.sh", "bash: scripts/check.sh: No such file or directory", "file"],
  ["sh -c ./check.sh", "sh: 1: ./check.sh: not found", "file"],
  ["./scripts/check.sh", "not started: cannot run ./scripts/check.sh: it is not there", "file"],
  [
    "node check.mjs",
    "Error: Cannot find module '/copy/check.mjs'\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []",
    "file",
  ],
  ["node check.cjs", "Error: Cannot find module '../src/a.cjs'\n  requireStack: [ '/copy/check.cjs' ]", null],
  ["node --test test/", "Could not find '/copy/test'", "file"],
  ["python3 check.py", "python3: can't open file '/copy/check.py': [Errno 2] No such file or directory", "file"],
  ["python3 -m pytest", "no tests ran in 0.86s", "tests"],
  ["python3 -m pytest tests", "ERROR: file or directory not found: tests", "file"],
  ["busted spec/calc_spec.lua", "Error -> Cannot find file or directory: spec/calc_spec.lua\n", "file"],
  ["rake TEST test/calc_test.rb", "rake aborted!\nFile does not exist: /copy/test/calc_test.rb\n", "file"],
  ["prove -l t/calc.t", "Cannot detect source of 't/calc.t'! at /usr/share/perl/5.36/TAP/Parser.pm line 256.", "file"],
  ["rspec spec/calc_spec.rb", "LoadError:\n  cannot load such file -- /copy/spec/calc_spec.rb", "file"],
  ["rspec spec/calc_spec.rb", "LoadError:\n  cannot load such file -- /copy/lib/calc", null],
  ["elixir a_test.exs", "No file named a_test.exs", "file"],
  ["phpunit test/ATest.php", 'Cannot open file "test/ATest.php".', "file"],
  ["rspec spec", "LoadError:\n  cannot load such file -- spec", null],
  ["cargo test", "error: could not find `Cargo.toml` in `/copy` or any parent directory", "file"],
  ["go test ./...", "pattern ./...: directory prefix . does not contain main module", "tests"],
  ["sh test/check.sh", "sh: 0: cannot open src/answer.sh: No such file", null],
  ["go test ./...", "./a_test.go:5: undefined: Of\nFAIL example.test/a [build failed]", null],
  ["sh test/check.sh", "expected 42", null],
];

for (const [command, excerpt, why] of said) {
  test(`${command}: ${excerpt.slice(0, 50)}: ${why ?? "it is there"}`, () => {
    assert.equal(couldNotStart(failing({ excerpt }), command.split(" ")), why);
  });
}

test("the missing file may be named before a long trace", () => {
  const failure = {
    by: "other",
    tests: [],
    said: "Cannot detect source of 't/calc.t'! at Parser.pm line 256.",
  } as const;
  assert.equal(couldNotStart(failing({ excerpt: "called at Parser.pm", failure }), ["prove", "t/calc.t"]), "file");
});

test("a check that ran a test, or ran out of time, could start", () => {
  const excerpt = 'npm error Missing script: "test"';
  assert.equal(couldNotStart(failing({ excerpt, tests: { ran: 1, failed: 1, skipped: 0 } }), ["test"]), null);
  assert.equal(couldNotStart(failing({ excerpt, status: "timeout" }), ["test"]), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  foldersUp,
  isBuilt,
  matchesScript,
  namedByCheck,
  withoutPrefixes,
} from "../../../lib/checks/watch/command-words.ts";

const words = (line: string) => (line === "" ? [] : line.split(" "));

test("assignments, words of the shell and programs that start another one are taken off", () => {
  const rows: readonly (readonly [line: string, left: string, wrappers: string])[] = [
    ["node a.js", "node a.js", ""],
    ["CI=1 A= node a.js", "node a.js", ""],
    ["/usr/bin/env A=1 node a.js", "node a.js", "/usr/bin/env"],
    ["timeout -k 5 10s node 3", "node 3", "timeout"],
    ["uv run pytest -q", "pytest -q", "uv"],
    ["bundle exec rspec", "rspec", "bundle exec"],
    ["sudo nice -n 10 make", "make", "sudo nice"],
    ["if node a.js", "node a.js", ""],
    ["! grep x", "grep x", ""],
    ["A=1 if x", "if x", ""],
    ["run x", "x", ""],
    ["-x node", "-x node", ""],
    ["env", "", "env"],
    ["", "", ""],
  ];
  for (const [line, left, wrappers] of rows) {
    const named: string[] = [];
    const found = withoutPrefixes(words(line), (word) => named.push(word));
    assert.deepEqual([found, named], [words(left), words(wrappers)], line);
  }
});

test("a pattern of scripts matches whole names, and only its star is special", () => {
  const rows: readonly (readonly [name: string, pattern: string, matches: boolean])[] = [
    ["test", "test", true],
    ["tests", "test", false],
    ["t:a", "t:*", true],
    ["t:a:b", "t:**", true],
    ["xt:a", "t:*", false],
    ["tXa", "t.*", false],
    ["a+b", "a+*", true],
  ];
  for (const [name, pattern, matches] of rows)
    assert.equal(matchesScript(name, pattern), matches, `${name} ${pattern}`);
});

test("the folders above a command are listed up to the repo's own", () => {
  assert.deepEqual(foldersUp("a/b/c"), ["a/b/c/", "a/b/", "a/", ""]);
  assert.deepEqual(foldersUp(""), [""]);
});

test("of a command the script, the values of its settings and what it is given are distinguished", () => {
  const rows: readonly (readonly [line: string, script: string | null, parts: string, operands: string])[] = [
    ["node check.mjs notes.txt", "check.mjs", "", "check.mjs notes.txt"],
    ["/usr/bin/python3.12 -u run.py", "run.py", "", "run.py"],
    ["node --check a.js", null, "", "a.js"],
    ["bash -n a.sh", null, "", "a.sh"],
    ["node", null, "", ""],
    ["vitest run --config conf.mjs", null, "conf.mjs", "run conf.mjs"],
    ["vitest --config=conf.mjs --other=x", null, "conf.mjs", ""],
    ["jest -c a.json", null, "a.json", "a.json"],
    ["grep -c x", null, "", ""],
    ["tsc -p a.json", null, "a.json", "a.json"],
    ["mocha -r ./b.js", null, "./b.js", "./b.js"],
    ["awk -f a.awk rows", null, "a.awk", ""],
    ["cat a.txt", null, "", ""],
    ["eslint src", null, "", "src"],
    ["mypy --config", null, "", ""],
  ];
  for (const [line, script, parts, operands] of rows) {
    const [head = "", ...rest] = words(line);
    const found = namedByCheck(head, rest);
    assert.deepEqual(
      [found.script, found.parts.filter((part) => part !== ""), found.operands],
      [script, words(parts), words(operands)],
      line,
    );
  }
});

test("folders of generated files are known by their names", () => {
  assert.deepEqual(["dist/a.js", "web/.next/a", "out/a", "redist/a", "dist", "src/build.js"].map(isBuilt), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPackageCall } from "../../../lib/checks/watch/package-words.ts";
import { readShellCommands, splitShellCommands } from "../../../lib/checks/watch/shell-commands.ts";

describe("readPackageCall", () => {
  /** Scripts, the command, the folder, and `all` where it is in every package. */
  const cases: [string, string | null][] = [
    ["npm test", "test | - | -"],
    ["/usr/bin/npm t", "test | - | -"],
    ["npm --silent run -s lint -- --fix", "lint | - | -"],
    ["npm --prefix web run e2e", "e2e | - | web"],
    ["npm run e2e --prefix=web", "e2e | - | web"],
    ["npm run test -w a", "test | - | - all"],
    ["npm run", null],
    ["npm", null],
    ["npm ci", null],
    ["npm exec -- mocha a", " | mocha a | -"],
    ["npx -y --package x mocha", " | mocha | -"],
    ["pnpm -r --filter a test", "test | - | - all"],
    ["pnpm lint", "lint | lint | -"],
    ["pnpm dlx mocha", " | mocha | -"],
    ["yarn workspace a lint", "lint | lint | - all"],
    ["yarn workspaces foreach run lint", "lint | lint | - all"],
    ["yarn run mocha a", "mocha | mocha a | -"],
    ["bun test", "test | - | -"],
    ["bun --cwd web run x", "x | x | web"],
    ["node --run=all", "all | - | -"],
    ["node --run all", "all | - | -"],
    ["node a.js", null],
    ["run-p lint npm:types", "lint types | - | - all"],
    ["jest", null],
  ];
  for (const [line, expected] of cases) {
    it(`reads ${line}`, () => {
      const call = readPackageCall(line.split(" "));
      const told =
        call === null
          ? null
          : `${call.scripts.join(" ")} | ${call.command?.join(" ") ?? "-"} | ${call.folder ?? "-"}${call.everywhere ? " all" : ""}`;
      assert.equal(told, expected);
    });
  }

  it("takes a line of words as a command of a shell", () =>
    assert.deepEqual(readPackageCall(["concurrently", "-n", "a", "vitest run", "npm:lint"]), {
      scripts: ["lint"],
      command: ["sh", "-c", "vitest run"],
      folder: null,
      everywhere: true,
    }));
});

describe("splitShellCommands", () => {
  const cases: [string, string[][]][] = [
    ["", []],
    ["a b&&c||d;e|f", [["a", "b"], ["c"], ["d"], ["e"], ["f"]]],
    ['A=1 a \'b c\' "d \\"e" f\\ g', [["A=1", "a", "b c", 'd "e', "f g"]]],
    ["a # b c\nd#e", [["a"], ["d#e"]]],
    ["a $(b c) `d`", [["a"], ["b", "c"], ["d"]]],
    ["a >out.txt 2>&1 <in", [["a", "out.txt", "in"]]],
    ["a \\\n b $X/$Y", [["a", "b", "$X/$Y"]]],
    ["{ a; } ; (b)", [["a"], ["b"]]],
    ["a 'b", [["a", "'b"]]],
  ];
  for (const [line, expected] of cases) {
    it(`splits ${JSON.stringify(line)}`, () => assert.deepEqual(splitShellCommands(line), expected));
  }
});

describe("readShellCommands", () => {
  const feeding = (text: string): string[] =>
    readShellCommands(text).flatMap(({ words, feeds }) => (feeds ? [words.join(" ")] : []));
  const rows: [string, string[]][] = [
    ["a | diff - b; c && d || e", ["a"]],
    ["a | tee log", []],
    ["a | tee log | grep x", ["a", "tee log"]],
    ["x=$(a b) c; d", ["a b"]],
    ["diff <(a) <(b c) d", ["a", "b c"]],
    ["a > out.txt; cmp out.txt b", ["a out.txt"]],
    ["a > out.txt; b 2> err.txt; c > /dev/null; d /dev/null", []],
    ["(a; b) c) d | e", ["d"]],
  ];
  for (const [text, expected] of rows) {
    it(`tells whose output is looked at in ${text}`, () => assert.deepEqual(feeding(text), expected));
  }
});

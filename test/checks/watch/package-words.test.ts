import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPackageCall } from "../../../lib/checks/watch/package-words.ts";

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

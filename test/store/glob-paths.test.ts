import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findMatching } from "../../lib/store/glob-paths.ts";
import { write } from "./git-repo.ts";
import { withFolder } from "./temporary-folder.ts";

const files = {
  "test/a.test.ts": "",
  "test/acceptance/one.ts": "",
  "test/acceptance/.hidden/two.ts": "",
  "src/a.test.ts": "",
  "src/.git/x.ts": "",
  ".git/x.ts": "",
  "node_modules/x/a.test.ts": "",
  ".gitignore": "node_modules",
  "a[1].ts": "",
};

async function matching(...globs: string[]): Promise<string[]> {
  let found: string[] = [];
  await withFolder((folder) => {
    write(folder, files);
    execFileSync("mkfifo", [join(folder, "test/acceptance/pipe")]);
    symlinkSync("../../src", join(folder, "test/acceptance/link"));
    found = findMatching(folder, globs);
  });
  return found;
}

describe("findMatching", () => {
  const cases: [string[], string[]][] = [
    [["test/acceptance/**"], ["test/acceptance/.hidden/two.ts", "test/acceptance/link", "test/acceptance/one.ts"]],
    [["test/acceptance"], ["test/acceptance/.hidden/two.ts", "test/acceptance/link", "test/acceptance/one.ts"]],
    [["./test/acceptance/"], ["test/acceptance/.hidden/two.ts", "test/acceptance/link", "test/acceptance/one.ts"]],
    [["**/*.test.ts"], ["node_modules/x/a.test.ts", "src/a.test.ts", "test/a.test.ts"]],
    [
      ["test/a.test.ts", "src/*.test.ts", "src/**"],
      ["src/a.test.ts", "test/a.test.ts"],
    ],
    [["test/acceptance/link"], ["test/acceptance/link"]],
    [["test/acceptance/link/*"], []],
    [["a\\[1\\].ts"], ["a[1].ts"]],
    [[".git/**", "src/.git/x.ts", "none/**", "test/a.test.ts/x"], []],
    [["../**", "/etc/passwd", "a/../../**", "", "./", "test/acceptance/pipe"], []],
    [["!src/**"], []],
    [["{src,test}/a.test.ts"], ["src/a.test.ts", "test/a.test.ts"]],
  ];
  for (const [globs, expected] of cases) {
    it(`finds ${expected.length} for ${globs.join(" ")}`, async () =>
      assert.deepEqual(await matching(...globs), expected));
  }

  it("finds names that are not UTF-8", () =>
    withFolder((folder) => {
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), "");
      assert.deepEqual(findMatching(folder, ["**"]), ["//\\xff"]);
    }));
});

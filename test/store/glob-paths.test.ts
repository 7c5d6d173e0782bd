import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { findMatching, findWholeFolders, matcherOf, namedPaths } from "../../lib/store/glob-paths.ts";
import { write } from "../git/git-repo.ts";
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
    [
      [".//src//a.test.ts", "test/././a.test.ts"],
      ["src/a.test.ts", "test/a.test.ts"],
    ],
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
      mkdirSync(join(folder, "in"));
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/in/a`), Buffer.from([0xff]), Buffer.from(".snap")]), "");
      for (const glob of ["**", "in", "in/*.snap", "in/a?.snap"])
        assert.deepEqual(findMatching(folder, [glob]), ["//in/a\\xff.snap"], glob);
      assert.deepEqual(findMatching(folder, ["in/*.ts"]), []);
    }));
});

describe("findWholeFolders", () => {
  const cases: [string[], string[]][] = [
    [["test/acceptance/**"], ["test/acceptance", "test/acceptance/.hidden"]],
    [["./test/acceptance/"], ["test/acceptance", "test/acceptance/.hidden"]],
    [["**/acceptance/**"], ["test/acceptance", "test/acceptance/.hidden"]],
    [["test/*"], ["test", "test/acceptance", "test/acceptance/.hidden"]],
    [["test/**/*.ts", "test/[a-z]*.ts", "test/acceptance/*.ts", "test/a.test.ts"], []],
    [["empty", "none/**", "/test/**", "../**", "src/a.test.ts/**"], ["empty"]],
  ];
  for (const [globs, expected] of cases) {
    it(`finds ${expected.length === 0 ? "none" : expected.join(", ")} for ${globs.join(" ")}`, async () => {
      await withFolder((folder) => {
        write(folder, files);
        mkdirSync(join(folder, "empty"));
        assert.deepEqual(findWholeFolders(folder, globs, findMatching(folder, globs)), expected);
      });
    });
  }
});

test("a glob means a path that does not exist as well, and a folder all that is in it", () => {
  const matches = matcherOf(["test/sum.*", "golden", "/outside/**", "../**"]);
  const paths = ["test/sum.test.js", "golden/a/b", "golden", "test/a/sum.js", "outside/a", "../a"];
  assert.deepEqual(
    paths.filter((path) => matches(path)),
    ["test/sum.test.js", "golden/a/b", "golden"],
  );
});

test("paths that are named without a wildcard", () => {
  const globs = ["./a.env", "conf/", "a\\*b", "more/*.env", "{a,b}", "a[1].ts", "!x", "/etc/passwd", "../out"];
  assert.deepEqual(namedPaths(globs), ["a.env", "conf", "a*b"]);
});

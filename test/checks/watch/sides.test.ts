import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { changedCheckPaths } from "../../../lib/checks/watch/sides.ts";
import { type WatchWorld, withWatch } from "./arrange.ts";

const manifest = (more: object): string =>
  JSON.stringify({ scripts: { test: "vitest run" }, workspaces: ["pkg/a", "pkg/b"], ...more });

const files = {
  "package.json": manifest({}),
  "src/sum.js": "1",
  "src/lib.rs": "#[cfg(test)]\nmod tests {\n#[test]\nfn a() { assert!(true) }\n}\n",
  "tests/it.rs": "#[test]\nfn a() {}\n",
  "tests/run.sh": ". src/sum.sh\n",
  "src/sum.sh": "sum() { expr $1 + $2; }\n",
  "test/sum.test.js": "1",
  "test/fixtures/rows.csv": "a\n",
  "src/__snapshots__/sum.snap": "x",
  "pkg/testdata/golden.txt": "x",
  "conftest.py": "",
  "vitest.config.ts": "1",
  ".github/workflows/ci.yml": "on: push",
  "scripts/check.sh": ". scripts/env.sh\n",
  "scripts/env.sh": "A=1\n",
  "docs/spec.md": "x",
  "node_modules/.bin/vitest": "",
};
const commands = [
  ["npm", "test"],
  ["sh", "scripts/check.sh"],
  ["sh", "tests/run.sh"],
];
const checks = [
  ".github/workflows/ci.yml",
  "conftest.py",
  "pkg/testdata/golden.txt",
  "scripts/check.sh",
  "scripts/env.sh",
  "src/__snapshots__/sum.snap",
  "test/fixtures/rows.csv",
  "test/sum.test.js",
  "tests/it.rs",
  "tests/run.sh",
  "vitest.config.ts",
];

describe("changedCheckPaths", () => {
  it("tells tests, what tests need, what checks read and settings from the work and from dependencies", () =>
    withWatch(files, commands, (world) => {
      const [record, before] = [world.take(), world.input().entries];
      for (const name of Object.keys(files)) world.write({ [name]: `${files[name as keyof typeof files]}\n` });
      assert.deepEqual(changedCheckPaths(record, world.input(), before), checks);
    }));

  it("tells what `watched` matches", () =>
    withWatch(files, commands, (world) => {
      const globs = ["docs/*"];
      const [record, before] = [world.take({ globs }), world.input().entries];
      world.write({ "docs/spec.md": "y" });
      assert.deepEqual(changedCheckPaths(record, world.input({ globs }), before), ["docs/spec.md"]);
    }));

  /** What changed after the edit. */
  async function after(edit: (world: WatchWorld) => void, present: Record<string, string> = files): Promise<string[]> {
    let found: string[] = [];
    await withWatch(present, commands, (world) => {
      const [record, before] = [world.take(), world.input().entries];
      edit(world);
      found = changedCheckPaths(record, world.input(), before);
    });
    return found;
  }
  const cases: [string, (world: WatchWorld) => void, string[]][] = [
    ["nothing changed", () => undefined, []],
    [
      "only work changed",
      (world) => world.write({ "src/sum.js": "2", "src/lib.rs": "", "docs/spec.md": "y", "src/new.js": "" }),
      [],
    ],
    [
      "tests were added, removed and changed",
      (world) => {
        world.write({ "test/sum.test.js": "2", "test/new.test.js": "" });
        world.remove("pkg");
      },
      ["pkg/testdata/golden.txt", "test/new.test.js", "test/sum.test.js"],
    ],
    [
      "settings were added, removed and changed",
      (world) => {
        world.write({ "vitest.config.ts": "2", "jest.config.js": "" });
        world.remove(".github");
      },
      [".github/workflows/ci.yml", "jest.config.js", "vitest.config.ts"],
    ],
    [
      "a member of a workspace is gone",
      (world) => world.write({ "package.json": manifest({ workspaces: ["pkg/b"] }) }),
      ["package.json"],
    ],
    [
      "the executable bit of a test and of work is another one",
      (world) => {
        for (const path of ["test/fixtures/rows.csv", "src/sum.js"]) chmodSync(join(world.repo, path), 0o755);
      },
      ["test/fixtures/rows.csv"],
    ],
    [
      "pytest finds modules elsewhere",
      (world) =>
        world.write({ "pyproject.toml": '[project]\nname = "a"\n\n[tool.pytest.ini_options]\npythonpath = ["b"]\n' }),
      ["pyproject.toml"],
    ],
    ["a library that a test sources changed", (world) => world.write({ "src/sum.sh": "sum() { echo 3; }\n" }), []],
    [
      "a library that a test sources replaces what the test compares with",
      (world) => world.write({ "src/sum.sh": "sum() { echo 3; }\ntest() { :; }\n" }),
      ["src/sum.sh"],
    ],
    ["a sourced script changed", (world) => world.write({ "scripts/env.sh": "A=2\n" }), ["scripts/env.sh"]],
    [
      "dependencies and a script that no check runs are new",
      (world) =>
        world.write({
          "package.json": manifest({ dependencies: { a: "1" }, scripts: { test: "vitest run", build: "tsc" } }),
        }),
      [],
    ],
    [
      "a script of a check is another one",
      (world) => world.write({ "package.json": manifest({ scripts: { test: "true" } }) }),
      ["package.json"],
    ],
    [
      "a hook is new",
      (world) => world.write({ "package.json": manifest({ scripts: { test: "vitest run", pretest: "cp a b" } }) }),
      ["package.json"],
    ],
    [
      "a check runs another file of the work, which is as it was",
      (world) => world.write({ "package.json": manifest({ scripts: { test: "node src/sum.js" } }) }),
      ["package.json"],
    ],
    [
      "a check runs a file that is new",
      (world) => {
        world.write({ "package.json": manifest({ scripts: { test: "node run.mjs" } }), "run.mjs": "" });
      },
      ["package.json", "run.mjs"],
    ],
    ["the runner of the tests is another one", (world) => world.write({ "node_modules/.bin/vitest": "true" }), []],
  ];
  for (const [what, edit, expected] of cases) {
    it(`tells ${expected.length} where ${what}`, async () => assert.deepEqual(await after(edit), expected));
  }

  it("tells a hook that is gone", async () => {
    const present = { ...files, "package.json": manifest({ scripts: { test: "vitest run", pretest: "tsc" } }) };
    assert.deepEqual(await after((world) => world.write({ "package.json": files["package.json"] }), present), [
      "package.json",
    ]);
  });
});

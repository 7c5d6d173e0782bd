import assert from "node:assert/strict";
import { chmodSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findTests } from "../../../lib/checks/watch/tests.ts";
import { compareWatch, takeWatch } from "../../../lib/checks/watch/watch.ts";
import { changesAfter, type WatchWorld, withWatch } from "./arrange.ts";

const manifest = {
  name: "a",
  scripts: { test: "npm run -s unit && eslint .", unit: "NODE_ENV=test vitest run --config=conf/v.mjs", other: "true" },
  jest: { testMatch: ["**/*.js"] },
  dependencies: { a: "1" },
};

function json(change: (value: Record<string, never> & typeof manifest) => void = () => undefined): string {
  const value = structuredClone(manifest);
  change(value as Record<string, never> & typeof manifest);
  return JSON.stringify(value, null, 2);
}

const files = {
  "package.json": json(),
  "conf/v.mjs": "export default {};",
  "bin/npm": "#!/bin/sh\n",
  "node_modules/.bin/vitest": "#!/usr/bin/env node\n",
  "eslint.config.js": "export default [];",
  "tsconfig.json": "{}",
  ".github/workflows/ci.yml": "on: push",
};

function after(edit: (world: WatchWorld) => void): Promise<string[]> {
  return changesAfter(files, [["npm", "test"]], edit);
}

describe("the files that npm test runs", () => {
  const cases: [string, (world: WatchWorld) => void, string[]][] = [
    ["nothing", () => undefined, []],
    [
      'a "test" script that is true',
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { test: "true" })) }),
      ["! script package.json#scripts.test changed: was `npm run -s unit && eslint .`, is `true`"],
    ],
    [
      "a hook before it",
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { preunit: "cp a b" })) }),
      [
        "! script package.json#scripts.preunit changed: the checks run it, and it did not exist at pass 1; it is `cp a b`",
      ],
    ],
    [
      "a script that nothing runs",
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { build: "tsc" })) }),
      [],
    ],
    [
      "a script that is gone",
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { other: undefined })) }),
      [],
    ],
    [
      "a dependency, and another layout",
      (world) => {
        const value = JSON.parse(json(({ dependencies }) => Object.assign(dependencies, { b: "2" }))) as unknown;
        world.write({ "package.json": `\ufeff${JSON.stringify(value)}` });
      },
      [],
    ],
    [
      "a settings part of package.json",
      (world) => world.write({ "package.json": json(({ jest }) => jest.testMatch.push("none")) }),
      ["! setting package.json#jest changed"],
    ],
    [
      "a package.json that cannot be read",
      (world) => world.write({ "package.json": "{" }),
      [
        "! script package.json#scripts.test removed",
        "! script package.json#scripts.unit removed",
        "! setting package.json added: it did not exist at pass 1",
        "! setting package.json#jest removed",
      ],
    ],
    [
      "another runner in node_modules/.bin",
      (world) => world.write({ "node_modules/.bin/vitest": "#!/bin/true\n" }),
      ["! executable node_modules/.bin/vitest changed"],
    ],
    [
      "a runner that is no longer executable",
      (world) => chmodSync(join(world.repo, "node_modules/.bin/vitest"), 0o644),
      ["! executable node_modules/.bin/vitest removed"],
    ],
    [
      "a link in its place to what nobody can run",
      (world) => {
        unlinkSync(join(world.repo, "node_modules/.bin/vitest"));
        symlinkSync("../../conf/v.mjs", join(world.repo, "node_modules/.bin/vitest"));
      },
      ["! executable node_modules/.bin/vitest removed"],
    ],
    [
      "a program that comes before that of PATH",
      (world) => world.write({ "node_modules/.bin/eslint": "#!/bin/true\n" }),
      [
        "! executable node_modules/.bin/eslint added: it did not exist at pass 1, and it is run in place of another one",
      ],
    ],
    [
      "the program of the check itself",
      (world) => world.write({ "bin/npm": "#!/bin/true\n" }),
      ["! executable bin/npm changed"],
    ],
    ["no program of the check", (world) => world.remove("bin/npm"), ["! executable bin/npm removed"]],
    [
      "a file that a script names",
      (world) => world.write({ "conf/v.mjs": "export default { x: 1 };" }),
      ["! check_file conf/v.mjs changed"],
    ],
    [
      "new settings of a runner",
      (world) => world.write({ "jest.config.ts": "export default {};" }),
      ["! setting jest.config.ts added: it did not exist at pass 1"],
    ],
    [
      "a workflow that is gone",
      (world) => world.remove(".github/workflows/ci.yml"),
      ["! setting .github/workflows/ci.yml removed"],
    ],
    [
      "settings of a tool that it runs, and of one that it does not",
      (world) => world.write({ "eslint.config.js": "export default [{}];", "tsconfig.json": "{ }" }),
      ["! setting eslint.config.js changed"],
    ],
    [
      "settings of fixtures",
      (world) => world.write({ "test/fixtures/a/jest.config.js": "" }),
      ["test test/fixtures/a/jest.config.js added"],
    ],
  ];
  for (const [what, edit, expected] of cases) {
    it(`is told with ${what}`, async () => assert.deepEqual(await after(edit), expected));
  }

  it("tells a link that leads to other bytes, and of a setting that is a link the text it leads to", () =>
    withWatch(
      { "ignored/bin/a": "1", "ignored/bin/b": "2", "ignored/bin/c": "1", "ignored/jest.js": "1" },
      [["npx", "x"]],
      (world) => {
        world.write({ "node_modules/.bin/y": "" });
        const bin = join(world.repo, "node_modules/.bin/x");
        symlinkSync("../../ignored/bin/a", bin);
        symlinkSync("ignored/jest.js", join(world.repo, "jest.config.js"));
        const record = world.take();
        unlinkSync(bin);
        symlinkSync("../../ignored/bin/c", bin);
        assert.deepEqual(world.changes(record), []);
        unlinkSync(bin);
        symlinkSync("../../ignored/bin/b", bin);
        world.write({ "ignored/jest.js": "2" });
        assert.deepEqual(world.changes(record), [
          "! setting jest.config.js changed",
          "! executable node_modules/.bin/x changed",
        ]);
      },
    ));

  it("asks about a script that a check runs and that was not there", async () =>
    assert.deepEqual(
      await changesAfter({}, [["npm", "run", "ci"]], (world) =>
        world.write({ "package.json": '{"scripts":{"ci":"true"}}' }),
      ),
      ["! script package.json#scripts.ci changed: the checks run it, and it did not exist at pass 1; it is `true`"],
    ));

  it("tells a program that another folder of PATH has now", () =>
    withWatch({ "bin/x": "1" }, [["x"]], async (world) => {
      const record = world.take();
      const searchPath = [join(world.repo, "ignored/bin"), join(world.repo, "bin")].join(":");
      // The same program in another place, as on another machine.
      world.write({ "ignored/bin/x": "1" });
      assert.deepEqual(world.changes(record, { searchPath }), []);
      world.write({ "ignored/bin/x": "2" });
      assert.deepEqual(world.changes(record, { searchPath }), [
        "! executable bin/x changed: x now resolves to ignored/bin/x",
      ]);
    }));

  it("keeps no part of a secret that stands where a text is cut", () =>
    withWatch({ "package.json": `{"scripts":{"test":"${"x".repeat(115)} s3cret"}}` }, [["npm", "test"]], (world) => {
      const record = world.take();
      world.write({ "package.json": `{"scripts":{"test":"${"y".repeat(115)} s3cret"}}` });
      assert.doesNotMatch(world.changes(record).join("\n"), /s3c/);
    }));

  it("keeps no secret", () =>
    withWatch(
      { "package.json": '{"scripts":{"test":"x --token=s3cret"}}' },
      [["npm", "test", "s3cret"]],
      async (world) => {
        const record = world.take();
        assert.equal(JSON.stringify(record).includes("s3cret"), false);
        world.write({ "package.json": '{"scripts":{"test":"y --token=s3cret"}}' });
        assert.deepEqual(world.changes(record), [
          "! script package.json#scripts.test changed: was `x --token=[redacted]`, is `y --token=[redacted]`",
        ]);
      },
    ));
});

it("says of a changed program, file or setting how large it was and is, and its digests", () =>
  withWatch(
    { "ignored/check.sh": "x".repeat(1_204), ".coveragerc": "1\n", "package.json": '{"jest":1}' },
    [["./ignored/check.sh"]],
    (world) => {
      const record = world.take();
      world.write({ "ignored/check.sh": "exit 0\n", ".coveragerc": "", "package.json": '{"jest":2}' });
      const details = compareWatch(record, world.input()).map(({ name, detail }) => `${name}: ${detail}`);
      const hash = (name: string): string =>
        record.things.find((thing) => thing.name === name)?.digest.slice(0, 12) ?? "";
      const now = world.take();
      const then = (name: string): string => now.things.find((thing) => thing.name === name)?.digest.slice(0, 12) ?? "";
      assert.deepEqual(details, [
        `.coveragerc: was 2 bytes ${hash(".coveragerc")}, is 0 bytes ${then(".coveragerc")}`,
        `package.json#jest: was ${hash("package.json#jest")}, is ${then("package.json#jest")}`,
        `ignored/check.sh: was 1,204 bytes ${hash("ignored/check.sh")}, is 7 bytes ${then("ignored/check.sh")}`,
      ]);
      // Records of before sizes were kept are read all the same.
      const older = record.things.map((thing) => (thing.kind === "test" ? thing : { ...thing, size: null }));
      const found = compareWatch({ ...record, things: older }, world.input()).find(
        ({ name }) => name === ".coveragerc",
      );
      assert.equal(found?.detail, `was ${hash(".coveragerc")}, is 0 bytes ${then(".coveragerc")}`);
    },
  ));

describe("more than can be listed", () => {
  const many = (count: number, entry: string): Map<string, string> =>
    new Map(Array.from({ length: count }, (_none, index) => [`test/${String(index).padStart(5, "0")}.test.js`, entry]));

  it("stands as one change, whose digest is over all of it", () =>
    withWatch({}, [], async (world) => {
      const entries = many(1_500, "file 644 1");
      const record = takeWatch(world.input({ entries }));
      const added = [...many(400, "file 644 2")].map(([path, entry]) => [`new/${path}`, entry] as const);
      const input = world.input({ entries: new Map(added) });
      const found = compareWatch(record, input);
      assert.equal(found.length, 1_302);
      const bundles = found.filter(({ name }) => name.startsWith("and "));
      assert.deepEqual(
        bundles.map(({ name, kind, change, detail }) => [name, kind, change, detail]),
        [
          ["and 500 more tests", "test", "removed", "the first is test/01000.test.js"],
          ["and 100 more tests", "test", "added", "the first is new/test/00300.test.js"],
        ],
      );
      assert.deepEqual(compareWatch(record, input), found);
      const other = compareWatch(record, {
        ...input,
        entries: new Map([...added.slice(0, -1), ["new/test/x.test.js", "y"]]),
      });
      assert.notEqual(other.at(-1)?.digest, found.at(-1)?.digest);
      assert.equal(other[1_000]?.digest, found[1_000]?.digest);
    }));

  it("has one digest for the test files beyond the bound", () =>
    withWatch({}, [], async (world) => {
      const input = world.input({ entries: many(10, "file 644 1") });
      const { found: digests, rest } = findTests(input, () => false, 8);
      assert.deepEqual([...digests.keys()].at(-1), "test/00007.test.js");
      assert.equal(rest?.count, 2);
      const record = { ...takeWatch(input), rest };
      const things = record.things.filter(({ name }) => digests.has(name));
      const bounded = { ...record, things };
      const after = async (count: number, entry = "file 644 1"): Promise<string[]> => {
        const entries = new Map([...many(8, "file 644 1"), ...[...many(8 + count, entry)].slice(8)]);
        return world.changes(bounded, { entries });
      };
      assert.deepEqual(await after(2), []);
      assert.deepEqual(await after(1), ["! test and 2 more test files changed: 1 now, compared only as a whole"]);
      assert.deepEqual(await after(2, "file 644 2"), [
        "! test and 2 more test files changed: 2 now, compared only as a whole",
      ]);
    }));
});

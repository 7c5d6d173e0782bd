import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type WatchWorld, withWatch } from "./arrange.ts";

const lock = JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/vitest": { version: "1.0.0" } } });
const files = { "package.json": '{"scripts":{"test":"vitest run"}}', "package-lock.json": lock, "bin/npm": "" };
const shim = (target: string): string =>
  `#!/bin/sh\nbasedir=$(dirname "$(echo "$0" | sed -e 's,\\\\,/,g')")\n\nexec node  "$basedir/../${target}" "$@"\n`;

function install(world: WatchWorld, name: string, package_: string): void {
  world.write({ [`node_modules/${package_}/bin/run`]: "x", "node_modules/.bin/.keep": "" });
  symlinkSync(`../${package_}/bin/run`, join(world.repo, "node_modules/.bin", name));
}

describe("a program of node_modules/.bin that appears after pass 1", () => {
  const asks = (name: string): string =>
    `! executable node_modules/.bin/${name} added: it did not exist at pass 1, and it is run in place of another one`;
  const shown = "executable node_modules/.bin/vitest installed: by a lockfile unchanged since pass 1";
  const cases: [string, Record<string, string>, (world: WatchWorld) => void, string[]][] = [
    ["by an unchanged lockfile is shown", files, (world) => install(world, "vitest", "vitest"), [shown]],
    ["of another package asks", files, (world) => install(world, "vitest", "evil"), [asks("vitest")]],
    [
      "by another lockfile asks",
      files,
      (world) => {
        world.write({ "package-lock.json": lock.replace("1.0.0", "1.0.1") });
        install(world, "vitest", "vitest");
      },
      [asks("vitest")],
    ],
    [
      "without a lockfile at pass 1 asks",
      { "package.json": files["package.json"], "bin/npm": "" },
      (world) => {
        world.write({ "package-lock.json": lock });
        install(world, "vitest", "vitest");
      },
      [asks("vitest")],
    ],
    [
      "that is no link asks",
      files,
      (world) => world.write({ "node_modules/.bin/vitest": "#!/bin/sh\nexit 0\n" }),
      [asks("vitest")],
    ],
    [
      "as pnpm writes it is shown",
      { ...files, "package-lock.json": "", "pnpm-lock.yaml": "packages:\n  vitest@1.0.0:\n    resolution: {}\n" },
      (world) => world.write({ "node_modules/.bin/vitest": shim("vitest/vitest.mjs") }),
      [shown],
    ],
    ["in place of what runners start asks", files, (world) => install(world, "node", "vitest-node"), [asks("node")]],
  ];
  for (const [what, present, edit, expected] of cases) {
    it(what, () =>
      withWatch(present, [["npm", "test"]], (world) => {
        const record = world.take();
        edit(world);
        assert.deepEqual(world.changes(record), expected);
      }),
    );
  }

  it("asks where another one was there at pass 1", () =>
    withWatch(files, [["npm", "test"]], (world) => {
      world.write({ "node_modules/.bin/vitest": shim("vitest/other.mjs") });
      const record = world.take();
      world.write({ "node_modules/.bin/vitest": shim("vitest/vitest.mjs") });
      assert.deepEqual(world.changes(record), ["! executable node_modules/.bin/vitest changed"]);
    }));
});

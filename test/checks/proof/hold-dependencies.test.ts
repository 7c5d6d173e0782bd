import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pinDependencies, readPins } from "../../../lib/checks/proof/dependency-pins.ts";
import { digestDependency } from "../../../lib/checks/proof/digest-dependency.ts";
import { findFreed } from "../../../lib/checks/proof/freed-packages.ts";
import { holdDependencies } from "../../../lib/checks/proof/hold-dependencies.ts";
import { makeProofWorld, type ProofWorld } from "./arrange.ts";

type Files = Readonly<Record<string, string>>;

/** Which of these paths a copy may hold, once the lists of dependencies and the folders differ from pass 1. */
async function held(
  world: ProofWorld,
  { carried, lists, now, change }: { carried: string; lists: Files; now: Files; change: () => void },
  paths: readonly string[],
) {
  const digest = await pinDependencies(world.repo, [carried], world.path("pins.jsonl"));
  const pins = readPins(world.path("pins.jsonl"), digest);
  assert(pins !== null);
  change();
  const repo = (files: Files) => ({
    entries: new Map(Object.entries(files)),
    read: (one: string) => files[one] ?? null,
  });
  const holder = holdDependencies(world.repo, pins, findFreed(repo(lists), repo(now)), new Map(Object.entries(lists)));
  return paths.filter((one) => holder.holds(one, digestDependency(Buffer.from(path.join(world.repo, one)))));
}

const write = (world: ProofWorld, files: Files) => {
  for (const [name, text] of Object.entries(files)) world.write(`my repo/${name}`, text);
};
const npm = (entries: Readonly<Record<string, string>>) =>
  JSON.stringify({
    packages: Object.fromEntries(
      Object.entries(entries).map(([name, version]) => [`node_modules/${name}`, { version }]),
    ),
  });

test("npm: files of a package whose entry changed may differ, and those of no other", async (t) => {
  const world = makeProofWorld(t, {});
  write(world, { "node_modules/a/i.js": "1", "node_modules/check-it/i.js": "1", "node_modules/b/i.js": "1" });
  const change = () => {
    write(world, {
      "node_modules/a/i.js": "2",
      "node_modules/check-it/i.js": "patched",
      "node_modules/.package-lock.json": "{}",
      "node_modules/c/node_modules/b/i.js": "1",
      "node_modules/c/node_modules/check-it/i.js": "patched",
      "node_modules/extra/i.js": "planted",
    });
    mkdirSync(path.join(world.repo, "node_modules/.bin"));
    symlinkSync("../a/cli.js", path.join(world.repo, "node_modules/.bin/a"));
    symlinkSync("../check-it/cli.js", path.join(world.repo, "node_modules/.bin/check-it"));
  };
  const lists = { "package-lock.json": npm({ a: "1", "check-it": "1", b: "1" }) };
  const now = { "package-lock.json": npm({ a: "2", "check-it": "1", b: "1", c: "1", "c/node_modules/b": "1" }) };
  const paths = [
    "node_modules/a/i.js",
    "node_modules/b/i.js",
    "node_modules/check-it/i.js",
    "node_modules/.package-lock.json",
    "node_modules/c/node_modules/b/i.js",
    "node_modules/c/node_modules/check-it/i.js",
    "node_modules/extra/i.js",
    "node_modules/.bin/a",
    "node_modules/.bin/check-it",
  ];
  assert.deepEqual(await held(world, { carried: "node_modules", lists, now, change }, paths), [
    "node_modules/a/i.js",
    "node_modules/b/i.js",
    "node_modules/.package-lock.json",
    "node_modules/c/node_modules/b/i.js",
    "node_modules/.bin/a",
  ]);
});

test("another package manager may lay the same packages out anew, but not change them", async (t) => {
  const world = makeProofWorld(t, {});
  write(world, { "node_modules/a/i.js": "1", "node_modules/check-it/i.js": "1" });
  const store = "node_modules/.pnpm/a@1.0.0/node_modules/a/i.js";
  const patched = "node_modules/.pnpm/check-it@1.0.0/node_modules/check-it/i.js";
  const change = () => {
    write(world, { [store]: "1", [patched]: "patched", "node_modules/.modules.yaml": "" });
    symlinkSync(".pnpm/a@1.0.0/node_modules/a", path.join(world.repo, "node_modules/linked"));
    symlinkSync(
      "../../a@1.0.0/node_modules/a",
      path.join(world.repo, "node_modules/.pnpm/check-it@1.0.0/node_modules/a"),
    );
  };
  const lists = { "package-lock.json": npm({ a: "1.0.0", "check-it": "1.0.0" }) };
  const now = {
    "pnpm-lock.yaml":
      "packages:\n  a@1.0.0:\n    resolution: {integrity: x}\n  check-it@1.0.0:\n    resolution: {integrity: y}\n",
  };
  const linked = "node_modules/.pnpm/check-it@1.0.0/node_modules/a";
  const paths = [store, patched, linked, "node_modules/linked", "node_modules/.modules.yaml"];
  assert.deepEqual(await held(world, { carried: "node_modules", lists, now, change }, paths), [
    store,
    linked,
    "node_modules/.modules.yaml",
  ]);
});

test("without a lockfile what a changed manifest may have brought is new, and what was there stays", async (t) => {
  const world = makeProofWorld(t, {});
  write(world, { "node_modules/a/i.js": "1", "node_modules/b/i.js": "1" });
  const change = () =>
    write(world, { "node_modules/a/i.js": "2", "node_modules/b/i.js": "2", "node_modules/c/i.js": "its own need" });
  const manifest = (version: string) => ({ "package.json": JSON.stringify({ dependencies: { a: version, b: "1" } }) });
  const paths = ["node_modules/a/i.js", "node_modules/b/i.js", "node_modules/c/i.js"];
  const spec = { carried: "node_modules", lists: manifest("1"), now: manifest("2"), change };
  assert.deepEqual(await held(world, spec, paths), ["node_modules/a/i.js", "node_modules/c/i.js"]);
});

test("Python: a distribution frees what its RECORD names, unless one that is as it was names it too", async (t) => {
  const world = makeProofWorld(t, {});
  const site = ".venv/lib/python3.12/site-packages";
  write(world, {
    [`${site}/yaml/__init__.py`]: "1",
    [`${site}/PyYAML-6.0.dist-info/RECORD`]: "yaml/__init__.py,,\n",
    [`${site}/pytest/__init__.py`]: "1",
    [`${site}/pytest-8.0.dist-info/RECORD`]: "pytest/__init__.py,,\n../../../bin/pytest,,\n",
    ".venv/bin/pytest": "1",
  });
  const change = () =>
    write(world, {
      [`${site}/yaml/__init__.py`]: "2",
      [`${site}/PyYAML-6.1.dist-info/RECORD`]: "yaml/__init__.py,,\n../../../bin/yaml,,\npytest/__init__.py,,\n",
      [`${site}/pytest/__init__.py`]: "patched",
      [`${site}/sitecustomize.py`]: "planted",
      ".venv/bin/pytest": "patched",
      ".venv/bin/yaml": "new",
    });
  const paths = [
    `${site}/yaml/__init__.py`,
    `${site}/PyYAML-6.1.dist-info/RECORD`,
    `${site}/pytest/__init__.py`,
    `${site}/sitecustomize.py`,
    ".venv/bin/pytest",
    ".venv/bin/yaml",
  ];
  const lists = { "requirements.txt": "PyYAML==6.0\npytest==8.0\n" };
  const now = { "requirements.txt": "PyYAML==6.1\npytest==8.0\n" };
  assert.deepEqual(await held(world, { carried: ".venv", lists, now, change }, paths), [
    `${site}/yaml/__init__.py`,
    `${site}/PyYAML-6.1.dist-info/RECORD`,
    ".venv/bin/yaml",
  ]);
});

test("Python: a lockfile that adds a distribution frees that one alone", async (t) => {
  const world = makeProofWorld(t, {});
  const site = ".venv/lib/python3.12/site-packages";
  const distribution = (name: string) => ({
    [`${site}/${name}/__init__.py`]: "1",
    [`${site}/${name}-1.0.dist-info/RECORD`]: `${name}/__init__.py,,\n`,
  });
  write(world, distribution("yaml"));
  const change = () => write(world, { ...distribution("requests"), ...distribution("planted") });
  const lock = (...names: readonly string[]) => ({
    "uv.lock": names.map((name) => `[[package]]\nname = "${name}"\nversion = "1.0"\n`).join("\n"),
  });
  const spec = { carried: ".venv", lists: lock("yaml"), now: lock("yaml", "requests"), change };
  const paths = ["yaml", "requests", "planted"].map((name) => `${site}/${name}/__init__.py`);
  assert.deepEqual(await held(world, spec, paths), paths.slice(0, 2));
});

test("vendored code is freed by the folder of its module, package or gem", async (t) => {
  const world = makeProofWorld(t, {});
  const files = ["vendor/n/a/x.php", "vendor/n/ab/x.php", "vendor/bundle/ruby/3.3.0/gems/rack-3.0/x.rb"];
  write(world, Object.fromEntries(files.map((one) => [one, "1"])));
  const change = () =>
    write(world, { ...Object.fromEntries(files.map((one) => [one, "2"])), "vendor/autoload.php": "" });
  const php = (version: string) => JSON.stringify({ packages: [{ name: "n/a", version }] });
  const gem = (version: string) => `GEM\n  specs:\n    rack (${version})\n    ra (1.0)\n`;
  const lists = { "composer.lock": php("1"), "Gemfile.lock": gem("3.0") };
  const now = { "composer.lock": php("2"), "Gemfile.lock": gem("3.1") };
  assert.deepEqual(await held(world, { carried: "vendor", lists, now, change }, [...files, "vendor/autoload.php"]), [
    "vendor/n/a/x.php",
    "vendor/bundle/ruby/3.3.0/gems/rack-3.0/x.rb",
    "vendor/autoload.php",
  ]);
});

test("a folder of packages below one that is held is held too, unless a package of pass 1 has it", async (t) => {
  const world = makeProofWorld(t, {});
  const pins = { folders: new Set(["node_modules"]), entries: new Map<string, string>(), isComplete: false };
  const holder = holdDependencies(
    world.repo,
    pins,
    { lists: [], unreadable: [] },
    new Set(["packages/b/package.json"]),
  );
  const folders = [
    "node_modules",
    "test/node_modules",
    "packages/b/node_modules",
    "packages/b/x/node_modules",
    ".venv",
  ];
  assert.deepEqual(folders.filter(holder.isHeld), ["node_modules", "test/node_modules"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { findFreed } from "../../../lib/checks/proof/freed-packages.ts";

type Files = Readonly<Record<string, string>>;
const repo = (files: Files) => ({
  entries: new Map(Object.entries(files)),
  read: (path: string) => files[path] ?? null,
});
/** The packages whose entry changed, and those that have one only now. */
function freed(before: Files, now: Files) {
  const { lists, unreadable } = findFreed(repo(before), repo(now));
  const names = (which: "changed" | "added") => lists.flatMap((list) => [...list[which].keys()]).sort();
  return [names("changed"), names("added"), unreadable];
}
const nothing = [[], [], []];
const npm = (packages: object, more = {}) => JSON.stringify({ lockfileVersion: 3, ...more, packages });
const one = { version: "1.0.0", integrity: "sha512-a" };

const rows: readonly (readonly [file: string, before: string, same: string, other: string])[] = [
  [
    "package-lock.json",
    npm({ "": { version: "1.0.0" }, "node_modules/a": one, "node_modules/a/node_modules/b": one }),
    npm({ "": { version: "2.0.0" }, "node_modules/a/node_modules/b": one, "node_modules/a": { ...one, dev: true } }),
    npm({
      "node_modules/a": { ...one, version: "1.0.1" },
      "node_modules/a/node_modules/b": one,
      "node_modules/c": one,
    }),
  ],
  [
    "npm-shrinkwrap.json",
    JSON.stringify({ dependencies: { "node_modules/": {}, a: { ...one, dependencies: { b: one } } } }),
    JSON.stringify({ version: "9", dependencies: { a: { ...one, dependencies: { b: one } } } }),
    JSON.stringify({ dependencies: { a: { version: "2.0.0" }, c: one } }),
  ],
  [
    "pnpm-lock.yaml",
    "lockfileVersion: '9.0'\nimporters:\n  .: {}\npackages:\n  a@1.0.0:\n    resolution: {integrity: x}\n    engines: {node: '1'}\n  '@s/b@1.0.0':\n    resolution: {integrity: y}\n",
    "lockfileVersion: '9.1'\npackages:\n  '@s/b@1.0.0':\n    resolution: {integrity: y}\n  a@1.0.0:\n    resolution: {integrity: x}\n# settled\n",
    "packages:\n  a@1.0.1:\n    resolution: {integrity: z}\n  '@s/b@1.0.0':\n    resolution: {integrity: y}\n  /c/2.0.0:\n    resolution: {integrity: z}\n",
  ],
  [
    "yarn.lock",
    '# yarn lockfile v1\n\na@^1.0.0:\n  version "1.0.0"\n  integrity sha512-a\n\n"@s/b@^1", "@s/b@^1.0":\n  version "1.0.0"\n',
    '"@s/b@^1.0":\n  version "1.0.0"\n\n\na@^1.0.0, a@1:\n  version "1.0.0"\n  integrity sha512-a\n  dependencies:\n    z "1"\n',
    'a@^1.0.0:\n  version "1.0.2"\n\n"@s/b@^1":\n  version "1.0.0"\n\nc@1:\n  version "1.0.0"\n',
  ],
  [
    "bun.lock",
    '{ "packages": {\n    "a": ["a@1.0.0", "", {}, "sha512-a"],\n    "@s/b": ["@s/b@1.0.0", "", {}, "sha512-b"],\n  } }\n',
    '{ "packages": {\n    "@s/b": ["@s/b@1.0.0", "", {}, "sha512-b"],\n    "a": ["a@1.0.0", "", {}, "sha512-a"],\n  } }\n',
    '{ "packages": {\n    "a": ["a@1.0.1", "", {}, "sha512-z"],\n    "@s/b": ["@s/b@1.0.0", "", {}, "sha512-b"],\n    "c": ["c@1.0.0", "", {}, "sha512-c"],\n  } }\n',
  ],
  [
    "uv.lock",
    'version = 1\n\n[[package]]\nname = "a"\nversion = "1.0"\nsdist = { hash = "x" }\n\n[[package]]\nname = "b"\nversion = "1.0"\n',
    'version = 2\n\n[[package]]\nname = "b"\nversion = "1.0"\n\n[[package]]\nname = "a"\nversion = "1.0"\n',
    '[[package]]\nname = "a"\nversion = "1.1"\n\n[[package]]\nname = "b"\nversion = "1.0"\n[[package]]\nname = "c"\nversion = "1.0"\n',
  ],
  [
    "Pipfile.lock",
    '{"_meta":{"hash":"1"},"default":{"a":{"version":"==1.0","hashes":["x"]}},"develop":{"b":{"version":"==1.0"}}}',
    '{"_meta":{"hash":"2"},"default":{"a":{"version":"==1.0","hashes":["y"]}},"develop":{"b":{"version":"==1.0"}}}',
    '{"default":{"a":{"version":"==1.1"}},"develop":{"b":{"version":"==1.0"},"c":{"version":"==1"}}}',
  ],
  ["requirements-dev.txt", "a==1.0\nb==1.0\n", "# both\nb==1.0\na==1.0  # ours\n", "a==1.1\nb==1.0\nc>=2\n"],
  [
    "Cargo.lock",
    'version = 3\n\n[[package]]\nname = "a"\nversion = "1.0.0"\ndependencies = [\n "b",\n]\n\n[[package]]\nname = "b"\nversion = "1.0.0"\n',
    'version = 4\n\n[[package]]\nname = "a"\nversion = "1.0.0"\n\n[[package]]\nname = "b"\nversion = "1.0.0"\n',
    '[[package]]\nname = "a"\nversion = "1.0.1"\n\n[[package]]\nname = "b"\nversion = "1.0.0"\n\n[[package]]\nname = "c"\nversion = "1.0.0"\n',
  ],
  [
    "go.sum",
    "e.test/a v1.0.0 h1:x=\ne.test/a v1.0.0/go.mod h1:y=\ne.test/b v1.0.0 h1:x=\n",
    "e.test/b v1.0.0 h1:x=\ne.test/a v1.0.0 h1:x=\ne.test/a v0.9.0/go.mod h1:z=\n",
    "e.test/a v1.0.1 h1:x=\ne.test/b v1.0.0 h1:x=\ne.test/c v1.0.0 h1:x=\n",
  ],
  [
    "composer.lock",
    '{"content-hash":"1","packages":[{"name":"n/a","version":"1.0.0"}],"packages-dev":[{"name":"n/b","version":"1.0.0"}]}',
    '{"content-hash":"2","packages":[{"name":"n/a","version":"1.0.0","time":"x"}],"packages-dev":[{"name":"n/b","version":"1.0.0"}]}',
    '{"packages":[{"name":"n/a","version":"1.0.1"},{"name":"n/c","version":"1"}],"packages-dev":[{"name":"n/b","version":"1.0.0"}]}',
  ],
  [
    "Gemfile.lock",
    "GEM\n  specs:\n    a (1.0.0)\n      b (>= 1)\n    b (1.0.0)\n",
    "GEM\n  specs:\n    b (1.0.0)\n    a (1.0.0)\n\nBUNDLED WITH\n  2.5\n",
    "GEM\n  specs:\n    a (1.0.1)\n    b (1.0.0)\n    c (1.0.0)\n",
  ],
];

for (const [file, before, same, other] of rows) {
  test(`${file}: only a package whose entry changed, or that is new, is freed`, () => {
    assert.deepEqual(freed({ [file]: before }, { [file]: same }), nothing);
    const prefix = file.startsWith("package-lock") || file.startsWith("npm-") ? "node_modules/" : "";
    const [start] = file === "composer.lock" ? ["n/"] : file === "go.sum" ? ["e.test/"] : [prefix];
    assert.deepEqual(freed({ [file]: before }, { [file]: other }), [[`${start}a`], [`${start}c`], []]);
    assert.deepEqual(freed({ [file]: before }, {}), nothing, "a list that is gone frees nothing");
  });
}

test("a lockfile that cannot be read frees nothing and is named, now or as it was", () => {
  const good = npm({ "node_modules/a": one });
  assert.deepEqual(freed({ "package-lock.json": good }, { "package-lock.json": "<<<<<<< HEAD" }), [
    [],
    [],
    ["package-lock.json"],
  ]);
  assert.deepEqual(freed({ "package-lock.json": "{" }, { "package-lock.json": good })[2], ["package-lock.json"]);
  assert.deepEqual(freed({ "bun.lockb": "a" }, { "bun.lockb": "b" })[2], ["bun.lockb"]);
});

test("a manifest counts only where its ecosystem has no lockfile, and a fixture never", () => {
  const manifest = (version: string) => JSON.stringify({ name: "x", dependencies: { a: version, b: "1" } });
  const both = (version: string, more: Files = {}) => ({ "package.json": manifest(version), ...more });
  assert.deepEqual(freed(both("1"), both("2")), [["a"], [], []]);
  assert.deepEqual(freed(both("1", { "yarn.lock": "" }), both("2", { "yarn.lock": "" })), nothing);
  assert.deepEqual(freed(both("1", { "go.sum": "" }), both("2", { "go.sum": "" })), [["a"], [], []]);
  const fixture = "test/fixtures/package-lock.json";
  assert.deepEqual(freed({ [fixture]: npm({}) }, { [fixture]: npm({ "node_modules/a": one }) }), nothing);
});

test("npm: linking a package changes it, and a mirror's address does not", () => {
  const lock = (entry: object) => ({ "package-lock.json": npm({ "node_modules/a": entry }) });
  assert.deepEqual(freed(lock(one), lock({ ...one, link: true })), [["node_modules/a"], [], []]);
  assert.deepEqual(freed(lock({ ...one, resolved: "https://a/a.tgz" }), lock({ ...one, resolved: "b" })), nothing);
  const bare = { version: "1.0.0", resolved: "https://a/a.tgz" };
  assert.deepEqual(freed(lock(bare), lock({ ...bare, resolved: "b" })), [["node_modules/a"], [], []]);
});

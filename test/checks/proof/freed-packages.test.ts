import assert from "node:assert/strict";
import { test } from "node:test";
import { findFreed, folderOfList } from "../../../lib/checks/proof/freed-packages.ts";

type Files = Readonly<Record<string, string | null>>;

/** A file without a text is there, and cannot be read. */
const repo = (files: Files) => ({
  entries: new Map(Object.entries(files).map(([path, text]) => [path, text ?? "unreadable"])),
  read: (path: string) => files[path] ?? null,
});

function freed(before: Files, now: Files) {
  const { lists, unreadable } = findFreed(repo(before), repo(now));
  const shown = lists.map(({ path, changed, added, takesNew }) => {
    const names = `${[...changed.keys()].join(" ")} | ${[...added.keys()].join(" ")}`;
    return `${path}: ${names}${takesNew ? ", and what is new" : ""}`;
  });
  return [...shown, ...unreadable.map((path) => `${path} is unreadable`)];
}

const lock = (packages: Readonly<Record<string, string>>) => {
  const entries = Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }]);
  return JSON.stringify({ packages: Object.fromEntries(entries) });
};
const manifest = (dependencies: Readonly<Record<string, string>>) => JSON.stringify({ dependencies });

test("a list frees the packages whose entry differs and those that are new, but none that lost its entry", () => {
  const before = { "package-lock.json": lock({ a: "1", b: "1", c: "1" }) };
  assert.deepEqual(freed(before, { "package-lock.json": lock({ a: "2", b: "1", d: "1" }) }), [
    "package-lock.json: node_modules/a | node_modules/d",
  ]);
  assert.deepEqual(freed(before, { "package-lock.json": lock({ b: "1" }) }), []);
  assert.deepEqual(freed(before, { "package-lock.json": `${lock({ c: "1", b: "1", a: "1" })}\n` }), []);
  assert.deepEqual(freed(before, before), []);
  assert.deepEqual(freed(before, {}), []);
});

test("a list that is new frees all that it names", () => {
  assert.deepEqual(freed({}, { "web/package-lock.json": lock({ a: "1" }) }), [
    "web/package-lock.json:  | node_modules/a",
  ]);
});

test("a manifest counts only where its ecosystem has no lockfile, before or now", () => {
  const [one, two] = [{ "package.json": manifest({ a: "1" }) }, { "package.json": manifest({ a: "2" }) }];
  assert.deepEqual(freed(one, two), ["package.json: a | , and what is new"]);
  const held = { "package-lock.json": lock({ a: "1" }) };
  assert.deepEqual(freed({ ...one, ...held }, { ...two, ...held }), []);
  assert.deepEqual(freed({ ...one, ...held }, two), []);
  const python = [{ Pipfile: 'rich = "1"\n' }, { Pipfile: 'rich = "2"\n' }] as const;
  assert.deepEqual(freed({ ...python[0], ...held }, { ...python[1], ...held }), ["Pipfile: rich | , and what is new"]);
});

test("a list that changed and cannot be read, then or now, frees nothing and is named", () => {
  const one = { "package-lock.json": lock({ a: "1" }) };
  for (const broken of [null, "{"]) {
    assert.deepEqual(freed(one, { "package-lock.json": broken }), ["package-lock.json is unreadable"]);
    assert.deepEqual(freed({ "package-lock.json": broken }, one), ["package-lock.json is unreadable"]);
    assert.deepEqual(freed({ "package-lock.json": broken }, { "package-lock.json": broken }), []);
  }
});

test("lists of fixtures and of installed packages free nothing", () => {
  for (const folder of ["fixtures/app", "node_modules/a", "vendor/b"]) {
    const path = `${folder}/package-lock.json`;
    assert.deepEqual(freed({ [path]: lock({ a: "1" }) }, { [path]: lock({ a: "2" }) }), []);
  }
});

test("the folder of a list ends with a slash, and that of the repo is empty", () => {
  assert.deepEqual(
    ["package.json", "a/package.json", "a/b/go.mod"].map((path) => folderOfList({ path })),
    ["", "a/", "a/b/"],
  );
});

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";
import { importedRoom, readImports, readSources } from "./read-imports.ts";

/** What each room may import beside itself and the rooms that everyone may use. Arrows go down this list only. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  cli: [
    "loop",
    "pass",
    "git-history",
    "interchange",
    "init",
    "board",
    "hosts",
    "evidence",
    "models",
    "validators",
    "notify",
    "templates",
    "config",
    "task-folder",
    "git",
    "process",
    "store",
  ],
  loop: [
    "pass",
    "board",
    "hosts",
    "evidence",
    "models",
    "proof",
    "watch",
    "validators",
    "templates",
    "config",
    "task-folder",
    "git",
    "process",
    "store",
  ],
  pass: [
    "board",
    "hosts",
    "evidence",
    "models",
    "proof",
    "watch",
    "validators",
    "notify",
    "templates",
    "config",
    "task-folder",
    "git",
    "process",
    "store",
  ],
  interchange: ["init", "templates", "config", "task-folder", "store"],
  init: ["templates", "config", "task-folder", "store"],
  "git-history": ["task-folder", "git", "store"],
  board: ["evidence", "hosts", "templates", "store"],
  evidence: ["hosts", "templates", "task-folder", "store"],
  hosts: [],
  models: ["config", "process", "store"],
  watch: ["validators", "task-folder", "process", "store"],
  proof: ["validators", "task-folder", "git", "process", "store"],
  validators: ["process", "store"],
  notify: ["store"],
  config: ["task-folder", "store"],
  templates: [],
  "task-folder": [],
  git: ["process", "store"],
  process: [],
  store: [],
  machine: [],
  text: [],
  report: [],
};
const pure = ["machine", "text", "report"];

const sources = readSources(path.join(projectRoot, "lib"));

test("each folder of lib/ is a room that the list knows", () => {
  assert.deepEqual(
    [...new Set(sources.map((file) => file.room))].filter((room) => !(room in arrows)),
    [],
  );
});

test("imports between rooms follow the arrows", () => {
  assert.deepEqual(
    sources.flatMap((file) =>
      file.imports
        .map((specifier) => importedRoom(file, specifier))
        .filter((room) => room !== null && !mayImport(file.room, room))
        .map((room) => `${file.name} imports ${room}`),
    ),
    [],
  );
});

test("the machine imports nothing outside itself: no room, no package, no part of node", () => {
  assert.deepEqual(
    sources
      .filter((file) => file.room === "machine")
      .flatMap((file) =>
        file.imports
          .filter((specifier) => importedRoom(file, specifier) !== "machine")
          .map((specifier) => `${file.name} imports ${specifier}`),
      ),
    [],
  );
});

test("nothing in lib/ leads out of lib/", () => {
  assert.deepEqual(
    sources.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith(".") && importedRoom(file, specifier) === null)
        .map((specifier) => `${file.name} imports ${specifier}`),
    ),
    [],
  );
});

test("only the command line touches the process's streams, and nothing cuts them with process.exit", () => {
  const streams = /\bprocess\.(?:stdout|stderr|stdin|exitCode)\b/;
  assert.deepEqual(
    sources.filter((file) => file.room !== "cli" && streams.test(code(file.text))).map((file) => file.name),
    [],
  );
  assert.deepEqual(
    sources.filter((file) => /\bprocess\.exit\(/.test(code(file.text))).map((file) => file.name),
    [],
  );
});

test("git is started in two places, which both follow the rule that no program of a repository runs", () => {
  const starts = /\b(?:spawn|spawnSync|execa|execFile|execFileSync)\(\s*["']git["']/;
  assert.deepEqual(
    sources.filter((file) => starts.test(code(file.text))).map((file) => file.name),
    ["git/objects.ts", "git/start-git.ts"],
  );
  const callers = sources.filter((file) => file.imports.includes("./start-git.ts")).map((file) => file.name);
  assert.deepEqual(callers, ["git/network.ts", "git/run-git.ts", "git/run-in-repository.ts"]);
});

test("an import is seen in each of its forms", () => {
  const text = [
    'import a from "a";',
    'import { b, type B } from "./b.ts";',
    'import type {\n  C,\n  D,\n} from "../c.ts";',
    'import "d";',
    'export { e } from "e";',
    'export * from "f";',
    'const g = () => import("./g.ts");',
    'const text = "from nowhere";',
  ].join("\n");
  assert.deepEqual(readImports(text), ["a", "./b.ts", "../c.ts", "d", "e", "f", "./g.ts"]);
});

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  if (from === "machine") return false;
  return pure.includes(to) ? !pure.includes(from) : (arrows[from] ?? []).includes(to);
}

/** Without comments, which may name what they warn of. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, "");
}

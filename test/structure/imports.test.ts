import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";
import { findCircles, importedRoom, readImports, readSources } from "./read-imports.ts";

/**
 * What each room may import beside itself, `rules` and `text`, which everyone may use. Arrows go down this list only: a new one
 * is added here on purpose, and never one that goes up.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  cli: [
    ...["fleet", "queue", "prove", "pass", "notify", "checks", "agents", "task", "scaffold", "pages", "history"],
    ...["git", "documents", "store", "process"],
  ],
  // Many machines, and branches on one: a pass in a clone, claimed and accepted by a push. No other room imports it.
  fleet: ["queue", "pass", "checks", "task", "git", "documents", "store", "process"],
  queue: ["pass", "notify", "checks", "agents", "task", "pages", "git", "documents", "store", "process"],
  // The runs of a task's proof on a plain change. scaffold: the repo's own test command. pages: the style of a page.
  prove: ["checks", "task", "scaffold", "pages", "git", "documents", "store", "process"],
  // scaffold: a task that is done says so in the prd.json that it was made from.
  pass: [...["notify", "checks", "agents", "task", "scaffold", "pages", "git", "documents", "store", "process"]],
  notify: ["task", "documents", "store"],
  checks: ["task", "git", "documents", "store", "process"],
  // pages: how an amount is written in the changelog.
  agents: ["task", "pages", "git", "documents", "store", "process"],
  task: ["git", "documents", "store", "process"],
  // git, process: issues and pull requests on a git host.
  scaffold: ["git", "documents", "store", "process"],
  // git: the addresses of a git host.
  pages: ["git", "documents", "store"],
  history: ["git", "documents"],
  git: ["store", "process"],
  documents: ["store"],
  process: [],
  store: [],
  rules: [],
  text: [],
};
const pure = ["rules", "text"];

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

test("no arrow of the list goes up", () => {
  const order = Object.keys(arrows);
  assert.deepEqual(
    Object.entries(arrows).flatMap(([from, tos]) =>
      tos.filter((to) => order.indexOf(to) <= order.indexOf(from)).map((to) => `${from} imports ${to}`),
    ),
    [],
  );
});

test("the rooms stand on nine floors at most", () => {
  const floorOf = (room: string): number => 1 + Math.max(0, ...(arrows[room] ?? []).map(floorOf));
  // Everything stands on text.
  assert.ok(1 + Math.max(...Object.keys(arrows).map(floorOf)) <= 9);
  assert.ok(Object.keys(arrows).length <= 18);
});

test("each arrow of the list is used", () => {
  const used = new Set(
    sources.flatMap((file) => file.imports.map((specifier) => `${file.room} ${importedRoom(file, specifier)}`)),
  );
  assert.deepEqual(
    Object.entries(arrows).flatMap(([from, tos]) =>
      tos.map((to) => `${from} ${to}`).filter((arrow) => !used.has(arrow)),
    ),
    [],
  );
});

test("no file imports itself by way of others, types included", () => {
  assert.deepEqual(findCircles(sources), []);
});

test("a circle is found, a type-only one too", () => {
  const file = (name: string, text: string) => ({ name, room: "a", text, imports: readImports(text) });
  const files = [
    file("a/one.ts", 'import { two } from "./two.ts";'),
    file("a/two.ts", 'import type { Three } from "../b/three.ts";'),
    file("b/three.ts", 'export { one } from "../a/one.ts";'),
    file("b/four.ts", 'import "./three.ts";'),
  ];
  assert.deepEqual(findCircles(files), ["a/one.ts > a/two.ts > b/three.ts > a/one.ts"]);
});

test("the pass has few files beside its stages", () => {
  const files = sources.filter(({ name }) => /^pass\/[^/]+$/.test(name)).map(({ name }) => name);
  assert.ok(files.length <= 22, files.join(" "));
});

const isRule = ({ name }: { readonly name: string }) => /^rules\/[^/]+$/.test(name);

test("the rules import nothing but each other and the types of schemas: they run no package, no part of node", () => {
  const typesOf = /^import type [^;]* from "(?:\.\/shapes\/[\w-]+|\.\.\/text\/shape)\.ts";$/gm;
  assert.deepEqual(
    sources.filter(isRule).flatMap((file) =>
      readImports(file.text.replace(typesOf, ""))
        .filter((specifier) => !/^\.\/[\w-]+\.ts$/.test(specifier))
        .map((specifier) => `${file.name} imports ${specifier}`),
    ),
    [],
  );
});

test("the schemas of records take words and tables from the rules, and no rule or type", () => {
  const from = sources
    .filter(({ name }) => /^rules\/shapes\/[^/]+$/.test(name))
    .flatMap((file) => file.imports.filter((specifier) => /^\.\.\/[\w-]+\.ts$/.test(specifier)));
  assert.deepEqual([...new Set(from.map((specifier) => path.basename(specifier)))].sort(), [
    "phases.ts",
    "state-view.ts",
    "words.ts",
  ]);
});

test("no import in lib/ leads out of lib/", () => {
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

test("programs are started in one file, which gives each a group of its own", () => {
  const starters = /^(?:node:)?(?:child_process|cluster|worker_threads)$|^execa$|^cross-spawn$/;
  assert.deepEqual(
    sources.filter((file) => file.imports.some((name) => starters.test(name))).map((file) => file.name),
    ["process/spawn-child.ts"],
  );
  const callers = (file: string) =>
    sources.filter(({ imports }) => imports.some((name) => name.endsWith(`/${file}`))).map(({ name }) => name);
  assert.deepEqual(callers("spawn-child.ts"), [
    "process/bwrap.ts",
    "process/limit-mark.ts",
    // A process of this program for each pass of a worker.
    "process/open-channel.ts",
    // A person's own program, on their terminal or desktop.
    "process/open-viewer.ts",
    "process/orphan-guard.ts",
    "process/plumbing.ts",
    "process/run-tool.ts",
    "process/start-process.ts",
    "process/talk-to-tool.ts",
  ]);
  // ssh-keygen is no program of a repository either: it is found outside of it.
  assert.deepEqual(callers("run-tool.ts"), [
    "fleet/prepare-clone.ts",
    "git/ssh-keygen.ts",
    "git/start-git.ts",
    // gh and glab are no programs of a repository either.
    "scaffold/host-tools/host-tool.ts",
  ]);
  assert.deepEqual(callers("talk-to-tool.ts"), ["git/start-git.ts"]);
});

test("git is started in one file, and only by those that follow the rule that no program of a repository runs", () => {
  const names = /argv: \[\s*["']git["']/;
  assert.deepEqual(
    sources.filter((file) => names.test(code(file.text))).map((file) => file.name),
    ["git/start-git.ts"],
  );
  const callers = sources.filter((file) => file.imports.includes("./start-git.ts")).map((file) => file.name);
  assert.deepEqual(callers, [
    "git/first-commit.ts",
    "git/git-settings.ts",
    "git/network.ts",
    "git/objects.ts",
    "git/run-git.ts",
    // Asks for the version alone, in no repository.
    "git/ssh-keygen.ts",
  ]);
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
  if (pure.includes(to)) return from !== "text" && !(from === "rules" && to !== "text");
  return (arrows[from] ?? []).includes(to);
}

/** Without comments, which may name what they warn of. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, "");
}

test("every file and folder that a script names by its place is there", () => {
  const scripts = path.join(projectRoot, "scripts");
  const names = readdirSync(scripts, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".mjs"));
  const named = names.flatMap((name) => {
    const text = readFileSync(path.join(scripts, name), "utf8");
    const urls = [...text.matchAll(/new URL\("(\.\.?\/[^"]+)", import\.meta\.url\)/g)].map(([, place]) => place ?? "");
    const places = [...readImports(text).filter((specifier) => specifier.startsWith(".")), ...urls];
    return places.map((place) => [name, path.resolve(scripts, path.dirname(name), place)] as const);
  });
  assert.ok(named.length > 10);
  assert.deepEqual(
    named
      .filter(([, place]) => !existsSync(place))
      .map(([name, place]) => `${name}: ${path.relative(projectRoot, place)}`),
    [],
  );
});

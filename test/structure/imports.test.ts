import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";
import { findCircles, importedRoom, readImports, readSources } from "./read-imports.ts";

/**
 * What each room may import beside itself and the rooms that everyone may use. Arrows go down this list only: a new one is
 * added here on purpose, and never one that goes up.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  cli: [
    "prove",
    "fleet",
    "loop",
    "upkeep",
    "listing",
    "pass",
    "guard",
    "attest",
    "keep",
    "news",
    "task",
    "anchor",
    "git-history",
    "host-tools",
    "interchange",
    "init",
    "board",
    "models",
    "config",
    "task-folder",
    "templates",
    "shapes",
    "git",
    "process",
    "store",
  ],
  // One pass in a clone of a remote: claimed by a push, accepted by a push. upkeep: the tasks of a mirror, as `status`
  // judges them. verdict: what a killed run owes a task that is done. shapes: the words of `fleet status`.
  // templates: the program's own file, which a worker starts again. proof: dependencies are carried as into a clean copy.
  fleet: [
    "upkeep",
    "pass",
    "recovery",
    "checks",
    "proof",
    "keep",
    "task",
    "anchor",
    "verdict",
    "validators",
    "config",
    "task-folder",
    "templates",
    "shapes",
    "git",
    "process",
    "store",
  ],
  // The runs of a task's proof on a plain change. init: the repo's own test command. evidence: the style of a page.
  prove: [
    "checks",
    "anchor",
    "watch",
    "proof",
    "evidence",
    "validators",
    "init",
    "task",
    "config",
    "task-folder",
    "templates",
    "shapes",
    "git",
    "process",
    "store",
  ],
  // templates: the report of a run. rotation: state.json is one of its notes.
  loop: [
    "upkeep",
    "keep",
    "news",
    "rotation",
    "task",
    "anchor",
    "board",
    "models",
    "config",
    "templates",
    "git",
    "store",
  ],
  // attest: the statement that a killed run did not get to. checks, watch: the paths that a task is about.
  upkeep: [
    "attest",
    "listing",
    "recovery",
    "budget",
    "people",
    "verdict",
    "checks",
    "keep",
    "rotation",
    "task",
    "anchor",
    "watch",
    "models",
    "config",
    "task-folder",
    "git",
    "process",
    "store",
  ],
  // The rows of a list, and the index that spares reading them again. templates: the version of the program. config: that
  // of the root is kept beside the rows.
  listing: ["people", "task", "anchor", "config", "task-folder", "templates", "store"],
  // validators: why a check cannot work before the work.
  pass: [
    "recovery",
    "budget",
    "people",
    "verdict",
    "review",
    "guard",
    "checks",
    "attest",
    "keep",
    "rotation",
    "news",
    "task",
    "anchor",
    "validators",
    "watch",
    "evidence",
    "models",
    "config",
    "task-folder",
    "templates",
    "shapes",
    "git",
    "process",
    "store",
  ],
  recovery: ["news", "people", "verdict", "guard", "checks", "rotation", "task", "anchor", "git", "process", "store"],
  budget: ["verdict", "task", "anchor", "models", "config", "task-folder", "store"],
  people: ["verdict", "review", "checks", "rotation", "task", "anchor", "task-folder", "templates", "git", "store"],
  verdict: ["review", "rotation", "task", "anchor", "evidence", "task-folder", "templates", "shapes", "store"],
  review: [
    "guard",
    "checks",
    "task",
    "anchor",
    "proof",
    "evidence",
    "models",
    "config",
    "task-folder",
    "templates",
    "git",
    "process",
    "store",
  ],
  guard: ["rotation", "task", "anchor", "models", "task-folder", "templates", "git", "process", "store"],
  checks: ["task", "anchor", "watch", "proof", "validators", "task-folder", "git", "process", "store"],
  attest: ["task", "anchor", "shapes", "git", "store"],
  // A task that is done says so in the prd.json that it was made from.
  // process: the ssh-keygen that signs must not come from where agents write.
  keep: ["task", "anchor", "interchange", "hosts", "config", "templates", "git", "process", "store"],
  rotation: ["task", "anchor", "evidence", "models", "config", "templates", "git", "store"],
  news: ["task", "anchor", "notify", "config", "task-folder", "templates"],
  // templates: the version of the program, for what an older one kept.
  task: [
    "anchor",
    "proof",
    "evidence",
    "models",
    "validators",
    "config",
    "task-folder",
    "templates",
    "shapes",
    "git",
    "process",
    "store",
  ],
  anchor: ["proof", "shapes", "git", "process", "store"],
  "git-history": ["task-folder", "shapes", "git"],
  // task-folder: what a brief may hold. process: the CLI of the git host.
  "host-tools": ["hosts", "task-folder", "templates", "process"],
  interchange: ["init", "task-folder", "templates", "store"],
  init: ["task-folder", "templates", "store"],
  board: ["evidence", "templates"],
  proof: ["wrong", "watch", "validators", "task-folder", "git", "process", "store"],
  watch: ["process", "store"],
  wrong: [],
  evidence: ["hosts", "task-folder", "templates", "store"],
  hosts: [],
  models: ["config", "process", "store"],
  validators: ["process", "store"],
  notify: ["store"],
  // git: which working trees are of one repository, for trust.
  config: ["task-folder", "git", "store"],
  "task-folder": ["templates", "shapes", "store"],
  templates: [],
  shapes: [],
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

test("no arrow of the list goes up", () => {
  const order = Object.keys(arrows);
  assert.deepEqual(
    Object.entries(arrows).flatMap(([from, tos]) =>
      tos.filter((to) => order.indexOf(to) <= order.indexOf(from)).map((to) => `${from} imports ${to}`),
    ),
    [],
  );
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
  const files = sources.filter((file) => file.room === "pass").map((file) => file.name);
  assert.ok(files.length <= 22, files.join(" "));
});

test("the machine imports nothing outside itself but the types of schemas: it runs no package, no part of node", () => {
  const typesOf = /^import type [^;]* from "\.\.\/(?:shapes\/[\w-]+|text\/shape)\.ts";$/gm;
  assert.deepEqual(
    sources
      .filter((file) => file.room === "machine")
      .flatMap((file) =>
        readImports(file.text.replace(typesOf, ""))
          .filter((specifier) => importedRoom(file, specifier) !== "machine")
          .map((specifier) => `${file.name} imports ${specifier}`),
      ),
    [],
  );
});

test("the schemas of records take words and tables from the machine, and no rule or type", () => {
  const from = sources
    .filter(({ name }) => /^shapes\/[^/]+$/.test(name))
    .flatMap((file) => file.imports.filter((specifier) => importedRoom(file, specifier) === "machine"));
  assert.deepEqual([...new Set(from.map((specifier) => path.basename(specifier)))].sort(), [
    "phases.ts",
    "state-view.ts",
    "words.ts",
  ]);
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
    "host-tools/host-tool.ts",
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
    "git/network.ts",
    "git/objects.ts",
    "git/run-git.ts",
    "git/settings.ts",
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
  // Types alone, which another test asks for.
  if (from === "machine") return to === "shapes" || to === "text";
  return pure.includes(to) ? !pure.includes(from) : (arrows[from] ?? []).includes(to);
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

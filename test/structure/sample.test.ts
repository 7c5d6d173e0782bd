import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Nodes } from "mdast";
import { parse } from "parse5";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { makeWorld, projectRoot, type World } from "../cli/arrange.ts";

const sample = path.join(projectRoot, "docs", "sample");
const taskName = "T-001-stream-csv";

test("task-phase check finds nothing wrong in a copy of the sample", async (t) => {
  const world = copySample(t);
  const end = await world.call("task-phase", ["check", "--task-dir", taskDirOf(world), "--json"]);
  assert.deepEqual(
    { code: end.code, findings: end.json().findings },
    { code: 0, findings: [] },
    "docs/sample is not what the rules of today make: npm run sample",
  );
});

test("the sample's page and EVIDENCE.md are those that the templates of today make of its journal", async (t) => {
  const world = copySample(t);
  const end = await world.call("task-phase", ["evidence", "--task-dir", taskDirOf(world)]);
  assert.equal(end.code, 0, end.stderr);
  for (const name of ["artifacts/evidence.html", "EVIDENCE.md"]) {
    const made = world.read(path.join("tasks", taskName, name));
    assert.equal(
      readFileSync(path.join(sample, taskName, name), "utf8"),
      made,
      `${name} is out of date: npm run sample`,
    );
  }
});

test("every relative link of the sample leads to a file, in Markdown and in HTML", () => {
  const files = readdirSync(sample, { recursive: true, encoding: "utf8" }).filter((name) => !isKeptCopy(name));
  const links = files.flatMap((name) => listLinks(name).map((link) => ({ name, link })));
  assert.ok(links.length > 40, `${links.length} links`);
  assert.deepEqual(
    links.filter(({ name, link }) => !leadsSomewhere(name, link)),
    [],
  );
});

test("the sample is small enough for a README: its picture, and all of it", () => {
  const sizes = readdirSync(sample, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, size: readFileSync(path.join(entry.parentPath, entry.name)).length }));
  assert.ok((sizes.find(({ name }) => name === "evidence.png")?.size ?? Number.NaN) < 250_000);
  assert.ok(sizes.reduce((sum, { size }) => sum + size, 0) < 2_500_000);
});

/** With the app of the example as its repo, which is what the task's brief asks for. */
function copySample(t: Parameters<typeof makeWorld>[0]): World {
  const world = makeWorld(t);
  const example = path.join(projectRoot, "tasks.example");
  cpSync(path.join(example, "app"), world.path("app"), { recursive: true });
  cpSync(path.join(example, "recordings"), world.path("recordings"), { recursive: true });
  cpSync(path.join(example, "tasks", "task-phase.yaml"), world.path("tasks", "task-phase.yaml"));
  cpSync(path.join(sample, taskName), taskDirOf(world), { recursive: true });
  // The code as it is at `done`: the example's, and all that the task changed.
  const passes = path.join(taskDirOf(world), "artifacts", "passes");
  const patches = readdirSync(passes, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("task.patch"),
  );
  world.git("app", "init", "--quiet");
  world.git("app", "apply", path.join(passes, patches.sort().at(-1) ?? ""));
  return world;
}

function taskDirOf(world: World): string {
  return world.path("tasks", taskName);
}

/** Bytes of files as they stood elsewhere; their links are those of the original. */
function isKeptCopy(name: string): boolean {
  return name.startsWith(path.join(taskName, "artifacts", "passes"));
}

function listLinks(name: string): string[] {
  const file = path.join(sample, name);
  if (name.endsWith(".md")) return linksOfMarkdown(readFileSync(file, "utf8"));
  return name.endsWith(".html") ? linksOfPage(readFileSync(file, "utf8")) : [];
}

function linksOfMarkdown(text: string): string[] {
  const links: string[] = [];
  const walk = (node: Nodes) => {
    if (node.type === "link" || node.type === "image" || node.type === "definition") links.push(node.url);
    if (node.type === "html") links.push(...linksOfPage(node.value));
    if ("children" in node) for (const child of node.children) walk(child);
  };
  walk(unified().use(remarkParse).use(remarkGfm).parse(text));
  return links;
}

interface Element {
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Element[];
}

function linksOfPage(text: string): string[] {
  const walk = ({ attrs = [], childNodes = [] }: Element): string[] => [
    ...attrs.filter(({ name }) => ["href", "src"].includes(name)).map(({ value }) => value),
    ...childNodes.flatMap(walk),
  ];
  return walk(parse(text) as unknown as Element);
}

/** Places on a page are looked at in a browser, by the tests of the pages. */
function leadsSomewhere(name: string, link: string): boolean {
  if (/^(#|data:)/.test(link)) return true;
  if (/^[a-z][a-z0-9+.-]*:|^\//i.test(link)) return false;
  const target = decodeURIComponent(link.split("#")[0] ?? "");
  return existsSync(path.join(sample, path.dirname(name), target));
}

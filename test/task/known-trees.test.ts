import assert from "node:assert/strict";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { parseMarkdown } from "../../lib/documents/markdown.ts";
import { readTree, useTreeCache } from "../../lib/documents/read-tree.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { makeTaskWorld } from "../cli/task-world.ts";

/** A task after a first pass, and the file where the runner keeps the trees of its files. */
async function afterOnePass(t: TestContext) {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("trees", { state: { phase: "implement" } });
  task.propose({ repo: { "a.txt": "1\n" } });
  const run = async () => await world.run("task-phase-run", ["--task-dir", task.taskDir]);
  assert.equal((await run()).code, 0);
  const tasks = world.path("state", "task-phase", "tasks");
  const folder = path.join(tasks, readdirSync(tasks)[0] ?? "");
  return { task, run, trees: path.join(folder, "parsed.txt") };
}

/** With the digest of the whole file, as the runner would have written it. */
function forge(file: string, change: (body: string) => string): void {
  const body = change(readFileSync(file, "utf8").slice(64));
  writeFileSync(file, sha256(body) + body);
}

const damages: Readonly<Record<string, (file: string) => void>> = {
  "is deleted": (file) => writeFileSync(file, ""),
  "lost its end": (file) => truncateSync(file, 3000),
  "is garbage": (file) => writeFileSync(file, "x".repeat(5000)),
  "is of another version": (file) =>
    forge(file, (body) => body.replace(/^.*\n/, "0 0.0.0\n").replaceAll('"heading"', '"paragraph"')),
  "has the tree of a text under the digest of another": (file) =>
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/[0-9a-f]{64}(?= )/g, "0".repeat(64))),
};

for (const [what, damage] of Object.entries(damages)) {
  test(`a pass goes on where the file of known trees ${what}`, async (t) => {
    const { task, run, trees } = await afterOnePass(t);
    damage(trees);
    task.propose({ repo: { "a.txt": "2\n" } });
    const { code, stderr } = await run();
    assert.equal(code, 0, stderr);
    assert.match(readFileSync(path.join(task.taskDir, "log.txt"), "utf8"), /pass 2/);
  });
}

test("a person's edit since the last pass is parsed anew", async (t) => {
  const { task, run } = await afterOnePass(t);
  const readme = path.join(task.taskDir, "README.md");
  writeFileSync(readme, readFileSync(readme, "utf8").replace("---\n", "---\nunknown_key: 1\n"));
  const { code, stderr } = await run();
  assert.notEqual(code, 0);
  assert.match(stderr, /unknown_key/);
});

test("a tree is what it was after it was written and read", () => {
  const lines = fc.constantFrom(
    ...[
      "# A",
      "- [x] b",
      "* c",
      "1. d",
      "| a | b |",
      "|:--|--:|",
      "| 1 | 2 |",
      "```js",
      "```",
      "> q",
      "[^1]: f",
      "[^1]",
    ],
    ...[
      "[a]: u 't'",
      "![i][a] [a][]",
      "<!-- c -->",
      "<b>h</b>",
      "~~s~~ *e* **f** `c`",
      "www.a.bc  ",
      "---",
      "",
      "  x\\",
      "\u00e9",
    ],
  );
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 14 }), (parts) => {
      const tree = parseMarkdown(parts.join("\n"));
      assert.deepStrictEqual(JSON.parse(JSON.stringify(tree)), tree);
    }),
    { numRuns: 400, seed: 20261123 },
  );
});

test("a text is not parsed where its tree is known", (t) => {
  t.after(() => useTreeCache(() => undefined));
  const tree = parseMarkdown("# another\n");
  useTreeCache((text) => (text === "# known\n" ? tree : undefined));
  const known = readTree(Buffer.from("# known\n"), "a.md");
  assert.ok(known.kind === "tree" && known.tree === tree);
  const other = readTree(Buffer.from("# unknown\n"), "a.md");
  assert.ok(other.kind === "tree" && other.tree !== tree);
});

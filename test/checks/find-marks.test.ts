import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { findMarks } from "../../lib/checks/find-marks.ts";
import { makeWorld } from "../cli/arrange.ts";

const before = "process.exit(0);\n";
const findChecks =
  (...paths: string[]) =>
  () => ({ paths, reached: new Set(["node", "tsc"]) });
const now = `${before}// @ts-nocheck
process.on("exit", () => {});
assert.equal = () => {};
export const x = 1;
`;

test("new lines that end, silence or patch are reported; the counts of tests decide which of them ask", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "src/a.mjs": before, "src/b.mjs": before });
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: repo, env: world.env, encoding: "utf8" }).trim();
  world.write("repo/src/a.mjs", now);
  const since = { commit, paths: ["src/a.mjs", "src/b.mjs"] };
  const tell = async (inDoubt: boolean, ...checks: string[]) =>
    (await findMarks({ repo, since, inDoubt, findChecks: findChecks(...checks), env: world.env })).map(
      ({ name, change, detail }) => [name, change, detail.split(":")[0]],
    );
  const patches = ["src/a.mjs", "changed", "line 4 can replace something that tests rely on"];
  const others = (change: string) => [
    ["src/a.mjs", change, "line 2 silences a tool"],
    ["src/a.mjs", change, "line 3 can end a test process"],
  ];
  assert.deepEqual(await tell(false), [patches, ...others("added")]);
  assert.deepEqual(await tell(true), [...others("changed"), patches]);
  assert.deepEqual(await tell(true, "src/a.mjs"), [], "a file of the checks is no work");
});

test("a line that silences a tool in a file that only moved is not new, and in another new file it is", async (t) => {
  const world = makeWorld(t);
  const old = "// @ts-nocheck\nexport const x = 1;\nexport const y = 2;\n";
  const repo = world.initRepo({ "src/a.mjs": old, "src/c.mjs": "// @ts-nocheck\n" });
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: repo, env: world.env, encoding: "utf8" }).trim();
  for (const path of ["src/a.mjs", "src/c.mjs"]) rmSync(world.path(`repo/${path}`));
  world.write("repo/lib/a.mjs", old.replace("2", "3"));
  world.write("repo/lib/b.mjs", "// @ts-nocheck\nexport const z = 1;\nexport const w = 2;\n");
  const since = { commit, paths: ["lib/a.mjs", "lib/b.mjs", "src/a.mjs", "src/c.mjs"] };
  const found = await findMarks({ repo, since, inDoubt: true, findChecks: findChecks(), env: world.env });
  assert.deepEqual(
    found.map(({ name }) => name),
    ["lib/b.mjs"],
  );
});

test("many files in which no line but a silencing one is a mark do not crowd out sources", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "src/a.mjs": before });
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: repo, env: world.env, encoding: "utf8" }).trim();
  world.write("repo/src/a.mjs", now);
  const pages = Array.from({ length: 2_000 }, (_one, index) => `docs/${index}.md`);
  const since = { commit, paths: [...pages, "src/a.mjs"] };
  const found = await findMarks({ repo, since, inDoubt: false, findChecks: findChecks(), env: world.env });
  assert.equal(found.length, 3);
});

test("without a commit nothing is known to be new, and nothing is reported", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "src/a.mjs": now });
  assert.deepEqual(await findMarks({ repo, since: null, inDoubt: true, findChecks: findChecks(), env: world.env }), []);
});

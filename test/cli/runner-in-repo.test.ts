import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { findRunnerPaths, presentInstallation } from "../../lib/task/guard/runner-place.ts";
import { makeWorld, projectRoot, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { stateFile } from "./task-states.ts";

/** A repo with task-phase installed in it, as npm does with --save-dev, and an agent that runs this line of sh. */
function installIn(
  t: TestContext,
  agent: string,
): World & { pass(): { code: number | null; json: Record<string, unknown> } } {
  const world = makeWorld(t);
  world.initRepo({ "work.txt": "one\n", ".gitignore": "node_modules/\n" });
  const modules = world.path("repo/node_modules");
  mkdirSync(path.join(modules, ".bin"), { recursive: true });
  const real = { ...presentInstallation(), called: null };
  for (const found of findRunnerPaths(path.dirname(projectRoot), "/nowhere", real)) {
    const inside = path.relative(projectRoot, found);
    const to = inside.startsWith("node_modules")
      ? world.path("repo", inside)
      : path.join(modules, "task-phase", inside);
    const isCompiled = (file: string) => ["lib", "test"].some((name) => file === path.join(projectRoot, "dist", name));
    cpSync(realpathSync(found), to, { recursive: true, filter: (file) => !isCompiled(file) });
  }
  symlinkSync("../task-phase/bin/task-phase", path.join(modules, ".bin/task-phase"));
  world.write(
    "repo/tasks/task-phase.yaml",
    `models: [{ name: m, adapter: command, command: [sh, -c, ${JSON.stringify(agent)}] }]\n`,
  );
  world.write(
    "repo/tasks/T-1/README.md",
    briefFile(["id: T-1", "title: One", "validators: [{ name: work, command: [test, -s, work.txt] }]"], "One"),
  );
  world.write("repo/tasks/T-1/STATE.md", stateFile({ phase: "intake" }));
  const pass = () => {
    const argv = [path.join(modules, ".bin/task-phase"), "run", "--task-dir", world.path("repo/tasks/T-1"), "--json"];
    const end = spawnSync(process.execPath, argv, { cwd: world.path("repo"), env: world.env, encoding: "utf8" });
    assert.notEqual(end.stdout, "", end.stderr);
    return { code: end.status, json: JSON.parse(end.stdout) as Record<string, unknown> };
  };
  return { ...world, pass };
}

const tampers = (world: World, pass: string) =>
  (
    JSON.parse(world.read(`repo/tasks/T-1/artifacts/passes/${pass}/pass.json`)) as {
      facts: { tampering: { path: string; guard: string; restored: boolean }[] };
    }
  ).facts.tampering.map(({ guard, restored }) => [guard, restored]);

test("a model's change of the runner that is installed in its repo is tampering, and put back", (t) => {
  const judge = "node_modules/task-phase/dist/task-phase.cjs";
  const added = "node_modules/task-phase/dist/added.js";
  const lines = [
    "mkdir -p node_modules/left-pad; echo > node_modules/left-pad/index.js; echo more >> work.txt; echo done",
    "test -e again || { touch again; exit 0; }",
    `echo > ${judge}; echo x > ${added}; ln -sf /bin/true node_modules/.bin/task-phase`,
  ];
  const world = installIn(t, lines.join("; "));
  const before = readFileSync(world.path("repo", judge));
  assert.equal(world.pass().json.pass, 1);
  // It only installed something else beside it.
  assert.deepEqual(tampers(world, "0001"), []);
  const { code, json } = world.pass();
  assert.deepEqual([code, json.verdict], [20, "rejected"]);
  assert.deepEqual(tampers(world, "0002"), [["runner_file", true]]);
  assert.deepEqual(readFileSync(world.path("repo", judge)), before);
  assert.equal(world.exists(path.join("repo", added)), false);
  assert.match(realpathSync(world.path("repo/node_modules/.bin/task-phase")), /task-phase\/bin\/task-phase$/);
});

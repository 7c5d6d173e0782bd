import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../cli/arrange.ts";

interface World {
  readonly taskDir: string;
  readonly tasksRoot: string;
}

interface Worlds {
  makeWorld(folder: string): World;
  walkTo(world: World, phase: string): void;
  pass(world: World, model: string): void;
  phaseOf(world: World): string | undefined;
  callCommand(world: World, words: readonly string[]): string;
}

interface Clones {
  readTemplate(taskDir: string): unknown;
  writeClones(template: unknown, tasksRoot: string, first: number, last: number): void;
}

test("the worlds of the bench are true: each cloned task and each told pass is decided again as it was", async (t) => {
  const { makeWorld, walkTo, pass, phaseOf, callCommand } = await load<Worlds>("worlds");
  const { readTemplate, writeClones } = await load<Clones>("clone-task");
  const { addPasses } = await load<{ addPasses(taskDir: string, count: number): void }>("more-passes");
  const world = makeWorld(makeFolder(t));
  writeClones(readTemplate(world.taskDir), world.tasksRoot, 2, 3);
  walkTo(world, "implement");
  writeClones(readTemplate(world.taskDir), world.tasksRoot, 4, 5);
  pass(world, "stay");
  pass(world, "stay");
  addPasses(world.taskDir, 14);
  const check = (id: string) => callCommand(world, ["check", id]).trim();
  assert.deepEqual(["T-1", "T-2", "T-3", "T-4", "T-5"].map(check), [
    "T-1: nothing is wrong, 14 verdicts decided again",
    "T-2: nothing is wrong, 0 verdicts decided again",
    "T-3: nothing is wrong, 0 verdicts decided again",
    "T-4: nothing is wrong, 2 verdicts decided again",
    "T-5: nothing is wrong, 2 verdicts decided again",
  ]);
  walkTo(world, "verify");
  assert.equal(phaseOf(world), "verify");
  assert.equal(check("T-1"), "T-1: nothing is wrong, 15 verdicts decided again");
});

test("a remembered folder comes back as it was, and what was not written keeps its inode and its hard links", async (t) => {
  const { rememberFolders } = await load<{ rememberFolders(folders: readonly string[], into: string): () => void }>(
    "restore",
  );
  const inside = makeFolder(t);
  const [folder, missing] = [path.join(inside, "folder"), path.join(inside, "missing")];
  const at = (name: string) => path.join(folder, name);
  mkdirSync(at("deep"), { recursive: true });
  for (const name of ["kept", "changed", "deep/removed", "linked"]) writeFileSync(at(name), name);
  linkSync(at("linked"), at("deep/link"));
  const seen = ["kept", "linked"].map((name) => statSync(at(name)).ino);
  const back = rememberFolders([folder, missing], path.join(inside, "copies"));
  for (let round = 0; round < 2; round += 1) {
    writeFileSync(at("changed"), `in round ${round}`);
    writeFileSync(at("new"), "new");
    rmSync(at("deep"), { recursive: true });
    mkdirSync(missing);
    back();
    assert.deepEqual(
      ["kept", "changed", "deep/removed", "deep/link"].map((name) => readFileSync(at(name), "utf8")),
      ["kept", "changed", "deep/removed", "linked"],
    );
    assert.deepEqual(
      ["kept", "deep/link"].map((name) => statSync(at(name)).ino),
      seen,
    );
    assert.deepEqual([existsSync(at("new")), existsSync(missing)], [false, false]);
  }
});

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "task-phase-bench-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function load<Module>(name: string): Promise<Module> {
  const file = path.join(projectRoot, "scripts", "bench", `${name}.mjs`);
  return (await import(pathToFileURL(file).href)) as Module;
}

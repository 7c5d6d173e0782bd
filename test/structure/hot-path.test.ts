import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeWorld, projectRoot, type World } from "../cli/arrange.ts";
import { readSources } from "./read-imports.ts";

const dist = path.join(projectRoot, "dist");
// Without esbuild there is no bundle, and Node itself runs every module that is imported.
const skip = !existsSync(path.join(dist, "task-phase.cjs")) && "built without esbuild";

/** Makes the program of the bundle, calls it, and prints the numbers of the modules that were run as one line of JSON. */
const caller = `
  const { readFileSync } = require("node:fs");
  const { createRequire } = require("node:module");
  const [folder, ...words] = process.argv.slice(1);
  const program = { exports: {} };
  const make = require("node:vm").runInThisContext(readFileSync(folder + "/task-phase.cjs", "utf8"));
  make(program, createRequire(folder + "/task-phase.cjs"), folder);
  const { runMain, listMade } = program.exports;
  runMain(null, words).then(() => process.stdout.write(JSON.stringify(listMade()) + "\\n"));
`;

function listMade(world: World, ...words: string[]): string[] {
  const text = execFileSync(process.execPath, ["-e", caller, dist, ...words], {
    cwd: world.path("repo"),
    env: world.env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { modules } = JSON.parse(readFileSync(path.join(dist, "modules.json"), "utf8")) as { modules: string[] };
  const made = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as number[];
  return made.map((place) => modules[place] ?? assert.fail(`no module has the number ${place}`));
}

async function arrange(t: TestContext): Promise<World> {
  const world = makeWorld(t);
  world.initRepo({ "package.json": JSON.stringify({ scripts: { test: "node --test" } }) });
  world.write("repo/tasks/task-phase.yaml", "models: [{ name: mine, adapter: command, command: [cat] }]\n");
  for (const title of ["Round half up", "Round half down"])
    await world.call("task-phase", ["init", title, "--quiet"], { cwd: "repo" });
  // Until the times of the files tell their next change.
  await sleep(150);
  return world;
}

/** The packages and the rooms, of those that a list of tasks can do without, that something was run of. */
function listDear(made: readonly string[]): string[] {
  assert.ok(made.includes("lib/cli/status.ts"));
  const dear =
    /^node_modules\/([^/]+)\/|^lib\/(shapes|templates\/(?!package-files)|git\/(?!place)|models\/adapters|task-folder\/(?:read-(?!contract)|markdown\.))/;
  return [...new Set(made.flatMap((name) => dear.exec(name)?.slice(1).find(Boolean) ?? []))].sort();
}

test("status runs no package, no git and no model's code for tasks that the index knows", { skip }, async (t) => {
  const world = await arrange(t);
  const lists = world.path("state", "task-phase", "lists");
  await world.call("task-phase", ["status"], { cwd: "repo" });
  assert.equal(existsSync(lists), true);
  assert.deepEqual(listDear(listMade(world, "status")), []);
  assert.deepEqual(listDear(listMade(world, "status", "--json")), []);
  rmSync(lists, { recursive: true });
  assert.deepEqual(listDear(listMade(world, "status")), ["valibot", "yaml"], "the configuration is read by them");
});

test("no command but those of a fleet runs anything of one, and its engine is in no chunk of theirs", {
  skip,
}, async (t) => {
  const world = await arrange(t);
  world.git("repo", "add", "--all");
  world.git("repo", "commit", "--quiet", "--message=tasks");
  for (const words of [["status"], ["status", "--git", "."], ["check"], ["doctor"]]) {
    const made = listMade(world, ...words).filter((name) => /^lib\/fleet\/|^node_modules\/(?:pg|pg-boss)\//.test(name));
    assert.deepEqual(made, ["lib/fleet/leased-pass-word.ts"], words.join(" "));
  }
  const callers = readSources(path.join(projectRoot, "lib"))
    .filter(
      ({ room, imports }) => room !== "fleet" && imports.some((name) => /fleet\/engine\/(?!engine\.ts)/.test(name)),
    )
    .map(({ name }) => name);
  assert.deepEqual(callers, ["cli/fleet-remotes.ts", "cli/fleet-setup.ts"]);
});

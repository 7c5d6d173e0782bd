import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { loadPackages } from "../../../lib/fleet/engine/engine-packages.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { makeWorld, type World } from "../../cli/arrange.ts";

/** As pg-boss is: a main file in dist/ of its package, which finds pg beside it. */
function putPackages(world: World, folder: string, version: string): string {
  const put = (name: string, main: string, about: object) => {
    const at = world.path(`${folder}/node_modules/${name}`);
    mkdirSync(path.join(at, "dist"), { recursive: true });
    writeFileSync(path.join(at, "package.json"), JSON.stringify({ name, main: "./dist/index.js", ...about }));
    writeFileSync(path.join(at, "dist", "index.js"), main);
  };
  put("pg-boss", `exports.from = ${JSON.stringify(folder)};`, { version });
  put("pg", 'exports.Pool = "a pool";', { version: "8.0.0" });
  return world.path(folder);
}

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof TaskPhaseError);
    const [finding] = error.findings;
    return `${error.exitName} ${finding?.code}: ${finding?.message}; ${finding?.fix}`;
  }
  return "no refusal";
}

test("an older Node is named before anything is looked for", () => {
  const refused =
    "config TP_ENGINE_NODE: the engine of a fleet needs Node 22.12.0 or newer, found VERSION; run dispatch, worker and fleet with a newer Node; all other commands work with this one";
  for (const version of ["20.20.2", "22.11.9", "21.99.0", "22.9.0"])
    assert.equal(
      refusalOf(() => loadPackages([], version)),
      refused.replace("VERSION", version),
    );
  for (const version of ["22.12.0", "22.13.0-nightly", "24.0.0", "100.1.0"])
    assert.match(
      refusalOf(() => loadPackages([], version)),
      /TP_ENGINE_MISSING/,
    );
});

test("without the packages the command that installs them is named", (t) => {
  const world = makeWorld(t);
  assert.equal(
    refusalOf(() => loadPackages([world.path("empty")], "24.0.0")),
    "config TP_ENGINE_MISSING: the engine of a fleet needs the package pg-boss 12: it is not installed; npm install pg-boss@12 pg, in the current folder or, with -g, beside task-phase",
  );
  assert.match(
    refusalOf(() => loadPackages([putPackages(world, "old", "10.4.2")], "24.0.0")),
    /pg-boss 12: found 10\.4\.2; npm install/,
  );
});

test("the packages of the first folder that has them are loaded, with the pg that pg-boss uses", (t) => {
  const world = makeWorld(t);
  const folders = [world.path("empty"), putPackages(world, "one", "12.40.0"), putPackages(world, "two", "12.41.0")];
  const { boss, pg, bossVersion } = loadPackages(folders, "24.0.0");
  assert.deepEqual([boss, pg, bossVersion], [{ from: "one" }, { Pool: "a pool" }, "12.40.0"]);
});

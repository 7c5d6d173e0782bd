import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { findNestedRepositories } from "../../../lib/checks/proof/nested-repositories.ts";
import { makeProofWorld } from "./arrange.ts";

test("a repository inside the repo is found unless it is a submodule", (t) => {
  const world = makeProofWorld(t, { "src/a.js": "", ".gitmodules": '[submodule "lib"]\n\tpath = libs/known\n' });
  for (const folder of ["src/hidden", "libs/known"]) {
    world.write(`my repo/${folder}/x.js`, "");
    mkdirSync(world.path("my repo", folder, ".git"));
  }
  const listed = ["src/a.js", "src/hidden/x.js", "libs/known/x.js", "//\\xff/y"];
  assert.deepEqual(findNestedRepositories(world.repo, listed), ["src/hidden"]);
  assert.deepEqual(findNestedRepositories(world.repo, ["src/a.js"]), []);
});

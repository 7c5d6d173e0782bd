import assert from "node:assert/strict";
import fs, { mkdirSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { noteHead } from "../../../lib/pass/checkpoint/head-moves.ts";
import { makeWorld } from "../../cli/arrange.ts";

test("a note for all tasks of a repository is half written in the folder of its task alone, whose next run cleans up", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "a.txt": "a\n" });
  const folder = world.path("own");
  mkdirSync(folder);
  const opened: string[] = [];
  const { openSync } = fs;
  fs.openSync = (...args) => {
    opened.push(String(args[0]));
    return openSync(...args);
  };
  syncBuiltinESMExports();
  t.after(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  const ports = { env: world.env, home: world.path("home") };
  await noteHead(world.path("repo"), folder, ports);
  const written = opened.filter((one) => path.basename(one).startsWith(".tp-"));
  assert.deepEqual(written.map(path.dirname), [folder]);
  const notes = path.join(world.path("state"), "task-phase", "repos");
  const [name = ""] = fs.readdirSync(notes);
  assert.deepEqual(JSON.parse(readFileSync(path.join(notes, name), "utf8")), {
    commit: world.git("repo", "rev-parse", "HEAD").trim(),
    ref: "refs/heads/main",
  });
});

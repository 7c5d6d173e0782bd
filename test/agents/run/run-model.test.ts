import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findModel } from "../../../lib/agents/run/run-model.ts";
import { makeFolder } from "../../process/arrange.ts";
import { modelConfig } from "../arrange.ts";

test("a command model is there when its program is", (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "agent"), "#!/bin/sh\n", { mode: 0o755 });
  const find = (command: string[] | null, path?: string) =>
    findModel(modelConfig({ command, folder }), path === undefined ? {} : { PATH: path });
  assert.deepEqual(find(["./agent"]), { kind: "there" });
  assert.deepEqual(find(["agent"], folder), { kind: "there" });
  assert.deepEqual(find(["agent"], "/nowhere"), { kind: "missing", reason: "agent was not found on PATH" });
  assert.deepEqual(find(["./other"]), { kind: "missing", reason: `${folder}/other does not exist` });
  assert.deepEqual(find(null), { kind: "missing", reason: "its command was not found on PATH" });
});

test("a file without the right to be executed and a folder are named, since they look like the program", (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "agent"), "#!/bin/sh\n", { mode: 0o644 });
  mkdirSync(join(folder, "claude"));
  const missing = (name: string) => ({ kind: "missing", reason: `${folder}/${name} exists but is not executable` });
  const command = ["agent"];
  assert.deepEqual(findModel(modelConfig({ command, folder }), { PATH: `/nowhere:${folder}` }), missing("agent"));
  assert.deepEqual(findModel(modelConfig({ command: ["./agent"], folder }), {}), missing("agent"));
  const claude = modelConfig({ adapter: "claude", command: null });
  assert.deepEqual(findModel(claude, { PATH: folder }), missing("claude"));
});

test("a replay model is there when it has a recording", (t) => {
  const recordings = makeFolder(t);
  const find = (folder: string | null) =>
    findModel(modelConfig({ adapter: "replay", command: null, recordings: folder }), {});
  assert.deepEqual(find(recordings), { kind: "missing", reason: `${recordings} has no recordings such as 0001/` });
  mkdirSync(join(recordings, "0001"));
  assert.deepEqual(find(recordings), { kind: "there" });
  assert.deepEqual(find(null), {
    kind: "missing",
    reason: "the folder of its recordings has no recordings such as 0001/",
  });
});

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readIndex, writeIndex } from "../../../lib/queue/listing/index-file.ts";
import { beginList, readPending } from "../../../lib/queue/listing/list-root.ts";
import { stampLength } from "../../../lib/queue/listing/stamp.ts";
import type { World } from "../../cli/arrange.ts";
import { makeRoot } from "./arrange.ts";

const indexOf = (world: World) => {
  const folder = world.path("state", "task-phase", "lists");
  return join(folder, readdirSync(folder)[0] ?? "");
};

/** An index of three tasks that differ, and where it is written. */
async function makeIndex(world: World) {
  const ports = { env: world.env, home: world.path("home") };
  const root = { tasksRoot: world.path("repo/tasks"), top: world.path("repo") };
  const list = beginList(root.tasksRoot, {}, null);
  readPending(list, {});
  const rows = list.rows.flatMap((row) => (row.kind === "read" ? row : []));
  assert.equal(rows.length, 3);
  const figures = list.fresh.figures.slice(0, list.fresh.length);
  return { ports, root, index: { config: null, defaults: "{}", rows, figures } };
}

test("rows that differ come back as they were, and an index of no rows too", async (t) => {
  const { ports, root, index } = await makeIndex(await makeRoot(t));
  assert.equal(readIndex(root.tasksRoot, ports), null);
  writeIndex(root, index, ports);
  assert.deepEqual(readIndex(root.tasksRoot, ports), index);
  assert.equal(readIndex(`${root.tasksRoot}/other`, ports), null);
  const none = { ...index, rows: [], figures: new Float64Array(0) };
  writeIndex(root, none, ports);
  assert.deepEqual(readIndex(root.tasksRoot, ports), none);
});

test("an index is never written where a pass can write", async (t) => {
  const world = await makeRoot(t);
  const { root, ports, index } = await makeIndex(world);
  const inside = { ...ports, env: { ...ports.env, XDG_STATE_HOME: world.path("repo/state") } };
  writeIndex(root, index, inside);
  assert.deepEqual([readIndex(root.tasksRoot, inside), world.exists("repo/state")], [null, false]);
});

test("an index of many parts comes back whole, or not at all if a byte of it is another one or is missing", async (t) => {
  const world = await makeRoot(t);
  const { ports, root, index } = await makeIndex(world);
  const [first] = index.rows;
  assert.ok(first !== undefined);
  const rows = Array.from({ length: 1_100 }, (_, at) => ({ ...first, name: `T-${at}` }));
  const figures = Float64Array.from({ length: 1_100 * stampLength(first.present) }, (_, at) => at + 0.25);
  const many = { ...index, rows, figures };
  writeIndex(root, many, ports);
  assert.deepEqual(readIndex(root.tasksRoot, ports), many);
  const bytes = readFileSync(indexOf(world));
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(indexOf(world), damaged);
    assert.equal(readIndex(root.tasksRoot, ports), null, `byte ${at}`);
    writeFileSync(indexOf(world), bytes.subarray(0, at));
    assert.equal(readIndex(root.tasksRoot, ports), null, `the first ${at} bytes`);
  }
  writeFileSync(indexOf(world), bytes);
  assert.ok(readIndex(root.tasksRoot, ports) !== null);
});

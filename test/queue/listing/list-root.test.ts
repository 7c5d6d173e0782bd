import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { readIndex } from "../../../lib/queue/listing/index-file.ts";
import { readConfig } from "../../../lib/queue/listing/kept-config.ts";
import { beginList, failPending, readPending, readTold, saveList } from "../../../lib/queue/listing/list-root.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import type { World } from "../../cli/arrange.ts";
import { makeRoot } from "./arrange.ts";

const kinds = ({ rows }: ReturnType<typeof beginList>) => rows.map(({ name, kind }) => `${name} ${kind}`);
const portsOf = (world: World) => ({ env: world.env, home: world.path("home") });

test("rows come back from the index as they were read", async (t) => {
  const world = await makeRoot(t);
  const ports = { env: world.env, home: world.path("home") };
  const list = beginList(world.path("repo/tasks"), {}, null);
  assert.deepEqual(
    list.rows.map(({ kind }) => kind),
    ["pending", "pending", "pending"],
  );
  readPending(list, {});
  assert.deepEqual(
    list.rows.map(({ kind }) => kind),
    ["read", "read", "read"],
  );
  const read = readConfig({ ...ports, configFlag: null, taskDir: world.path("repo/tasks/any") }, null);
  saveList(list, read, () => world.path("repo"), ports, false);
  const index = readIndex(world.path("repo/tasks"), ports);
  assert.deepEqual([index?.rows, index?.config, index?.defaults], [list.rows, read.kept, "{}"]);
  const others = beginList(world.path("repo/tasks"), { priority: 1 }, index);
  assert.deepEqual(
    others.rows.map(({ kind }) => kind),
    ["pending", "pending", "pending"],
  );
});

test("a row of the index counts as long as its files are as they were, and new folders are read", async (t) => {
  const world = await makeRoot(t);
  const root = world.path("repo/tasks");
  const ports = portsOf(world);
  const read = readConfig({ ...ports, configFlag: null, taskDir: `${root}/any` }, null);
  const first = beginList(root, {}, null);
  readPending(first, {});
  saveList(first, read, () => world.path("repo"), ports, false);
  const again = () => beginList(root, {}, readIndex(root, ports));
  assert.deepEqual(kinds(again()), ["T-1 read", "T-2 read", "T-3 read"]);
  rmSync(`${root}/T-1`, { recursive: true });
  world.write("repo/tasks/T-2/STATE.md", "other\n");
  world.write("repo/tasks/T-0/artifacts/journal.jsonl", "");
  assert.deepEqual(kinds(again()), ["T-0 pending", "T-2 pending", "T-3 read"]);
});

test("a task folder is a folder with a STATE.md or a journal, and does not begin with a dot", async (t) => {
  const world = await makeRoot(t);
  world.write("repo/tasks/.hidden/STATE.md", "");
  world.write("repo/tasks/notes/README.md", "");
  world.write("repo/tasks/file", "");
  symlinkSync("T-1", world.path("repo/tasks/linked"));
  mkdirSync(world.path("repo/tasks/T-4/STATE.md"), { recursive: true });
  const list = beginList(world.path("repo/tasks"), {}, null);
  assert.deepEqual(
    kinds(list),
    ["T-1", "T-2", "T-3", "T-4"].map((name) => `${name} pending`),
  );
});

test("a task that cannot be read says what its brief says, and is done if its journal says so", async (t) => {
  const world = await makeRoot(t);
  const root = world.path("repo/tasks");
  world.write("repo/tasks/T-2/STATE.md", "no state\n");
  world.write("repo/tasks/T-3/README.md", "no brief\n");
  const list = beginList(root, {}, null);
  readPending(list, {});
  const [, second, third] = list.rows;
  assert.ok(second?.kind === "failed" && third?.kind === "failed");
  assert.deepEqual(second.told, { id: "T-2", title: "Export", dependsOn: ["T-1"] });
  assert.deepEqual([second.needed?.id, second.needed?.dependsOn], ["T-2", ["T-1"]]);
  assert.deepEqual([third.told, third.needed, second.isDone(placeOf(`${root}/T-2`))], [null, null, false]);
  assert.equal(readTold(placeOf(`${root}/T-3`), {}), null);
});

test("if the configuration cannot be read, no task is, and what was read stays", async (t) => {
  const world = await makeRoot(t);
  const list = beginList(world.path("repo/tasks"), {}, null);
  const [first] = list.rows;
  assert.ok(first !== undefined);
  list.rows[0] = { ...first, kind: "failed", error: null, told: null, needed: null, isDone: () => true };
  const error = new Error("the configuration is wrong");
  failPending(list, error);
  assert.deepEqual(
    list.rows.map((row) => row.kind === "failed" && [row.error, row.isDone(placeOf("/x"))]),
    [
      [null, true],
      [error, false],
      [error, false],
    ],
  );
});

test("a few new rows among many are not worth a new index", async (t) => {
  const world = await makeRoot(t);
  const root = world.path("repo/tasks");
  const ports = portsOf(world);
  const config = {
    config: readConfig({ ...ports, configFlag: null, taskDir: `${root}/any` }, null).config,
    kept: null,
  };
  const keep = (rows: number, fresh: number) => {
    const list = beginList(root, {}, null);
    readPending(list, {});
    const [row] = list.rows;
    assert.ok(row !== undefined);
    list.rows.splice(0, 3, ...Array(rows).fill(row));
    list.stamps.splice(0, 3, ...Array(rows).fill(null).fill(~0, 0, fresh));
    saveList(list, config, () => world.path("repo"), ports, false);
    return readIndex(root, ports)?.rows.length;
  };
  assert.equal(keep(65, 0), undefined);
  assert.equal(keep(65, 1), undefined);
  assert.equal(keep(64, 1), 1);
});

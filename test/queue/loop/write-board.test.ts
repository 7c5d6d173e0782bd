import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeBoard } from "../../../lib/queue/loop/write-board.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { makeTaskWorld, portsOf } from "../../cli/task-world.ts";
import { isRoot } from "../../store/temporary-folder.ts";

async function make(t: TestContext) {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase: "shape" } });
  const root = `${task.folder}/tasks`;
  let now = new Date("2026-11-21T12:00:00.000Z");
  const ports = portsOf(world, () => now);
  const seen: (string | null)[] = [];
  return {
    ...{ root, task, seen },
    write: () => writeBoard(root, null, ports, ({ id }) => void seen.push(id)),
    read: (name: string) => world.read(join("cases/one/tasks", name)),
    later: () => {
      now = new Date(now.getTime() + 60_000);
    },
    refused: async () => {
      try {
        await writeBoard(root, null, ports);
      } catch (error) {
        assert.ok(error instanceof TaskPhaseError);
        return `${error.exitName} ${error.findings[0]?.code}: ${error.findings[0]?.message}`;
      }
      return assert.fail("it is written");
    },
  };
}

test("both files are written, and left as they are as long as they say the same", async (t) => {
  const { task, write, read, later, seen } = await make(t);
  const first = await write();
  assert.deepEqual([first.changed, first.tasks.map(({ id }) => id), seen], [true, ["T-1"], ["T-1"]]);
  assert.match(read("BOARD.md"), /2026-11-21T12:00:00/);
  const before = [read("BOARD.md"), read("index.html")];
  later();
  assert.equal((await write()).changed, false);
  assert.deepEqual([read("BOARD.md"), read("index.html")], before);
  task.write("README.md", task.read("README.md").replace("title: Export the answer", "title: Import it"));
  assert.equal((await write()).changed, true);
  assert.match(read("BOARD.md"), /2026-11-21T12:01:00/);
});

test("one file that is gone is written again", async (t) => {
  const { root, write, read } = await make(t);
  await write();
  rmSync(join(root, "index.html"));
  assert.equal((await write()).changed, true);
  assert.match(read("index.html"), /T-1/);
});

test("nothing is written if something else has the name of one of them", async (t) => {
  for (const [put, message] of [
    [
      (path: string) => writeFileSync(path, "mine\n"),
      "data TP_BOARD_FOREIGN: the board belongs here, but this file has no mark that task-phase board wrote it",
    ],
    [
      (path: string) => symlinkSync("/etc/hostname", path),
      "data TP_BOARD_PLACE: the board belongs here, but there is a link",
    ],
    [(path: string) => mkdirSync(path), "data TP_BOARD_PLACE: the board belongs here, but there is a folder"],
    [
      (path: string) => execFileSync("mkfifo", [path]),
      "data TP_BOARD_PLACE: the board belongs here, but there is a pipe, a socket or a device",
    ],
  ] as const) {
    const { root, refused } = await make(t);
    put(join(root, "index.html"));
    assert.equal(await refused(), message);
    assert.ok(!readdirSync(root).includes("BOARD.md"));
  }
});

test("a folder that cannot be written to is named", { skip: isRoot && "root may write everywhere" }, async (t) => {
  const { root, refused } = await make(t);
  chmodSync(root, 0o500);
  try {
    assert.match(await refused(), /^\w+ TP_DISK: the folder of the board cannot be written to/);
  } finally {
    chmodSync(root, 0o700);
  }
});

test("a secret of a brief is not on the board", async (t) => {
  const { task, write, read } = await make(t);
  task.write("README.md", task.read("README.md").replace("title: Export the answer", `title: ghp_${"a1B2".repeat(9)}`));
  await write();
  for (const name of ["BOARD.md", "index.html"]) assert.match(read(name), /redacted:github/);
});

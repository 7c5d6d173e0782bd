import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readIndex } from "../../../lib/queue/listing/index-file.ts";
import type { World } from "../../cli/arrange.ts";
import { stateFile } from "../../cli/task-states.ts";
import { adoptedJournal } from "../../cli/task-world.ts";
import { makeRoot, settledMs } from "./arrange.ts";

const folderOf = (world: World) => world.path("state", "task-phase", "lists");
const indexOf = (world: World) => path.join(folderOf(world), readdirSync(folderOf(world))[0] ?? "");

async function status(world: World): Promise<string> {
  const { code, stdout, stderr } = await world.run("task-phase", ["status", "--json", "--tasks-root", "repo/tasks"]);
  return `${code}\n${stdout}\n${stderr}`;
}

/** Bytes of the same number, and the time of the last change as it was. */
function rewrite(file: string, change: (text: string) => string): void {
  const { atime, mtime, size } = statSync(file);
  writeFileSync(file, change(readFileSync(file, "utf8")));
  utimesSync(file, atime, mtime);
  assert.equal(statSync(file).size, size);
}

test("an index that is deleted, damaged or of another root changes no answer", async (t) => {
  const world = await makeRoot(t);
  const first = await status(world);
  const bytes = readFileSync(indexOf(world));
  assert.equal(await status(world), first);
  assert.deepEqual(readFileSync(indexOf(world)), bytes, "the index was written again although nothing changed");
  const damages: Record<string, () => void> = {
    deleted: () => rmSync(indexOf(world)),
    empty: () => writeFileSync(indexOf(world), ""),
    torn: () => writeFileSync(indexOf(world), bytes.subarray(0, bytes.length / 2)),
    "of other words": () =>
      writeFileSync(indexOf(world), bytes.toString("latin1").replace('"intake"', '"verify"'), "latin1"),
    "no JSON": () => writeFileSync(indexOf(world), "x".repeat(500)),
    "a folder": () => {
      const index = indexOf(world);
      rmSync(index);
      mkdirSync(index);
    },
  };
  for (const [damage, doDamage] of Object.entries(damages)) {
    doDamage();
    assert.equal(await status(world), first, damage);
    rmSync(folderOf(world), { recursive: true });
    await status(world);
  }
});

test("with an index every answer is the one without it, for tasks of every kind", async (t) => {
  const world = await makeRoot(t);
  const brief = (id: string, more = "") =>
    `---\nid: ${id}\ntitle: Export\n${more}validators: [{ name: tests, command: [cat] }]\n---\n\n## What I want\n\nAn export.\n`;
  const add = (folder: string, readme: string, state: string) => {
    world.write(`repo/tasks/${folder}/README.md`, readme);
    world.write(`repo/tasks/${folder}/STATE.md`, state);
  };
  add("T-1-again", brief("T-1"), stateFile({ phase: "intake" }));
  add("T-4", brief("T-4", "depends_on: [T-5]\n"), stateFile({ phase: "intake" }));
  add("T-5", brief("T-5", "depends_on: [T-4]\n"), stateFile({ phase: "intake" }));
  add("T-6", brief("T-6", "depends_on: [T-99]\npriority: 3\n"), stateFile({ phase: "intake" }));
  add("T-7", brief("T-7"), "no state\n");
  add("T-8", "---\nid: [\n---\n", stateFile({ phase: "blocked" }));
  world.write("repo/tasks/T-9/STATE.md", stateFile({ phase: "intake" }));
  add("T-10", brief("T-10"), stateFile({ phase: "verify" }));
  add("T-11", brief("T-11"), stateFile({ phase: "verify" }));
  world.write("repo/tasks/T-10/artifacts/journal.jsonl", adoptedJournal(stateFile({ phase: "verify" }), brief("T-10")));
  world.write("repo/tasks/T-10/CONTROL.md", "PAUSE\n");
  world.write("repo/tasks/T-10/artifacts/evidence.html", "<p>\n");
  await sleep(settledMs);
  const answers = async (keepsIndex: boolean) => {
    const words = [["status"], ["status", "--json"], ["board", "--quiet"]];
    const ends = [];
    for (const some of words) {
      if (!keepsIndex) rmSync(folderOf(world), { recursive: true, force: true });
      const { code, stdout, stderr } = await world.run("task-phase", [...some, "--tasks-root", "repo/tasks"]);
      ends.push([code, stdout, stderr]);
    }
    // A board that shows the same is left as it is.
    return [...ends, world.read("repo/tasks/BOARD.md"), world.read("repo/tasks/index.html")];
  };
  const without = await answers(false);
  assert.ok(readIndex(world.path("repo/tasks"), { env: world.env, home: world.path("home") }) !== null);
  assert.deepEqual(await answers(true), without);
  assert.deepEqual(await answers(false), without);
});

test("an index that cannot be written changes no answer", async (t) => {
  const world = await makeRoot(t);
  const first = await status(world);
  rmSync(folderOf(world), { recursive: true });
  writeFileSync(folderOf(world), "a file in the place of the folder");
  assert.equal(await status(world), first);
});

test("a dry run writes no index, and none is written into the repo", async (t) => {
  const world = await makeRoot(t);
  await world.run("task-phase", ["run", "--dry-run", "--tasks-root", "repo/tasks"]);
  assert.equal(world.exists("state"), false);
  for (const folder of ["repo/tasks/state", "repo/state"]) {
    const env = { XDG_STATE_HOME: world.path(folder) };
    const { code } = await world.run("task-phase", ["status", "--tasks-root", "repo/tasks"], { env });
    assert.deepEqual([code, world.exists(folder)], [0, false]);
  }
});

test("what changed since the index was written is read again, also with the time and the size of before", async (t) => {
  const world = await makeRoot(t);
  const standing = async (folder: string) => {
    const { tasks } = JSON.parse((await status(world)).split("\n")[1] ?? "") as {
      tasks: { folder: string; phase: string; standing: string; title: string; waits_for: string[] }[];
    };
    const found = tasks.find((task) => task.folder.endsWith(folder));
    return found === undefined ? null : [found.phase, found.standing, found.title, found.waits_for.join()];
  };
  assert.deepEqual(await standing("T-2"), ["intake", "waits", "Export", "T-1"]);
  rewrite(world.path("repo/tasks/T-2/README.md"), (text) => text.replace("Export", "Import"));
  assert.deepEqual(await standing("T-2"), ["intake", "waits", "Import", "T-1"]);
  rewrite(world.path("repo/tasks/T-2/STATE.md"), (text) => text.replace("Phase: intake", "Phase: verify"));
  assert.deepEqual(await standing("T-2"), ["verify", "unreadable", "Import", "T-1"]);
  rewrite(world.path("repo/tasks/T-2/STATE.md"), (text) => text.replace("Phase: verify", "Phase: intake"));
  await sleep(settledMs);
  await status(world);
  world.write("repo/tasks/T-2/CONTROL.md", "PAUSE\n");
  rewrite(world.path("repo/tasks/T-2/README.md"), (text) => text.replace("[T-1]", "[T-9]"));
  assert.deepEqual((await standing("T-2"))?.[1], "waits");
  rewrite(world.path("repo/tasks/T-2/README.md"), (text) => text.replace("depends_on: [T-9]", "#                "));
  assert.deepEqual((await standing("T-2"))?.[1], "paused");
  await sleep(settledMs);
  await status(world);
  rmSync(world.path("repo/tasks/T-2/CONTROL.md"));
  assert.deepEqual((await standing("T-2"))?.[1], "runnable");
  world.write("repo/tasks/T-2/EVIDENCE.md", "<!-- task-phase:begin status -->\n");
  assert.deepEqual((await standing("T-2"))?.[1], "unreadable");
  rmSync(world.path("repo/tasks/T-2"), { recursive: true });
  assert.equal(await standing("T-2"), null);
});

test("the configuration's defaults count as they are now", async (t) => {
  const world = await makeRoot(t);
  const priority = async () => /"priority":(\d+)/.exec(await status(world))?.[1];
  assert.equal(await priority(), "0");
  const config = world.read("repo/tasks/task-phase.yaml");
  world.write("repo/tasks/task-phase.yaml", `${config}defaults: { priority: 7 }\n`);
  assert.equal(await priority(), "7");
});

test("an index of another folder with the same tasks says nothing here", async (t) => {
  const world = await makeRoot(t);
  await status(world);
  const index = indexOf(world);
  const lies = readFileSync(index);
  cpSync(world.path("repo/tasks"), world.path("other"), { recursive: true });
  rmSync(world.path("repo/tasks"), { recursive: true });
  cpSync(world.path("other"), world.path("repo/tasks"), { recursive: true });
  rewrite(world.path("repo/tasks/T-1/STATE.md"), (text) => text.replace("Phase: intake", "Phase: verify"));
  await sleep(settledMs);
  writeFileSync(index, lies);
  assert.match(await status(world), /"task":"T-1","title":"Export","folder":"[^"]*","priority":0,"phase":"verify"/);
});

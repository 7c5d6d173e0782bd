import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Guard } from "../../../lib/task/guard/guard.ts";
import { withoutOthersNotes } from "../../../lib/task/guard/guard-runtime.ts";
import { guardedPaths } from "../../../lib/task/guarded-paths.ts";
import { lockRuntime, type RuntimeFiles } from "../../../lib/task/runtime-files.ts";
import { runtimeOf } from "../../../lib/task/runtime-place.ts";
import { type GuardedTask, guardTask, told } from "./arrange.ts";

const cooldowns = "tasks/.task-phase/cooldowns.json";
const changelog = "tasks/.task-phase/changelog";

function arrange(t: Parameters<typeof guardTask>[0]): { task: GuardedTask; guard: Guard; files: RuntimeFiles } {
  const task = guardTask(t);
  chmodSync(join(task.folder, cooldowns), 0o644);
  return { task, guard: task.begin(), files: runtimeOf(task.place, task.ports) };
}

/** The truth as another runner has written it. */
function truth({ own }: RuntimeFiles, name: string, text: string): void {
  mkdirSync(dirname(join(own, name)), { recursive: true, mode: 0o700 });
  writeFileSync(join(own, name), text, { mode: 0o600 });
}

const config = (name: string, change: string) => `tampering|tasks/.task-phase/${name}|${change}|config|model`;

test("before there are notes, what the pass began with is put back", (t) => {
  const { task, guard } = arrange(t);
  task.put(cooldowns, "mine\n");
  assert.deepEqual(told(guard), [config("cooldowns.json", "changed")]);
  assert.equal(task.read(cooldowns), "{}\n");
});

test("notes as another runner wrote them are its work; anything else becomes what that runner wrote", (t) => {
  const { task, guard, files } = arrange(t);
  truth(files, "cooldowns.json", "newer\n");
  task.put(cooldowns, "newer\n");
  assert.deepEqual(told(guard), []);
  task.put(cooldowns, "mine\n");
  assert.deepEqual(told(guard), [config("cooldowns.json", "changed")]);
  assert.equal(task.read(cooldowns), "newer\n");
  task.remove(cooldowns);
  assert.deepEqual(told(guard), [config("cooldowns.json", "removed")]);
  assert.equal(task.read(cooldowns), "newer\n");
  chmodSync(join(task.folder, cooldowns), 0o777);
  assert.deepEqual(told(guard), [config("cooldowns.json", "changed")]);
  assert.deepEqual(told(guard), []);
});

test("notes that no runner has are removed, and those that every runner took away are gone for good", (t) => {
  const { task, guard, files } = arrange(t);
  truth(files, "state.json", "{}\n");
  task.remove(cooldowns);
  assert.deepEqual(told(guard), []);
  task.put(cooldowns, "mine\n");
  assert.deepEqual(told(guard), [config("cooldowns.json", "changed")]);
  assert.equal(task.read(cooldowns), null);
});

for (const [what, folder] of [
  ["changelog", "changelog"],
  ["report of the loop", "runs"],
] as const) {
  test(`a new ${what} of another runner stays, one of the pass goes`, (t) => {
    const { task, guard, files } = arrange(t);
    const at = (name: string) => `tasks/.task-phase/${folder}/${name}`;
    truth(files, `${folder}/mine.md`, "a pass\n");
    task.put(at("mine.md"), "a pass\n");
    assert.deepEqual(told(guard), []);
    task.put(at("forged.md"), "forged\n");
    task.put(at("mine.md"), "forged\n");
    assert.deepEqual(told(guard), [config(`${folder}/forged.md`, "added"), config(`${folder}/mine.md`, "added")]);
    assert.deepEqual([task.read(at("forged.md")), task.read(at("mine.md"))], [null, "a pass\n"]);
  });
}

test("an existing file that is not a note is restored", (t) => {
  const { task, files } = arrange(t);
  const name = "tasks/.task-phase/readme.txt";
  mkdirSync(files.own, { recursive: true, mode: 0o700 });
  task.put(name, "a person's\n");
  const guard = task.begin();
  task.put(name, "forged\n");
  assert.deepEqual(told(guard), [config("readme.txt", "changed")]);
  assert.equal(task.read(name), "a person's\n");
});

test("a folder of changelogs that no runner has, a link in its place, and a file that is no note are the pass's", (t) => {
  const { task, guard, files } = arrange(t);
  mkdirSync(files.own, { recursive: true, mode: 0o700 });
  mkdirSync(join(task.folder, changelog));
  task.put("tasks/.task-phase/mine.txt", "mine\n");
  assert.deepEqual(told(guard), [config("changelog", "added"), config("mine.txt", "added")]);
  mkdirSync(join(files.own, "changelog"));
  symlinkSync("/", join(task.folder, changelog));
  assert.deepEqual(told(guard), [config("changelog", "added")]);
  assert.deepEqual([task.read(changelog), task.read("tasks/.task-phase/mine.txt")], [null, null]);
});

test("a file that another runner was writing at that moment is no change of the pass", (t) => {
  const { task, guard, files } = arrange(t);
  mkdirSync(files.own, { recursive: true, mode: 0o700 });
  const { place, anchor, current, ports } = guard;
  task.put("tasks/.task-phase/.tp-0123456789abcdef.tmp", "half");
  task.put("tasks/.task-phase/gone.txt", "for a moment");
  task.put("tasks/T-1/README.md", "forged\n");
  const paths = guardedPaths(place, current.config_paths, current.repo);
  const seen = anchor.store.compare(current.manifest, paths);
  task.remove("tasks/.task-phase/gone.txt");
  let free: boolean | null = null;
  const kept = withoutOthersNotes({ place, anchor, ports }, seen, (changes) => {
    free = lockPathIsFree(files);
    return changes.map(({ path }) => path);
  });
  assert.equal(seen.length, 3);
  assert.deepEqual(kept, [place.readme]);
  assert.equal(free, false, "nobody else writes while the changes are put back");
  assert.equal(lockPathIsFree(files), true);
});

function lockPathIsFree(files: RuntimeFiles): boolean {
  const now = performance.now;
  let hours = 0;
  performance.now = () => {
    hours += 1;
    return hours * 3_600_000;
  };
  try {
    const lock = lockRuntime(files);
    lock?.release();
    return lock !== null;
  } finally {
    performance.now = now;
  }
}

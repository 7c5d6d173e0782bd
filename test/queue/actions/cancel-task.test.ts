import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readRow } from "../../../lib/process/proc-table.ts";
import { containment } from "../../../lib/process/survivors.ts";
import { type CancelResult, cancelTask, holdCancelled } from "../../../lib/queue/actions/cancel-task.ts";
import { tryLock } from "../../../lib/store/lock.ts";
import { anchorFolder } from "../../../lib/task/records/anchor.ts";
import { findRunner, recordRunner } from "../../../lib/task/records/records.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { endChildrenAfter } from "../../cli/end-children.ts";
import { holdTask } from "../../pass/verdict/arrange.ts";

const noProc = containment() === "proc" ? false : "this system has no /proc";

interface World {
  readonly place: ReturnType<typeof placeOf>;
  readonly anchor: string;
  readonly lock: string;
  cancel(waitMs: number, graceMs?: number): Promise<CancelResult>;
  control(): string | null;
  /** A process that notes itself as the runner, takes the lock, and ends as this code says. */
  runner(how: string): Promise<ChildProcess>;
}

function makeWorld(t: TestContext): World {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "task-phase-test-")));
  const children = endChildrenAfter(t);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const place = placeOf(join(folder, "tasks", "T-1"));
  mkdirSync(place.taskDir, { recursive: true });
  mkdirSync(join(place.runtime, "locks"), { recursive: true });
  const ports = {
    env: { XDG_STATE_HOME: join(folder, "state") },
    home: folder,
    now: () => new Date("2026-11-21T12:00:00.000Z"),
    sleep: (ms: number) => sleep(Math.min(ms, 20)),
    tell: () => undefined,
  };
  const anchor = anchorFolder(place.taskDir, ports);
  const lock = join(place.runtime, "locks", "T-1.lock");
  return {
    place,
    anchor,
    lock,
    cancel: (waitMs, graceMs = 300) => cancelTask(place, { waitMs, graceMs }, ports),
    control: () => {
      try {
        return readFileSync(place.control, "utf8");
      } catch {
        return null;
      }
    },
    async runner(how) {
      const module = (name: string) => JSON.stringify(new URL(`../../../lib/${name}.js`, import.meta.url).href);
      const code = `
        import { spawn } from "node:child_process";
        import { readFileSync } from "node:fs";
        import { recordRunner } from ${module("task/records/records")};
        import { tryLock } from ${module("store/lock")};
        recordRunner(${JSON.stringify(anchor)});
        tryLock(${JSON.stringify(lock)});
        const control = ${JSON.stringify(place.control)};
        ${how}
        console.log("ready");
        setInterval(() => {}, 1000);`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      children.watch(child);
      await new Promise((resolve) => child.stdout.once("data", resolve));
      return child;
    },
  };
}

const ticked = (note: string) => `# Control\n\n- [x] ABORT (task-phase cancel 2026-11-21T12:00:00.000Z) (${note})\n`;
const open = "# Control\n\n- [ ] ABORT (task-phase cancel 2026-11-21T12:00:00.000Z)\n";

test("where nothing runs, nothing is written", async (t) => {
  const world = makeWorld(t);
  const { outcome, exitName } = await world.cancel(1_000);
  assert.deepEqual([outcome, exitName, world.control()], ["idle", "ok", null]);
});

test("a note of a process that has ended, or whose number another one has now, is nobody's", async (t) => {
  const world = makeWorld(t);
  recordRunner(world.anchor);
  const file = join(world.anchor, "runner.json");
  const own = JSON.parse(readFileSync(file, "utf8"));
  assert.equal(findRunner(world.anchor)?.pid, process.pid);
  for (const other of [{ ...own, startTime: "1" }, { ...own, bootId: "another" }, { pid: "x" }]) {
    writeFileSync(file, JSON.stringify(other));
    assert.equal(findRunner(world.anchor), null);
  }
  assert.equal((await world.cancel(1_000)).outcome, "idle");
});

test("a note inside one of the same process goes with the outer one", (t) => {
  const world = makeWorld(t);
  const outer = recordRunner(world.anchor);
  recordRunner(world.anchor).forget();
  assert.equal(findRunner(world.anchor)?.pid, process.pid);
  outer.forget();
  assert.equal(findRunner(world.anchor), null);
});

test("a runner that obeys ABORT is waited for", { skip: noProc }, async (t) => {
  const world = makeWorld(t);
  await world.runner(`setInterval(() => {
    try { if (readFileSync(control, "utf8").includes("[ ] ABORT")) process.exit(0); } catch {}
  }, 20);`);
  const { outcome, exitName } = await world.cancel(60_000);
  assert.deepEqual([outcome, exitName, world.control()], ["stopped", "ok", ticked("done 2026-11-21T12:00:00.000Z")]);
});

test("one that does not obey is ended with what it started, and no ABORT is left", { skip: noProc }, async (t) => {
  const world = makeWorld(t);
  const child = await world.runner(`
    process.on("SIGTERM", () => {});
    const inner = spawn("sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { detached: true, stdio: "ignore" });
    (await import("node:fs")).writeFileSync(control + ".pid", String(inner.pid));`);
  const gone = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  const inner = Number(readFileSync(`${world.place.control}.pid`, "utf8"));
  const { outcome, exitName } = await world.cancel(200);
  assert.deepEqual([outcome, exitName, await gone], ["ended", "ok", "SIGKILL"]);
  assert.equal(world.control(), ticked("done 2026-11-21T12:00:00.000Z"));
  assert.equal(readRow(inner)?.ended ?? true, true);
});

test("one that ends on a signal is not killed, and a person's own ABORT stays", { skip: noProc }, async (t) => {
  const world = makeWorld(t);
  writeFileSync(world.place.control, "- [ ] ABORT mine\n");
  const child = await world.runner(`process.on("SIGTERM", () => process.exit(7));`);
  const gone = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  assert.deepEqual([(await world.cancel(200, 60_000)).outcome, await gone], ["ended", 7]);
  assert.equal(world.control(), "- [ ] ABORT mine\n");
});

test("where CONTROL.md takes no ABORT, the processes are ended at once", { skip: noProc }, async (t) => {
  const world = makeWorld(t);
  mkdirSync(world.place.control);
  await world.runner(`process.on("SIGTERM", () => process.exit(0));`);
  assert.equal((await world.cancel(60_000)).outcome, "ended");
});

test("a runner of another user or machine can only be asked", async (t) => {
  const world = makeWorld(t);
  const lock = tryLock(world.lock);
  const { outcome, exitName, reason } = await world.cancel(200);
  assert.deepEqual([outcome, exitName, world.control()], ["left", "locked", open]);
  assert.match(reason, /no process of this user on this machine.*ABORT is still in CONTROL\.md/);
  lock?.release();
});

test("nobody ends the runner that it descends from", { skip: noProc }, async (t) => {
  const world = makeWorld(t);
  const note = recordRunner(world.anchor);
  const { outcome, reason } = await world.cancel(200);
  assert.equal(outcome, "left");
  assert.match(reason, /it did not end/);
  note.forget();
});

test("a task that is cancelled already gets the pages that a killed call did not write", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const cancel = async () => (await holdCancelled(session.place, null, session.ports)).held;
  assert.equal(await cancel(), true);
  const [page, known] = [task.read("EVIDENCE.md"), task.events().length];
  task.write("EVIDENCE.md", page.replaceAll("cancelled", "running"));
  assert.equal(await cancel(), true);
  assert.deepEqual([task.read("EVIDENCE.md"), task.events().length], [page, known]);
});

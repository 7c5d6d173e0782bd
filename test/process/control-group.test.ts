import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { canGroup } from "../../lib/process/control-group.ts";
import { sweepGroups } from "../../lib/process/temporary-folder.ts";
import { blockUntil, makeFolder, run } from "./arrange.ts";

const skip = canGroup() ? {} : { skip: "this user may make no control group here" };

const own = readFileSync("/proc/self/cgroup", "utf8");
const mount = readFileSync("/proc/self/mounts", "utf8")
  .split("\n")
  .find((line) => line.split(" ")[2] === "cgroup2");
/** The group that this process stands in. */
const parent = join(mount?.split(" ")[1] ?? "/nowhere", /^0::(.*)$/m.exec(own)?.[1] ?? "");
const groupsNamed = (wanted: (name: string) => boolean) => readdirSync(parent).filter(wanted).sort();

test("the runner stays in its own group, and no group is left behind", skip, async (t) => {
  const folder = makeFolder(t);
  const { end, stdout } = await run(folder, ["cat", "/proc/self/cgroup"]);
  assert.equal(end.exitCode, 0);
  assert.match(stdout, /^0::.*\/task-phase-keepalive-/m);
  assert.equal(readFileSync("/proc/self/cgroup", "utf8"), own);
  const [note = ""] = readdirSync(folder).filter((name) => name.startsWith("group-"));
  const group = readFileSync(join(folder, note), "utf8").trim();
  assert.throws(() => readdirSync(group), /ENOENT/);
});

test("a program that cannot be started leaves no group behind", skip, async (t) => {
  const folder = makeFolder(t);
  const own = (): string[] => groupsNamed((name) => name.includes(`-${process.pid}-`));
  const before = own();
  assert.equal((await run(folder, ["no-such-program"])).end.kind, "not_started");
  assert.deepEqual(
    own().filter((name) => !before.includes(name)),
    [],
  );
});

test("an empty group of a runner that is gone is swept, and no other", skip, async (t) => {
  // The runner ends when all is made: others that run now sweep too.
  const [runner, child] = [1, 2].map(() => spawn("sleep", ["30"], { stdio: "ignore" }));
  assert(runner !== undefined && child !== undefined);
  t.after(() => [runner, child].map((one) => one.kill("SIGKILL")));
  const names = [runner.pid, process.pid, runner.pid].map(
    (pid, index) => `task-phase-keepalive-sweep${process.pid}-${pid}-9${index}`,
  );
  const folders = names.map((name) => join(parent, name));
  for (const folder of folders) mkdirSync(folder);
  writeFileSync(join(folders[2] ?? "", "cgroup.procs"), String(child.pid));
  mkdirSync(join(folders[0] ?? "", "inner"));
  runner.kill("SIGKILL");
  await once(runner, "exit");
  sweepGroups();
  assert.deepEqual(
    groupsNamed((name) => names.includes(name)),
    names.slice(1).sort(),
  );
  writeFileSync(join(parent, "cgroup.procs"), String(child.pid));
  for (const folder of folders.slice(1)) rmdirSync(folder);
});

test("a program that ends by a signal, or is asked to end, is reported as it is without a group", skip, async (t) => {
  const killed = await run(makeFolder(t), ["sh", "-c", "kill -9 $$"]);
  assert.deepEqual([killed.end.kind, killed.end.signal], ["exited", "SIGKILL"]);
  const folder = makeFolder(t);
  const asked = await run(folder, ["sh", "-c", "trap 'echo heard; exit 7' TERM; : > ready; sleep 60 & wait"], {
    timeoutMs: 300,
    graceMs: 10_000,
    onStart: () => blockUntil(() => existsSync(join(folder, "ready"))),
  });
  assert.deepEqual([asked.end.kind, asked.end.exitCode, asked.stdout], ["timed_out", 7, "heard\n"]);
});

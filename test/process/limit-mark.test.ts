import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { carriesLimit, chooseLimit, readLimits, takeLimit } from "../../lib/process/limit-mark.ts";
import { childMark, createMark, openKeepalive } from "../../lib/process/mark.ts";
import { killChild, spawnPiped } from "../../lib/process/spawn-child.ts";
import { endSurvivors } from "../../lib/process/survivors.ts";
import { lives, makeFolder, plainEnv } from "./arrange.ts";

const supported = existsSync("/proc/self/limits") && spawnSync("prlimit", ["--version"]).status === 0;
const skip = supported ? false : "no prlimit here";

/** Forks twice at once, in a new session, with an empty environment; says its number. */
const daemon = "setsid sh -c 'echo $$; exec sleep 60 >/dev/null 2>&1' & exit 0";

function startDaemon(): number {
  return Number(execFileSync("env", ["-i", "setsid", "sh", "-c", daemon], { env: plainEnv, encoding: "utf8" }));
}

test("a daemon without environment, descriptor and parent is known by its limit, and ended", { skip }, async (t) => {
  const mark = createMark(makeFolder(t));
  takeLimit(mark);
  const pid = startDaemon();
  assert.equal(carriesLimit(pid, readLimits(mark)), true);
  assert.deepEqual(
    (await endSurvivors(mark, [], 200)).map((one) => one.pid),
    [pid],
  );
  assert.equal(lives(pid), false);
});

test("processes started before, and the runner's own tools, are not ended", { skip }, async (t) => {
  const mark = createMark(makeFolder(t));
  const before = startDaemon();
  t.after(() => process.kill(before, "SIGKILL"));
  takeLimit(mark);
  const argv = ["sh", "-c", "sleep 60 & echo $!; wait"] as const;
  const tool = spawnPiped({ argv, cwd: "/", env: plainEnv });
  t.after(() => killChild(tool));
  const [said] = await once(tool.stdout, "data");
  const inner = Number(said);
  const limits = readLimits(mark);
  assert.equal(carriesLimit(before, limits), false);
  assert.equal(carriesLimit(inner, limits), true);
  assert.deepEqual(await endSurvivors(mark, [], 50), []);
  assert.equal(lives(inner), true);
});

test("a mark knows the limits of its children, a child only its own, and numbers only fall", { skip }, (t) => {
  const mark = createMark(makeFolder(t));
  const children = ["one", "two"].map((word) => childMark(mark, word));
  const all = [mark, ...children].map((each) => {
    openKeepalive(each);
    takeLimit(each);
    return [...readLimits(each)].map(BigInt);
  });
  assert.deepEqual(
    all.map((limits) => limits.length),
    [1, 1, 1],
  );
  const given = all.flat();
  assert.deepEqual(
    given,
    given.toSorted((a, b) => (a > b ? -1 : 1)),
  );
  assert.deepEqual(new Set([...readLimits(mark)].map(BigInt)), new Set(given));
});

test("a mark whose folder is gone knows no limit", (t) => {
  const gone = { id: "none", keepalivePath: "/nowhere/keepalive" };
  assert.equal(readLimits(gone).size, 0);
  assert.equal(carriesLimit(process.pid, readLimits(gone)), false);
  assert.equal(carriesLimit(process.pid, new Set(["1"]), makeFolder(t)), false);
});

test("no number of a start is one that another runner gave out", () => {
  const now = Date.UTC(2026, 10, 23);
  const met = new Map<bigint, string>();
  const meet = (number: bigint, whose: string): void => {
    assert.equal(met.get(number), undefined, `${whose} has ${number}, as ${met.get(number)}`);
    met.set(number, whose);
  };
  // Neighbours in the same milliseconds: as cron starts them, and as a machine with few processes numbers them.
  for (const pid of [99, 100, 101, 2 ** 20 + 100, 2 ** 22 - 1])
    for (const ms of [0, 1, 2, 3]) {
      const limit = chooseLimit("unlimited", now + ms, pid, 1);
      assert(limit !== null);
      meet(limit, `a start of ${pid} after ${ms} ms`);
    }
});

test("a runner and those that it started share no number, even if the clock was set back", () => {
  const now = Date.UTC(2026, 10, 23);
  const [one, two] = [chooseLimit("unlimited", now, 100, 1), chooseLimit("unlimited", now, 101, 1)];
  assert(one !== null && two !== null);
  const kept = one;
  const earlier = now - 60_000;
  const own = chooseLimit(String(kept), earlier, 100, 5);
  const inner = chooseLimit(String(kept), earlier, 200, 6);
  assert(own !== null && inner !== null);
  assert(own < kept && inner < kept, "only a privileged process can raise it again");
  assert.notEqual(own, inner);
  assert.equal(chooseLimit(String(2n ** 50n), now, 100, 1), null, "none is left");
});

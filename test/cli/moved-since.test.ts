import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { makeLoopWorld } from "./loop-world.ts";

type Task = Readonly<Record<"task" | "standing" | "why" | "moved_since", unknown>>;

test("a done task says how the code moved since, with its paths where they are known", async (t) => {
  const world = await makeLoopWorld(t, { A: {} });
  assert.equal((await world.loop()).exit_code, 0);
  const look = async () => {
    const { tasks } = await world.status();
    return (tasks as readonly Task[]).map(({ standing, why, moved_since: moved }) => [standing, why, moved]);
  };
  const [first] = await look();
  assert.deepEqual([first?.[0], first?.[2]], ["done", null]);
  const rests = String(first?.[1]);
  world.write("repos/A/new.txt", "new\n");
  const [moved] = await look();
  assert.deepEqual(moved, ["done", `moved since: 1 path; ${rests}`, { paths: 1, reason: null }]);
  const place = ["--task-dir", world.path("tasks/A")];
  const check = (await world.call("task-phase", ["check", ...place, "--json"])).json();
  assert.deepEqual(
    [
      check.exit_code,
      (check.findings as { code: string; message: string }[]).map(({ code, message }) => [code, message]),
    ],
    [0, [["TP_MOVED_SINCE", "done, moved since: 1 path"]]],
  );
  assert.equal((await world.call("task-phase", ["evidence", ...place])).code, 0);
  assert.match(world.read("tasks/A/EVIDENCE.md"), /\*\*Done, moved since: 1 path\. /);
  assert.equal((await world.call("task-phase", ["board", "--tasks-root", world.tasks])).code, 0);
  assert.match(world.read("tasks/BOARD.md"), /moved since: 1 path; /);
  // As on another machine.
  rmSync(world.path("state"), { recursive: true, force: true });
  const [elsewhere] = await look();
  assert.match(String(elsewhere?.[1]), /^moved since \(only the machine that did the work knows which paths\); /);
  rmSync(world.path("repos/A/new.txt"));
  assert.deepEqual((await look())[0], ["done", rests, null]);
});

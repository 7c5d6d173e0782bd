import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { assertReachesDone, assertRecovered, type CrashWorld, lookAtTask, makeCrashWorld } from "./crash-world.ts";

const ways = {
  nothing: "at once",
  journal: "after it cut the journal",
  forges: "after it forged what the runner writes",
  state: "after it removed STATE.md",
  deletes: "after it removed the task folder",
} as const;

test("an agent that kills the runner gains nothing, and what it left running is ended", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  world.keep();
  const before = lookAtTask(world);
  for (const [how, when] of Object.entries(ways)) {
    await t.test(when, async () => {
      world.reset();
      const end = await world.start("kills-at-once", { env: { AGENT_HOW: how } });
      assert.equal(end.signal, "SIGKILL");
      await assertRecovered(world, before, ["interrupted"]);
      for (const name of ["SUMMARY.md", "artifacts/passes/0002/validators"]) {
        assert(!world.exists(`tasks/T-1/${name}`), name);
      }
    });
  }
  await world.until("implement");
});

test("a hook of git that an agent added before it killed the runner is named", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  const end = await world.start("kills-at-once", { env: { AGENT_HOW: "hook" } });
  assert.equal(end.signal, "SIGKILL");
  const next = await world.run("task-phase-run", ["--tasks-root", world.path("tasks"), "--model", "honest"]);
  assert.equal(next.code, 0, next.stderr);
  assert.match(next.stderr, /hooks of git changed since the pass began: \.git\/hooks\/pre-push \[TP_INTERRUPTED\]/);
  const [cutOff, after] = world
    .journal()
    .filter(({ type }) => type === "verdict")
    .slice(-2);
  const told = ["settings or hooks of git changed since the pass began: .git/hooks/pre-push"];
  assert.deepEqual([cutOff?.verdict, cutOff?.git_warnings, after?.git_warnings], ["interrupted", told, undefined]);
});

test("a tasks root is searched for cut-off tasks too, whatever is left of their files", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  for (const how of ["state", "journal"]) {
    const end = await world.start("kills-at-once", { env: { AGENT_HOW: how } });
    assert.equal(end.signal, "SIGKILL");
    const next = await world.run("task-phase-run", [
      "--tasks-root",
      world.path("tasks"),
      "--model",
      "honest",
      "--json",
    ]);
    assert.equal(next.code, 0, next.stdout);
    assert.equal(next.json().task, "T-1");
  }
});

test("a check that kills the runner gains nothing", async (t) => {
  const world = await makeCrashWorld(t);
  for (const phase of ["implement", "verify"]) {
    await world.until(phase);
    const before = lookAtTask(world);
    const end = await world.start("honest", { env: { CHECK_KILLS: "1" } });
    assert.equal(end.signal, "SIGKILL");
    await assertRecovered(world, before, ["interrupted"]);
  }
  await assertReachesDone(world);
});

test("what changed while a verdict waited to be carried out makes way for it, and is kept", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("review");
  const before = lookAtTask(world);
  await killBefore(world, /^renameSync .*\/STATE\.md$/);
  const journal = world.path("tasks/T-1/artifacts/journal.jsonl");
  writeFileSync(journal, readFileSync(journal, "utf8").slice(0, 100));
  world.write("tasks/T-1/STATE.md", `${before.state}\nA note of mine.\n`);
  await assertRecovered(world, before, ["accepted"]);
  assert.match(world.state(), /^- Phase: done$/m);
  const pass = String(world.journal().at(-1)?.pass).padStart(4, "0");
  assert.match(world.read(`tasks/T-1/artifacts/passes/${pass}/kept/STATE.md`), /A note of mine/);
});

test("a journal that somebody went on with is not cut for an event that waits", async (t) => {
  const world = await makeCrashWorld(t);
  // Two calls earlier: the runs need not make the very same calls.
  await killBefore(world, /^renameSync .*\/accepted\.json$/, "first", 2);
  const journal = "tasks/T-1/artifacts/journal.jsonl";
  const other = `${world.read(journal)}{"seq":2}\n`;
  world.write(journal, other);
  const end = await world.inside("run", ["--model", "honest"]);
  assert.equal(end.code, 65, end.output);
  assert.match(end.output, /TP_JOURNAL_(?:BROKEN|EVENT)/);
  assert.equal(world.read(journal), other);
});

test("an edit of STATE.md made after a run was cut off in its first checks is kept", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("implement");
  const before = lookAtTask(world);
  const end = await world.start("honest", { env: { CHECK_KILLS: "1" } });
  assert.equal(end.signal, "SIGKILL");
  world.write("tasks/T-1/STATE.md", `${before.state}\nA note of mine.\n`);
  world.write("tasks/T-1/README.md", `${world.read("tasks/T-1/README.md")}\nA wish of mine.\n`);
  await assertRecovered(world, before, []);
  assert.match(readKept(world), /A note of mine/);
  assert.match(readKept(world, "kept/README.md"), /A wish of mine/);
});

/** Kills an honest run before the first or the last call of it that looks like this. */
async function killBefore(
  world: CrashWorld,
  call: RegExp,
  which: "first" | "last" = "last",
  earlier = 0,
): Promise<void> {
  world.keep();
  // What was copied back is read anew, which takes calls of its own: so both runs begin with a copy.
  world.reset();
  const calls = await world.count("honest");
  world.reset();
  const find = (line: string) => call.test(line);
  const at = (which === "first" ? calls.findIndex(find) : calls.findLastIndex(find)) + 1 - earlier;
  assert(at > 0, "no such call");
  const end = await world.start("honest", { moment: { at, half: false } });
  assert.equal(end.signal, "SIGKILL");
}

function readKept(world: CrashWorld, name = "STATE.md"): string {
  const events = world.journal();
  const folder = String(events.length).padStart(4, "0");
  return world.read(path.join("tasks/T-1/artifacts/passes/recovered", folder, name));
}

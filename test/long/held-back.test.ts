import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { decisionsFile, eventsAt, fieldOf, stateFile } from "../cli/task-states.ts";
import { makeTaskWorld, type TaskCase, validator } from "../cli/task-world.ts";

const status = (task: TaskCase) => fieldOf(task.state(), "Status") ?? "";
/** The first lines of EVIDENCE.md that say something. */
const said = (task: TaskCase) =>
  task
    .read("EVIDENCE.md")
    .split("\n")
    .filter((line) => /^> [^[]/.test(line))
    .join(" ");
const nothing = "validators: [{ name: tests, command: [nosuch, test] }]";

test("the files of a task say what keeps it from its next pass, until one begins", async (t) => {
  const world = makeTaskWorld(t);
  const board = async (task: TaskCase) => {
    const root = path.join(task.folder, "tasks");
    assert.equal((await world.call("task-phase", ["board", "--tasks-root", root])).code, 0);
    return world.read(path.relative(world.folder, path.join(root, "BOARD.md")));
  };

  await t.test("a task that is refused, each time: by a missing program, and without a journal too", async () => {
    for (const events of [null, undefined]) {
      const phase = events === null ? "intake" : "implement";
      const task = await world.makeTask(`refused-${phase}`, {
        state: { phase, fields: { Status: "new" } },
        contract: [nothing],
        events: events ?? ((place) => eventsAt(phase, place)),
        ...(events === null ? { events } : {}),
      });
      assert.equal((await task.run("--json")).code, 78);
      assert.equal(status(task), "refused: the command of tests is not an executable: nosuch");
      assert.match(said(task), /Refused: the command .* nosuch.*No pass begins .*\(TP_CHECK_MISSING\); install it/);
      assert.match(await board(task), /## Needs a person.*· refused/s);
      const [state, evidence] = [task.state(), task.read("EVIDENCE.md")];
      assert.equal((await task.run("--json")).code, 78);
      assert.deepEqual([task.state(), task.read("EVIDENCE.md")], [state, evidence], "said once");
      const told = (await task.command("status", "--json")).json();
      assert.deepEqual([told.standing, told.who], ["refused", "person"]);
      task.write("README.md", task.read("README.md").replace("nosuch, test", "test, -d, ."));
      task.propose({ task: { "artifacts/more.md": "more\n" } });
      const report = await task.pass();
      assert.equal(report.verdict, "accepted", report.reason);
      assert.equal(status(task), "in progress");
      assert.doesNotMatch(said(task), /[Rr]efused/);
      assert.equal((await task.command("check", "--json")).code, 0);
    }
  });

  await t.test("a wrong task-phase.yaml", async () => {
    const task = await world.makeTask("config", { state: { phase: "verify" }, events: (at) => eventsAt("verify", at) });
    const file = path.join(task.folder, "tasks", "task-phase.yaml");
    writeFileSync(file, `${world.read(path.relative(world.folder, file))}chekpoint: commit\n`);
    assert.equal((await task.run()).code, 78);
    assert.match(status(task), /^refused: .*chekpoint/);
    assert.match(said(task), /Refused: .*chekpoint.*did you mean/);
  });

  await t.test("PAUSE, then ABORT, before and during a pass, and an open dependency", async () => {
    const task = await world.makeTask("control", {
      state: { phase: "implement" },
      events: (at) => eventsAt("implement", at),
      contract: [validator, "depends_on: [T-0]"],
    });
    const other = path.relative(world.folder, path.join(task.folder, "tasks", "T-0"));
    world.write(path.join(other, "README.md"), task.read("README.md").replace("T-1", "T-0").replace("[T-0]", "[]"));
    world.write(path.join(other, "STATE.md"), stateFile({ phase: "intake" }));
    assert.equal((await task.run()).code, 21);
    assert.deepEqual([status(task), /Waits for other tasks.*T-0/.test(said(task))], ["waits: for T-0", true]);
    task.write("README.md", task.read("README.md").replace("[T-0]", "[]"));
    task.write("CONTROL.md", "PAUSE\n");
    assert.equal((await task.run()).code, 25);
    assert.equal(status(task), "paused: line 1 of CONTROL.md says PAUSE; tick or remove it to continue");
    assert.match(said(task), /Paused/);
    assert.match(await board(task), /## Paused/);
    task.write("CONTROL.md", "ABORT\n");
    assert.equal((await task.run()).code, 25);
    assert.match(status(task), /^runnable: aborted by a person: .*; the next run continues$/);
    assert.match(said(task), /Aborted by a person/);
    const file = path.join(task.folder, "tasks", "task-phase.yaml");
    writeFileSync(file, `${world.read(path.relative(world.folder, file))}control: { poll: 1s }\n`);
    task.propose({ task: { "artifacts/more.md": "more\n" }, waits: true });
    const calls = task.calls();
    const pass = task.pass();
    while (task.calls() === calls) await sleep(20);
    assert.equal(status(task), "in progress", "while it works");
    task.write("CONTROL.md", "ABORT\n");
    assert.equal((await pass).exit_code, 25);
    assert.match(status(task), /^runnable: a person aborted pass \d+; the next run continues$/);
    assert.match(said(task), /A person aborted pass/);
  });

  await t.test("a question that a task in its phase waits for", async () => {
    const task = await world.makeTask("asks", { state: { phase: "shape" }, events: (at) => eventsAt("shape", at) });
    task.propose({ task: { "DECISIONS.md": decisionsFile("") } });
    assert.equal((await task.pass()).exit_code, 22);
    assert.match(status(task), /^asks: Q1 /);
    const state = task.state();
    assert.equal((await task.pass()).exit_code, 22);
    assert.equal(task.state(), state);
    task.write("DECISIONS.md", decisionsFile("UTF-8"));
    task.propose({ task: { "artifacts/more.md": "more\n" } });
    await task.pass();
    assert.equal(status(task), "in progress");
  });
});

test("with checkpoint: commit a task that is held back is explained in one commit", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", {
    state: { phase: "implement" },
    events: (at) => eventsAt("implement", at),
  });
  const git = (...args: string[]) => world.git("cases/one", ...args);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  const file = "cases/one/tasks/task-phase.yaml";
  world.write(file, `${world.read(file)}checkpoint: commit\n`);
  const committed = () => git("show", "HEAD:tasks/T-1/STATE.md");
  task.write("CONTROL.md", "PAUSE\n");
  assert.equal((await task.run()).code, 25);
  assert.equal((await task.run()).code, 25);
  assert.equal(fieldOf(committed(), "Status"), status(task));
  assert.equal(git("log", "--format=%s").trim().split("\n").length, 2);
  task.write("CONTROL.md", "");
  task.write("README.md", task.read("README.md").replace(/command: \[.*?\]/, "command: [nosuch]"));
  assert.equal((await task.run()).code, 78);
  assert.match(fieldOf(committed(), "Status") ?? "", /^refused: /);
});

test("every stop stands the same in STATE.md, EVIDENCE.md, BOARD.md, `status` and `status --json`", async (t) => {
  const world = makeTaskWorld(t);
  /** The standing of the only task in each of the five, with a part of why that all of them have. */
  const assertStands = async (task: TaskCase, standing: string, why: RegExp, onBoard = standing) => {
    const root = path.join(task.folder, "tasks");
    assert.equal((await world.call("task-phase", ["board", "--tasks-root", root])).code, 0);
    const board = world.read(path.relative(world.folder, path.join(root, "BOARD.md")));
    const listed = await world.call("task-phase", ["status", "--tasks-root", root]);
    const json = (await task.command("status", "--json")).json();
    assert.match(status(task), new RegExp(`^${standing}: ${why.source}`));
    assert.match(said(task), why);
    assert.match(board, new RegExp(`STATE\\.md\\)\\*\\* · ${onBoard}[^]*${why.source}`));
    assert.match(listed.stdout, new RegExp(`^T-1 .* ${standing} +${why.source}`, "m"));
    assert.equal(json.standing, standing);
    assert.match(String(json.why), why);
    assert.doesNotMatch(`${task.state()}${task.read("EVIDENCE.md")}${board}`, new RegExp(world.folder));
  };
  const at = (name: string, ...contract: readonly string[]) =>
    world.taskAt(name, "implement", { contract: [validator, ...contract], repo: { "good.txt": "", "own.txt": "a" } });

  const changed = await at("protected", "protected: [own.txt]");
  changed.propose({ task: { "artifacts/more.md": "more\n" } });
  assert.equal((await changed.pass()).exit_code, 0);
  world.write("cases/protected/repo/own.txt", "b");
  assert.equal((await changed.run()).code, 20);
  await assertStands(changed, "refused", /protected paths differ from pass 1.*own\.txt/);
  world.write("cases/protected/repo/own.txt", "a");
  changed.propose({ task: { "artifacts/more.md": "even more\n" } });
  assert.equal((await changed.pass()).exit_code, 0);
  assert.equal((await changed.command("status", "--json")).json().standing, "runnable");

  const alone = await at("alone");
  const config = world.read("cases/alone/tasks/task-phase.yaml");
  world.write("cases/alone/tasks/task-phase.yaml", "models: []\n");
  assert.equal((await alone.run()).code, 24);
  await assertStands(alone, "refused", /no model is configured/);
  world.write("cases/alone/tasks/task-phase.yaml", `${config}control: { poll: 1s }\n`);

  alone.propose({ task: { "artifacts/more.md": "more\n" }, waits: true });
  const pass = alone.pass();
  while (alone.calls() === 0) await sleep(20);
  alone.write("CONTROL.md", "ABORT\n");
  assert.equal((await pass).exit_code, 25);
  await assertStands(alone, "runnable", /[Aa] person aborted pass \d+; the next run continues/, "ready");

  assert.equal((await alone.command("cancel")).code, 0);
  const { why } = (await alone.command("status", "--json")).json();
  const [, goOn = ""] = /; (RETRY .*)$/.exec(String(why)) ?? [];
  assert.equal(status(alone), `cancelled: by a person; ${goOn}`);
  assert.ok(said(alone).includes("Cancelled"));
});

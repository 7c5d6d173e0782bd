import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { execa } from "execa";
import { programWords } from "./arrange.ts";
import { makeLoopWorld } from "./loop-world.ts";

const walk = ["intake", "shape", "implement", "verify", "review"];
const walked = (task: string) => walk.map((phase) => `${task} ${phase}`);

describe("a loop on one task", () => {
  test("repeats passes until the task is done, and reports it", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const report = await world.loop("--task-dir", world.path("tasks/T-1"));
    assert.deepEqual(
      [report.exit_code, report.iteration, report.passes.map(({ to, verdict }) => `${to} ${verdict}`)],
      [0, 5, ["shape", "implement", "verify", "review", "done"].map((phase) => `${phase} accepted`)],
    );
    assert.deepEqual([world.phase("T-1"), world.calls()], ["done", walked("T-1")]);
    assert.equal(new Set(runsOf(world.events("T-1"))).size, 1);
  });

  test("ends with the headline of a done task", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const end = await world.call1("--task-dir", world.path("tasks/T-1"));
    assert.equal(end.code, 0, end.stderr);
    const headline = /^> \*\*(.*)\*\*$/m.exec(world.read("tasks/T-1/SUMMARY.md"))?.[1];
    assert.match(headline ?? "", /^Done\./);
    assert.equal(
      end.stderr.split("\n").find((line) => line.startsWith("stopped")),
      `stopped after 5 passes: ${headline}`,
    );
  });

  test("keeps its own log out of the code, if that is a file of the repo", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const words = [process.execPath, ...programWords("task-phase-loop"), "--tasks-root", world.tasks];
    const { exitCode } = await execa("sh", ["-c", 'exec "$@" >> repos/T-1/loop.out 2>&1', "sh", ...words], {
      cwd: world.folder,
      env: world.env,
      extendEnv: false,
      reject: false,
    });
    assert.equal(exitCode, 0, world.read("repos/T-1/loop.out"));
    assert.doesNotMatch(world.read("tasks/T-1/EVIDENCE.md"), /loop\.out/);
  });

  test("has nothing to do and nothing to say where the task is done", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    await world.loop();
    for (const words of [["--task-dir", world.path("tasks/T-1")], []]) {
      const end = await world.call1(...words);
      assert.deepEqual([end.code, end.stdout, end.stderr], [0, "", ""]);
    }
    assert.equal(world.calls().length, 5);
  });

  test("tells one line a pass and why it stopped", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["honest", "idle"] } });
    const end = await world.call1("--max-passes", "2");
    assert.deepEqual([end.code, end.stdout], [3, ""]);
    assert.deepEqual(
      end.stderr
        .replace(/\d+(\.\d+)?m?s/g, "TIME")
        .replace(/runs\/\S+\.md/, "runs/ID.md")
        .trimEnd()
        .split("\n"),
      [
        "T-1  pass 1  intake → shape  accepted  Objective changed (walker, TIME)",
        "T-1  pass 2  shape → shape  no_progress  no material progress: no code, state or evidence changed (walker, TIME)",
        "stopped after 2 passes: the 2 passes of --max-passes are done",
        "not done: T-1 in shape",
        "this call: cost not known, TIME",
        "evidence: tasks/T-1/artifacts/evidence.html",
        "report: tasks/.task-phase/runs/ID.md",
      ],
    );
  });

  test("stops at --max-passes with 3, and goes on with the same numbers at the next call", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const first = await world.loop("--max-passes", "2");
    const second = await world.loop("--max-iterations", "2");
    assert.deepEqual(
      [first, second].map(({ exit_code, passes }) => [exit_code, passes.map(({ pass }) => pass)]),
      [
        [3, [1, 2]],
        [3, [3, 4]],
      ],
    );
    assert.notEqual(first.run_id, second.run_id);
    assert.deepEqual([(await world.loop("--max-passes", "1")).exit_code, world.phase("T-1")], [0, "done"]);
  });

  test("says why it stopped where its last pass settled the task, and not that its passes are done", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {}, "T-2": { contract: ["budget: { passes: 1 }"] } });
    const task = (name: string) => ["--task-dir", world.path("tasks", name)];
    assert.equal((await world.loop(...task("T-1"), "--max-passes", "5")).exit_code, 0);
    await world.loop(...task("T-2"), "--max-passes", "1");
    world.write(
      "tasks/T-2/DECISIONS.md",
      "# Decisions\n\n## Q1: What?\n\n- Question: What?\n- Safe default:\n- Deadline:\n- Answer:\n",
    );
    const asked = await world.call1(...task("T-2"), "--max-passes", "1");
    assert.deepEqual([asked.code, asked.stderr], [22, ""]);
  });

  test("tells of a stop by the runner without a pass, once", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { contract: ["budget: { passes: 1 }"] } });
    await world.loop("--max-passes", "1");
    const first = await world.call1();
    assert.equal(first.code, 21);
    assert.match(first.stderr, /^T-1 {2}Stopped by task-phase: the one pass/);
    const second = await world.call1();
    assert.deepEqual([second.code, second.stderr], [21, ""]);
  });

  test("tells of a hand edit that it refused, and of a command file that it cannot read", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    await world.loop("--max-passes", "1");
    const state = world.read("tasks/T-1/STATE.md");
    writeFileSync(world.path("tasks/T-1/STATE.md"), state.replace(/^- Phase:.*$/m, "- Phase: done"));
    const refused = await world.call1("--task-dir", world.path("tasks/T-1"));
    assert.deepEqual([refused.code, /hand edit of STATE.md is refused/.test(refused.stderr)], [20, true]);
    world.write("tasks/T-1/CONTROL.md/here.txt", "");
    const paused = await world.call1("--task-dir", world.path("tasks/T-1"));
    assert.deepEqual([paused.code, /TP_CONTROL_UNREADABLE/.test(paused.stderr)], [25, true]);
  });

  test("over a root writes that a person paused a task to where a reader sees it, once", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    await world.loop("--max-passes", "1");
    world.write("tasks/T-1/CONTROL.md", "PAUSE\n");
    const first = await world.call1();
    const state = world.read("tasks/T-1/STATE.md");
    assert.match(state, /^- Status: paused: line 1 of CONTROL\.md says PAUSE; /m);
    assert.match(world.read("tasks/T-1/CONTROL.md"), /^\[ \] PAUSE \(seen /);
    const second = await world.call1();
    assert.deepEqual([first.code, second.code, second.stderr], [25, 25, ""]);
    assert.equal(world.read("tasks/T-1/STATE.md"), state);
    // No run begins, which would refuse this.
    world.write("tasks/T-1/README.md", world.read("tasks/T-1/README.md").replace(/^repo: .*/m, "repo: gone"));
    assert.equal((await world.call1()).code, 25);
  });

  test("goes on after a rejected pass and one without progress, until the runner stops the task", async (t) => {
    const plan = ["goes done", "idle", "honest", "idle", "idle", "idle"];
    const world = await makeLoopWorld(t, { "T-1": { plan } });
    const report = await world.loop();
    assert.deepEqual(
      report.passes.map(({ from, verdict }) => `${from} ${verdict}`),
      [
        "intake rejected",
        "intake no_progress",
        "intake accepted",
        "shape no_progress",
        "shape no_progress",
        "shape no_progress",
      ],
    );
    assert.deepEqual([report.exit_code, world.phase("T-1")], [21, "blocked"]);
    const ticks = await Promise.all([world.loop(), world.call1()]);
    assert.deepEqual([ticks[0].exit_code, ticks[0].iteration, ticks[1].stderr], [21, 0, ""]);
    assert.equal(world.calls().length, 6);
  });

  test("stops with 23 where it is stuck", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["idle", "idle", "idle"] } });
    const report = await world.loop("--task-dir", world.path("tasks/T-1"));
    assert.deepEqual([report.exit_code, report.iteration], [23, 3]);
  });

  test("asks a model that answers nothing once", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: Array(20).fill("silent") } });
    const report = await world.loop();
    assert.deepEqual([report.exit_code, world.calls().length], [24, 1]);
    assert.match(report.reason, /walker is set aside for the rest of this call: the model ended without any result/);
    assert.doesNotMatch(world.read("tasks/T-1/STATE.md"), /refused/, "the next call asks it again");
  });

  test("ends at once with 75, and without a word, while another loop runs on the same target", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const ends = await Promise.all([world.call1("--json"), world.call1(), world.call1("--verbose")]);
    assert.deepEqual(
      ends.map((end) => end.code),
      [0, 75, 75],
    );
    assert.deepEqual([ends[1]?.stderr, ends[1]?.stdout], ["", ""]);
    assert.match(ends[2]?.stderr ?? "", /another loop runs on this tasks root \[TP_LOCKED\]/);
    assert.equal(world.calls().length, 5);
  });

  test("begins no pass after --max-seconds", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    let reads = 0;
    const now = () => new Date(Date.parse("2026-11-21T12:00:00Z") + 10_000 * reads++);
    const end = await world.call("task-phase-loop", ["--json", "--tasks-root", world.tasks, "--max-seconds", "60"], {
      now,
    });
    assert.deepEqual([end.json().exit_code, end.json().iteration], [2, 1]);
    assert.match(String(end.json().reason), /--max-seconds 60 has passed/);
  });

  test("refuses limits that are none, and two that differ", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    for (const words of [
      ["--max-passes", "0"],
      ["--max-seconds", "-1"],
      ["--max-passes", "1", "--max-iterations", "2"],
    ])
      assert.equal((await world.call1(...words)).code, 64);
    assert.equal((await world.call1("--max-passes", "1", "--max-iterations", "1")).code, 3);
  });

  test("prints the prompt of the next pass in a dry run, and does nothing", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const end = await world.call1("--dry-run");
    assert.equal(end.code, 0);
    assert.match(end.stdout, /intake/);
    assert.deepEqual([world.calls(), world.exists("tasks/.task-phase")], [[], false]);
  });
});

describe("a loop over a tasks root", () => {
  test("waits for a dependency also where an agent writes done into its STATE.md", async (t) => {
    const world = await makeLoopWorld(t, {
      "A-1": { contract: ["priority: 1"], plan: ["idle", "idle", "idle"] },
      "B-1": { contract: ["depends_on: [A-1]", "priority: 9"] },
      "C-1": { plan: ["forges A-1", "forges A-1"] },
    });
    const report = await world.loop();
    assert.equal(report.exit_code, 21);
    assert.deepEqual([world.phase("A-1"), world.phase("B-1"), world.phase("C-1")], ["intake", "intake", "done"]);
    assert.equal(world.calls().filter((call) => call.startsWith("B-1")).length, 0);
    const forged = report.passes.filter(({ task, verdict }) => task === "C-1" && verdict === "rejected");
    assert.equal(forged.length, 2);
  });

  test("leaves a task aside that cannot be read, names it, and goes on with the others", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { contract: ["budgett: 1"] }, "T-2": {} });
    const report = await world.loop();
    assert.deepEqual([report.exit_code, world.phase("T-2")], [78, "done"]);
    assert.deepEqual(
      report.findings.filter(({ severity }) => severity === "error").map(({ message }) => message),
      ["`budgett` is not a known key"],
    );
  });

  test("names a cycle with the path through it, and works on what is not part of it", async (t) => {
    const world = await makeLoopWorld(t, {
      "T-1": { contract: ["depends_on: [T-2]"] },
      "T-2": { contract: ["depends_on: [T-3]"] },
      "T-3": { contract: ["depends_on: [T-1]"] },
      "T-4": { contract: ["depends_on: [T-9]"] },
      "T-5": {},
    });
    const report = await world.loop();
    assert.deepEqual([report.exit_code, world.phase("T-5")], [78, "done"]);
    const said = report.findings.map(({ message }) => message).join("\n");
    assert.match(said, /in a cycle: T-1 → T-2 → T-3 → T-1/);
    assert.match(said, /T-4 depends on T-9, and no readable task folder/);
  });

  test("leaves a refused hand edit aside with 20, and works on the others", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { contract: ["priority: 9"] }, "T-2": {} });
    await world.loop("--max-passes", "1");
    const state = world.read("tasks/T-1/STATE.md");
    writeFileSync(world.path("tasks/T-1/STATE.md"), state.replace(/^- Phase:.*$/m, "- Phase: done"));
    const report = await world.loop();
    assert.deepEqual([report.exit_code, world.phase("T-1"), world.phase("T-2")], [20, "shape", "done"]);
    assert.match(report.reason, /hand edit of STATE.md is refused/);
    assert.deepEqual([(await world.loop()).exit_code, world.phase("T-1")], [0, "done"]);
  });
});

function runsOf(events: readonly { type: string; run?: string | null }[]): (string | null | undefined)[] {
  return events.flatMap((event) => (event.type === "pass_started" ? [event.run] : []));
}

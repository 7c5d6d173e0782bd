import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeWorld } from "../cli/arrange.ts";
import { type LoopJson, type LoopWorld, makeLoopWorld } from "../cli/loop-world.ts";

const runs = "tasks/.task-phase/runs";

/** The one report of the world, and its lines. */
function reportOf(world: LoopWorld): string {
  const [name, ...more] = readdirSync(world.path(runs));
  assert.deepEqual(more, []);
  return world.read(`${runs}/${name}`);
}

/** Every link of a report, and whether it leads to something. */
function brokenLinks(world: LoopWorld, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, href]) => href ?? "");
  assert.notEqual(links.length, 0);
  return links.filter((href) => !existsSync(path.resolve(world.path(runs), decodeURIComponent(href))));
}

describe("the report of a run", () => {
  test("has the tasks, passes, costs, times, stops and links that lead somewhere", async (t) => {
    const world = await makeLoopWorld(t, {
      "T-1": { plan: ["costs 0.25", "costs 0.5"] },
      "T-2": { contract: ["retries_per_failure: 0"], plan: ["idle"] },
      "T-3": { plan: ["asks"] },
    });
    const end = await world.call1();
    assert.equal(end.code, 22, end.stderr);
    const text = reportOf(world);
    assert.match(
      text,
      /^# Run 20261121T120000Z-[0-9a-f]{6}\n\n> \*\*Ended: nothing is runnable; .*\*\* \(exit 22 needs_user_decision\)\n/,
    );
    assert.match(text, /\n\| Passes \| \d+ \|\n\| Cost \| 0\.75 USD, and \d+ calls of unknown cost \|\n/);
    assert.match(text, /\n\| T-1 Do T-1 \| done: [^|]* \| 5 \| 0\.75 USD, and 3 calls of unknown cost \| /);
    assert.match(text, /\n\| T-2 Do T-2 \| \*\*stuck\*\*: no material progress[^|]* \| 1 \| cost not known \| /);
    assert.match(
      text,
      /\n\| \S+ \S+ UTC \| T-1 \| \[5\]\(\.\.\/\.\.\/T-1\/artifacts\/passes\/0005\) \| review → done \| accepted: Done\. /,
    );
    assert.deepEqual(brokenLinks(world, text), []);
    assert.doesNotMatch(text, new RegExp(world.folder));
    const lines = end.stderr.trimEnd().split("\n");
    const digest = lines.slice(lines.findIndex((line) => line.startsWith("stopped after ")));
    assert.match(
      digest.join("\n"),
      /^stopped after \d+ passes: nothing is runnable; .*\ndone without proof: T-1 \([a-z ]+\)\nstopped: T-2 stuck, no material progress[^\n]*\n/,
    );
    assert.match(
      digest.join("\n"),
      /\nthis call: 0\.75 USD, and \d+ calls of unknown cost, \S+\nreport: tasks\/\.task-phase\/runs\/\S+\.md\nT-3 asks Q1: /,
    );
  });

  test("of an unreported cost says that it is not known, in the JSON too", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    const end = await world.call1("--json", "--max-passes", "1");
    const json = end.json() as unknown as LoopJson & { spent_usd: number | null; report: string };
    assert.deepEqual([json.spent_usd, json.report], [null, world.path(runs, `${json.run_id}.md`)]);
    assert.match(reportOf(world), /\n\| Cost \| cost not known \|\n/);
    assert.match(end.stderr, /\nthis call: cost not known, /);
  });

  test("says of a move without a model that it costs nothing", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { contract: ["advance: auto"] } });
    await world.call1();
    assert.match(reportOf(world), /verify → review \| accepted[^|]* \| no model \| none \| /);
  });

  test("is written after each pass, and by a loop that a signal stops", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["honest", "hangs"] } });
    let loop: ChildProcess | undefined;
    const ended = world.run("task-phase-loop", ["--tasks-root", world.tasks], { onStart: (child) => (loop = child) });
    while (world.calls().length < 2) await sleep(20);
    assert.match(reportOf(world), /\n> \*\*Running, as of [^*]+\.\*\* [\s\S]*\| intake → shape \| accepted: /);
    loop?.kill("SIGTERM");
    const end = await ended;
    assert.equal(end.code, 143, end.stderr);
    assert.match(
      reportOf(world),
      /\n> \*\*Ended: the run was stopped\*\* \(exit 143 sigterm\)\n[\s\S]*\| shape \| interrupted: /,
    );
    assert.match(end.stderr, /\nreport: \S+\.md\n$/);
  });

  test("is not written by a call that finds nothing to do, and goes with a title that is Markdown", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { contract: ["priority: 1"] } });
    const path = "tasks/T-1/README.md";
    world.write(
      path,
      world
        .read(path)
        .replace(
          "title: Do T-1",
          'title: "a | b <script> [x](javascript:y) ghp_0123456789abcdefghijklmnopqrstuvwxyzA"',
        ),
    );
    await world.loop();
    const text = reportOf(world);
    assert.match(text, /\n\| T-1 a &#124; b &lt;script&gt; &#91;x&#93;\(javascript:y\) &#91;redacted/);
    assert.doesNotMatch(text, /<script>|\]\(javascript|ghp_0123/);
    await world.loop();
    assert.equal(readdirSync(world.path(runs)).length, 1);
  });

  test("that cannot be written is a warning, and the run is what it was", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    world.write(runs, "a file in the place of the folder\n");
    const report = await world.loop();
    assert.deepEqual([report.exit_code, world.phase("T-1")], [0, "done"]);
    const warned = report.findings.filter(({ code }) => code === "TP_RUN_NOTES");
    assert.deepEqual(
      warned.map(({ severity }) => severity),
      ["warning"],
    );
  });
});

describe("state.json", () => {
  const file = "tasks/.task-phase/state.json";

  test("says the run, its passes, how it ended and the last model, and is not made by an idle call", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["honest", "honest", "idle"] } });
    const { run_id, iteration } = await world.loop("--max-passes", "2");
    const state = () => JSON.parse(world.read(file)) as Record<string, unknown>;
    const ended = { version: 1, run_id, iteration, status: "ended", exit_name: "iterations" };
    assert.deepEqual(state(), { ...ended, updated_at: "2026-11-21T12:00:00.000Z", last_model: "walker" });
    await world.loop();
    const done = world.read(file);
    await world.loop();
    assert.equal(world.read(file), done);
    assert.equal(state().exit_name, "ok");
    const entry = world.read("tasks/.task-phase/changelog/walker.md");
    assert.match(
      entry,
      new RegExp(`## T-1, pass 1, [^\\n]*\\n\\n- Model: walker\\n- Run: \`${run_id}\`\\n- Status: success\\n`),
    );
  });

  test("that was left by a killed run says running, and the next run writes into its report that it was cut off", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["honest", "hangs"] } });
    let loop: ChildProcess | undefined;
    const ended = world.run("task-phase-loop", ["--tasks-root", world.tasks], { onStart: (child) => (loop = child) });
    while (world.calls().length < 2) await sleep(20);
    loop?.kill("SIGKILL");
    await ended;
    const { run_id, status, iteration, exit_name } = JSON.parse(world.read(file)) as Record<string, unknown>;
    assert.deepEqual([status, iteration, exit_name], ["running", 2, null]);
    const report = `${runs}/${run_id}.md`;
    assert.match(world.read(report), /\*\*Running, as of /);
    assert.equal((await world.loop()).exit_code, 0);
    assert.match(
      world.read(report),
      /\n> \[!WARNING\]\n> \*\*Cut off: the run was killed after this was written, [^\n]*\n\n\| \| \|\n/,
    );
    assert.doesNotMatch(world.read(report), /Running/);
    const now = JSON.parse(world.read(file)) as Record<string, unknown>;
    assert.deepEqual([now.run_id === run_id, now.status, readdirSync(world.path(runs)).length], [false, "ended", 2]);
  });

  test("of a run that has no such name changes nothing", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    world.write(file, '{"version":1,"run_id":"../../x","iteration":7,"status":"running","last_model":"walker"}\n');
    const report = await world.loop();
    assert.deepEqual([report.exit_code, world.phase("T-1")], [0, "done"]);
    assert.equal(JSON.parse(world.read(file)).run_id, report.run_id);
  });
});

describe("a board that is there", () => {
  test("is brought up to date by the loop, and none is begun", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {}, "T-2": {} });
    await world.loop("--max-passes", "1");
    assert.equal(world.exists("tasks/BOARD.md"), false);
    assert.equal((await world.call("task-phase", ["board", "--tasks-root", world.tasks])).code, 0);
    assert.match(world.read("tasks/BOARD.md"), /2 tasks: 2 ready/);
    await world.loop("--task-dir", world.path("tasks/T-1"));
    assert.match(world.read("tasks/BOARD.md"), /2 tasks: 1 ready, 1 done/);
    rmSync(world.path("tasks/index.html"));
    await world.loop();
    assert.match(world.read("tasks/BOARD.md"), /2 tasks: 2 done/);
    assert.match(world.read("tasks/index.html"), /2 done/);
    assert.equal(
      world.events("T-2").filter((event) => event.type === "verdict" && event.tampering.length > 0).length,
      0,
    );
  });

  test("that a person wrote is left alone", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    world.write("tasks/BOARD.md", "# My board\n");
    const report = await world.loop();
    assert.deepEqual([report.exit_code, report.findings], [0, []]);
    assert.equal(world.read("tasks/BOARD.md"), "# My board\n");
    assert.equal(world.exists("tasks/index.html"), false);
  });
});

test("git keeps the reports, changelogs and cooldowns of a tasks root that init made, and ignores its locks", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "package.json": '{"scripts":{"test":"true"}}' });
  assert.equal((await world.run("task-phase", ["init", "Do it"], { cwd: "repo", input: "Do it well.\n" })).code, 0);
  const file = "repo/tasks/task-phase.yaml";
  const model = "models: [{ name: idle, adapter: command, command: [echo, idle] }]";
  world.write(file, world.read(file).replace(/^models: .*$/m, model));
  assert.equal((await world.call("task-phase-loop", ["T-1", "--max-passes", "1"], { cwd: "repo" })).code, 3);
  world.git("repo", "add", "--all");
  const kept = world.git("repo", "ls-files", "tasks/.task-phase");
  for (const name of ["runs/", "changelog/idle.md", "state.json"]) assert.ok(kept.includes(name), `${name} in ${kept}`);
  assert.doesNotMatch(kept, /locks/);
});

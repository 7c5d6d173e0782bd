import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { runPass } from "../../lib/pass/run-pass.ts";
import { stateFile } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, portsOf, type TaskCase } from "../cli/task-world.ts";
import { until } from "../cli/until.ts";

test("a person who moves HEAD", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const repoOf = (folder: string) => path.join("cases", folder, "repo");
  const begin = async (folder: string, phase: "implement" | "verify", config = "") => {
    const task = await world.taskAt(folder, phase);
    const git = (...words: string[]) => world.git(repoOf(folder), ...words);
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message=start");
    const commit = (file: string, text: string) => {
      world.write(path.join(repoOf(folder), file), text);
      git("add", "--all");
      git("commit", "--quiet", "--message=mine");
    };
    const head = () => git("rev-parse", "--short=7", "HEAD").trim();
    if (config !== "")
      world.write(`cases/${folder}/tasks/task-phase.yaml`, `${configOf(world.read, folder)}${config}\n`);
    return { ...task, git, commit, head };
  };
  const proposes = (task: TaskCase, phase: "verify" | "review" | "done", repo = {}) =>
    task.propose({ task: { "STATE.md": stateFile({ phase }) }, repo });
  const verdicts = (task: TaskCase) =>
    task
      .events()
      .flatMap((event) =>
        event.type === "verdict" ? [`${event.from} ${event.to} ${event.verdict} ${event.model}`] : [],
      );

  it("between verify and review has the checks run again without a model, and nothing blamed", async (folder) => {
    const task = await begin(folder, "verify");
    proposes(task, "review");
    assert.equal((await task.pass()).verdict, "accepted");
    const was = task.head();
    task.commit("NOTES.md", "mine\n");
    proposes(task, "done");
    const end = await task.run();
    assert.equal(end.code, 0, end.stderr);
    assert.match(end.stderr, new RegExp(`a person moved HEAD: ${was} to ${task.head()}`));
    assert.deepEqual(verdicts(task).slice(-3), [
      "verify review accepted prepared",
      "review review accepted null",
      "review done accepted prepared",
    ]);
    assert.equal(task.calls(), 2);
    assert.equal((await task.command("check")).code, 0);
  });

  it("during the review causes no repair: the checks run again, and that code is reviewed", async (folder) => {
    const task = await begin(folder, "verify");
    proposes(task, "review");
    assert.equal((await task.pass()).verdict, "accepted");
    task.propose({ task: { "STATE.md": stateFile({ phase: "done" }) }, waits: true });
    const review = world.run("task-phase-run", ["--task-dir", task.taskDir]);
    await until(() => task.calls() > 1);
    task.commit("NOTES.md", "mine\n");
    task.go();
    const end = await review;
    assert.equal(end.code, 0, end.stderr);
    assert.match(end.stderr, new RegExp(`a person committed during pass 2: ${task.head()} mine \\(NOTES\\.md\\)`));
    assert.match(end.stderr, /review → review {2}accepted/);
    assert.doesNotMatch(end.stderr, /the pass changed code/);
    proposes(task, "done");
    const done = await task.run();
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(verdicts(task).slice(-2), ["review review accepted null", "review done accepted prepared"]);
    assert.match((await task.command("status")).stdout, /repairs: 0/);
    assert.equal((await task.command("check")).code, 0);
  });

  it("during implement has its commit named with each of its files, in every report", async (folder) => {
    const task = await begin(folder, "implement");
    const own = { "work.txt": "done\n" };
    task.propose({ task: { "STATE.md": stateFile({ phase: "verify" }) }, repo: own, waits: true });
    const pass = world.run("task-phase-run", ["--task-dir", task.taskDir]);
    await until(() => task.calls() > 0);
    world.write(path.join(repoOf(folder), "NOTES.md"), "mine\n");
    task.git("add", "NOTES.md");
    task.git("commit", "--quiet", "--message=mine | yours");
    task.go();
    const end = await pass;
    assert.equal(end.code, 0, end.stderr);
    assert.match(end.stderr, /work\.txt added/);
    const named = `| \`NOTES.md\` (added, in a person's commit: \`${task.head()}\` mine &#124; yours) | 1 | 0 |`;
    for (const text of [task.read("EVIDENCE.md"), (await task.command("show", "--pr")).stdout]) {
      assert.ok(text.includes(named), text);
      assert.ok(text.includes("| `work.txt` (added) | 1 | 0 |"), text);
      assert.match(text, /2 files, \+2 −0, 1 of them in commits of a person/);
    }
    const page = task.read("artifacts/evidence.html").replaceAll("&#39;", "'");
    assert.ok(page.includes(`added, in a person's commit: ${task.head()} mine | yours`), page);
    assert.equal((await task.command("check")).code, 0);
  });

  it("and breaks a check sends the task to repair with its ticket, without a model and without counting a repair", async (folder) => {
    const task = await begin(folder, "verify");
    proposes(task, "review");
    await task.pass();
    task.git("rm", "--quiet", "good.txt");
    task.commit("NOTES.md", "mine\n");
    task.propose({ task: { "STATE.md": stateFile({ phase: "repair" }) } });
    await task.run();
    const last = task.events().findLast((event) => event.type === "verdict" && event.model === null);
    assert.ok(last?.type === "verdict");
    assert.deepEqual(
      [last.from, last.to, last.verdict, last.tickets.map(({ id }) => id).join()],
      ["review", "repair", "redirected", "validator:tests"],
    );
    assert.match((await task.command("status")).stdout, /repairs: 0/);
  });

  it("by another branch under a loop that commits stops it before it commits there", async (folder) => {
    const task = await begin(folder, "implement", "checkpoint: commit");
    task.propose({ task: { "STATE.md": stateFile({ phase: "verify" }) }, repo: { "work.txt": "done\n" }, waits: true });
    const loop = world.run("task-phase-loop", ["--task-dir", task.taskDir]);
    await until(() => task.calls() > 0);
    task.git("checkout", "--quiet", "-b", "elsewhere");
    task.go();
    const end = await loop;
    assert.equal(end.code, 25, end.stderr);
    assert.match(end.stderr, /somebody switched from main to elsewhere during pass 1; nothing was committed there/);
    assert.equal(task.git("log", "--format=%s", "elsewhere"), "start\n");
    assert.equal(task.calls(), 1);
  });

  it("by another branch between two passes of such a loop stops it before the next pass", async (folder) => {
    const task = await begin(folder, "implement", "checkpoint: commit");
    const stay = (next: string) =>
      task.propose({ task: { "STATE.md": stateFile({ phase: "implement", fields: { "Next step": next } }) } });
    const request = { taskDir: task.taskDir, repo: null, model: null, models: null, timeoutMs: null, config: null };
    const pass = (id: string) =>
      runPass({ ...request, dryRun: false, run: { id, asideModels: [] } }, { ...portsOf(world), env: world.env });
    stay("one");
    assert.equal((await pass("night")).exit_name, "ok");
    task.git("checkout", "--quiet", "-b", "elsewhere");
    stay("two");
    const stopped = await pass("night");
    assert.deepEqual([stopped.exit_name, stopped.details.aborted, task.calls()], ["paused", true, 1]);
    assert.match(stopped.reason, /a person switched from main to elsewhere while the loop ran/);
    assert.equal((await pass("morning")).exit_name, "ok", "a call that begins there is meant");
  });

  await Promise.all(cases);
});

function configOf(read: (name: string) => string, folder: string): string {
  return read(`cases/${folder}/tasks/task-phase.yaml`);
}

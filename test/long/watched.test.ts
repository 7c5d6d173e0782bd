import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { Phase } from "../../lib/rules/phases.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { eventsAt, stateFile } from "../cli/task-states.ts";
import { goodRepo, makeCases, makeTaskWorld, type Report, type TaskCase, type TaskSpec } from "../cli/task-world.ts";
import { passStarted, verdictEvent } from "../rules/arrange.ts";

const concurrency = 2;

const strong =
  'import { equal } from "node:assert";\nimport { test } from "node:test";\ntest("2 and 2", () => equal(2 + 2, 4));\n';
const weak = strong.replace("equal(2 + 2, 4)", "equal(4, 4)");
const scripts = (test: string) => `${JSON.stringify({ name: "app", scripts: { test } }, null, 2)}\n`;
const runner = "#!/bin/sh\ntest -f good.txt\n";
const repo = {
  ...goodRepo,
  "test/sum.test.js": strong,
  "package.json": scripts("test -f good.txt"),
  "check.sh": runner,
};

/**
 * It names a script of package.json, and does not come to run it. Without clean copies there is no guard, so that what
 * changed is judged by its digest.
 */
const validators =
  'proof: { clean: off }\nvalidators: [{ name: tests, command: [sh, -c, "test -f good.txt || npm test"] }]';

/** The commit of a new repository that holds what stands there. */
function commitAll(cwd: string, env: NodeJS.ProcessEnv): string {
  const as = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  for (const words of [
    ["init", "-q"],
    ["add", "-A"],
    [...as, "commit", "-qm", "start"],
  ])
    execFileSync("git", words, { cwd, env });
  return execFileSync("git", ["rev-parse", "HEAD"], { cwd, env }).toString().trim();
}

/** The event of a first pass that began on this commit. */
function startedAt(commit: string) {
  return passStarted(1, { model: "prepared", head_commit: commit });
}

test("tests and checks are watched from pass 1 on", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const taskAt = (folder: string, phase: Phase = "verify", spec: Partial<TaskSpec> = {}) =>
    world.makeTask(folder, {
      repo,
      contract: [validators],
      state: { phase },
      events: (place) => eventsAt(phase, place),
      ...spec,
    });
  /** The agent leaves these files in the repo and asks for review. */
  const asksReview = (task: TaskCase, files: Readonly<Record<string, string>>, phase: Phase = "review") =>
    task.propose({ task: { "STATE.md": stateFile({ phase }) }, repo: files });
  const lastWatched = (task: TaskCase) =>
    task
      .events()
      .findLast((event): event is VerdictEvent => event.type === "verdict")
      ?.watched?.map(({ kind, name, change, answer }) => `${kind} ${name} ${change} ${answer}`)
      .sort();
  const ends = ({ verdict, to, exit_code }: Report) => [verdict, to, exit_code];
  const answer = (task: TaskCase, text: string) =>
    task.write("DECISIONS.md", task.read("DECISIONS.md").replace(/- Answer:\s*$/, `- Answer: ${text}\n`));

  const stopped: readonly (readonly [what: string, files: Readonly<Record<string, string>>, named: RegExp])[] = [
    ["changes a test", { "test/sum.test.js": weak }, /test\/sum\.test\.js was changed/],
  ];
  for (const [what, files, named] of stopped) {
    it(`an agent that ${what} is stopped with the change named`, async (folder) => {
      const task = await taskAt(folder);
      asksReview(task, files);
      const report = await task.pass();
      assert.deepEqual(ends(report), ["rejected", "needs_user_decision", 22], report.reason);
      assert.match(report.reason, named);
      assert.match(task.read("DECISIONS.md"), named);
      assert.match(task.read("EVIDENCE.md"), new RegExp(Object.keys(files)[0]?.replace(/\W/g, ".+?") ?? ""));
      assert.match(task.state(), /^- Blockers: Stopped by task-phase: tests or checks changed/m);
      assert.equal((await task.run()).code, 22);
      assert.equal(task.calls(), 1);
    });
  }

  it("`accept` lets exactly those changes through, and nothing else", async (folder) => {
    const task = await taskAt(folder);
    asksReview(task, { "test/sum.test.js": weak });
    assert.equal((await task.pass()).exit_code, 22);
    answer(task, "`accept`");
    asksReview(task, { "test/sum.test.js": weak, "package.json": scripts("true") });
    const second = await task.pass();
    assert.deepEqual(ends(second), ["rejected", "needs_user_decision", 22], second.reason);
    assert.doesNotMatch(second.reason, /sum\.test/);
    assert.match(task.read("DECISIONS.md"), /## Q2: May these changes/);
    answer(task, "accept: they are fine");
    asksReview(task, {});
    const third = await task.pass();
    assert.deepEqual(ends(third), ["accepted", "review", 0], third.reason);
    assert.deepEqual(lastWatched(task), [
      "script package.json#scripts.test changed accepted",
      "test test/sum.test.js changed accepted",
    ]);
  });

  it("a no makes a ticket of each, and the task goes to repair until they are put back", async (folder) => {
    const task = await taskAt(folder);
    asksReview(task, { "test/sum.test.js": weak, "package.json": scripts("true") });
    assert.equal((await task.pass()).exit_code, 22);
    answer(task, "no, 4 has to be computed");
    const refused = await task.pass();
    assert.deepEqual(ends(refused), ["redirected", "repair", 0], refused.reason);
    assert.deepEqual(refused.tickets.map(({ id, source }) => `${source} ${id}`).sort(), [
      "watched watched:package.json#scripts.test",
      "watched watched:test/sum.test.js",
    ]);
    const prompt = await task.command("run", "--dry-run");
    assert.match(prompt.stdout, /watched:test\/sum\.test\.js/);
    asksReview(task, { "test/sum.test.js": strong, "package.json": scripts("test -f good.txt") }, "verify");
    assert.equal((await task.pass()).verdict, "accepted");
    asksReview(task, {});
    assert.deepEqual(ends(await task.pass()), ["accepted", "review", 0]);
    assert.deepEqual(lastWatched(task), []);
  });

  it("a new line that ends the test process asks where no count of tests shows that all ran", async (folder) => {
    const command = ["sh", "-c", "test ! -f count.txt || cat count.txt"];
    const task = await taskAt(folder, "verify", {
      repo: { ...repo, "src/old.js": "process.exit(code);\n" },
      contract: [`validators: [{ name: tests, command: ${JSON.stringify(command)} }]`],
      events: async (place) => [
        ...(await eventsAt("implement", place)),
        startedAt(commitAll(place.repo, world.env)),
        verdictEvent("implement", "verify", place, {
          changed_paths: ["src/sum.js", "src/old.js"].map((path) => ({ path, change: "added" })),
        }),
      ],
    });
    const cheat = { "src/sum.js": "run();\nprocess.exit(0);\n", "src/old.js": "// moved\nprocess.exit(code);\n" };
    asksReview(task, cheat);
    const asked = await task.pass();
    assert.deepEqual(ends(asked), ["rejected", "needs_user_decision", 22], asked.reason);
    assert.match(asked.reason, /: src\/sum\.js, line 2 can end a test process: process\.exit\(0\);/);
    answer(task, "no");
    asksReview(task, { "count.txt": "3 passed in 0.1s\n", "src/sum.js": "run();\nprocess.exit(code);\n" });
    const shown = await task.pass();
    assert.deepEqual(ends(shown), ["accepted", "review", 0], shown.reason);
    assert.deepEqual(lastWatched(task), ["mark src/sum.js added null"]);
  });

  it("files that the brief watches only since an edit are compared with that moment, and the rest with pass 1", async (folder) => {
    const task = await taskAt(folder, "verify", { repo: { ...repo, "golden/a.txt": "1\n" }, events: null });
    assert.equal((await task.command("resume", "--to", "verify", "--reason", "begin")).code, 0);
    task.propose({
      task: { "STATE.md": stateFile({ phase: "verify", fields: { "Current result": "more" } }) },
      repo: { "golden/a.txt": "2\n", "test/sum.test.js": weak },
    });
    assert.equal((await task.pass()).verdict, "accepted");
    const brief = task.read("README.md");
    task.write("README.md", brief.replace("title:", 'watched: ["golden/**"]\ntitle:'));
    asksReview(task, { "golden/a.txt": "3\n" });
    const report = await task.pass();
    assert.deepEqual(ends(report), ["rejected", "needs_user_decision", 22], report.reason);
    assert.deepEqual(lastWatched(task), ["file golden/a.txt changed null", "test test/sum.test.js changed null"]);
    const change = task.events().findLast((event) => event.type === "brief_changed");
    assert.deepEqual(change?.keys, ["watched"]);
  });

  it("a person who sets review by hand is held to the same gate", async (folder) => {
    const task = await taskAt(folder, "verify");
    task.propose({
      task: { "STATE.md": stateFile({ phase: "verify", fields: { "Current result": "more" } }) },
      repo: { "test/sum.test.js": weak },
    });
    assert.equal((await task.pass()).verdict, "accepted");
    task.edit({ Phase: "review" });
    const end = await task.run();
    assert.equal(end.code, 20);
    assert.match(end.stderr, /test\/sum\.test\.js was changed/);
  });

  it("a watch file that is not the one that the journal names is a data error, and `check` decides the verdicts again", async (folder) => {
    const task = await taskAt(folder);
    asksReview(task, { "test/sum.test.js": weak });
    assert.equal((await task.pass()).exit_code, 22);
    assert.equal((await task.command("check")).code, 0);
    answer(task, "accept");
    const name = "artifacts/passes/0001/watched.json";
    task.write(name, task.read(name).replace(/[0-9a-f]{12}/, "000000000000"));
    const end = await task.run();
    assert.equal(end.code, 65);
    assert.match(end.stderr, /TP_WATCH_CHANGED/);
    assert.equal(task.calls(), 1);
  });

  await Promise.all(cases);
});

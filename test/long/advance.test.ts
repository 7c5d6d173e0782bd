import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { makeWorld } from "../cli/arrange.ts";
import type { Report } from "../cli/task-world.ts";
import { until } from "../cli/until.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { findLeft } from "../process/find-living.ts";

const check = 'test "$(sed -n "s/export const answer = //p" src/answer.mjs)" = "42;"';
const repo = { "test/check.sh": `${check}\n`, "src/answer.mjs": "export const answer = 0;\n" };

interface Spec {
  readonly init?: readonly string[];
  /** Lines of the contract beside what `init` writes. */
  readonly contract?: string;
  /** Set for the agent, besides what it needs. */
  readonly agent?: string;
  /** Runs before the check. */
  readonly first?: string;
}

/** A task that `init` made in a repo with one check, and an agent that leaves a line for each call. */
async function begin(t: TestContext, { init = [], contract = "", agent = "", first = "" }: Spec = {}) {
  const world = makeWorld(t);
  world.initRepo({ ...repo, "test/check.sh": `${first}\n${check}\n` });
  const calls = world.path("calls");
  world.write(
    "repo/.git/agent.sh",
    `echo "$TASK_PHASE_PHASE" >> '${calls}'\n${agent}\nexec node '${agentPath("honest.mjs")}'\n`,
  );
  world.write(
    "repo/tasks/task-phase.yaml",
    `models: [{ name: honest, adapter: command, command: [sh, ${JSON.stringify(world.path("repo/.git/agent.sh"))}] }]\n`,
  );
  const say = (words: readonly string[], name = "task-phase") => world.call(name, words, { cwd: "repo" });
  const brief = world.write("brief.md", "The answer is exported from src/answer.mjs, and it is 42.\n");
  const made = await say(["init", "Answer", "--brief", brief, "--validator", "tests=sh test/check.sh", ...init]);
  assert.equal(made.code, 0, made.stderr);
  const [folder = ""] = readdirSync(world.path("repo/tasks")).filter((name) => name.startsWith("T-1"));
  const taskDir = `repo/tasks/${folder}`;
  if (contract !== "") {
    const text = world.read(`${taskDir}/README.md`);
    world.write(`${taskDir}/README.md`, text.replace(/^---$/m, `---\n${contract}`));
  }
  const run = async (...words: readonly string[]) => {
    const end = await say(["T-1", ...words, "--json"], "task-phase-run");
    return end.json() as unknown as Report & { readonly model: string | null };
  };
  return {
    world,
    say,
    run,
    read: (name: string) => world.read(`${taskDir}/${name}`),
    write: (name: string, text: string) => void world.write(`${taskDir}/${name}`, text),
    taskDir,
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
    events: () =>
      world
        .read(`${taskDir}/artifacts/journal.jsonl`)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as TaskEvent),
    async loop() {
      const end = await say(["T-1"], "task-phase-loop");
      assert.equal(end.code, 0, end.stderr);
      return end;
    },
    async assertChecked() {
      const end = await say(["check", "T-1", "--json"]);
      assert.deepEqual([end.code, end.json().findings], [0, []]);
    },
  };
}

const moves = (events: readonly TaskEvent[]) =>
  events.flatMap((event) =>
    event.type === "advanced" || event.type === "verdict"
      ? [`${event.from} → ${event.to}${event.type === "verdict" && event.model !== null ? ` by ${event.model}` : ""}`]
      : [],
  );

test("a one-line fix takes two calls of a model, and each move has an event of its own", async (t) => {
  const task = await begin(t);
  const end = await task.loop();
  assert.deepEqual(task.calls(), ["implement", "review"]);
  assert.deepEqual(moves(task.events()), [
    "intake → shape",
    "shape → implement",
    "implement → verify by honest",
    "verify → review",
    "review → done by honest",
  ]);
  assert.match(end.stderr, /pass 2, no model {2}verify → review {2}accepted/);
  assert.match(task.read("EVIDENCE.md"), /Moved on without a model|verify → review/);
  assert.match(task.read("artifacts/evidence.html"), /Moved on without a model/);
  await task.assertChecked();

  const named = readdirSync(task.world.path(task.taskDir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "utf8").includes(task.world.folder));
  assert.deepEqual(named, [], "no file that is committed names a place of this machine");
  const prompt = task.read("artifacts/passes/0001/prompt.md");
  assert.match(
    prompt,
    /^- Task folder: `\$TASK_PHASE_TASK_DIR`\n- Repo, where the work is done: `\$TASK_PHASE_REPO`$/m,
  );
  const [started] = task.events().filter((event) => event.type === "pass_started");
  assert.equal(started?.prompt_sha256, sha256(prompt));
});

test("with a failed check it takes three, and the runner writes the tickets", async (t) => {
  const task = await begin(t, { agent: "test $TASK_PHASE_PHASE = implement && export AGENT_BROKEN=1" });
  await task.loop();
  assert.deepEqual(task.calls(), ["implement", "repair", "review"]);
  const redirected = task
    .events()
    .find((event): event is VerdictEvent => event.type === "verdict" && event.to === "repair");
  assert.deepEqual([redirected?.model, redirected?.verdict, redirected?.tickets.length], [null, "redirected", 1]);
  assert.match(task.read("artifacts/passes/0003/prompt.md"), /ended with 1/);
  await task.assertChecked();
});

test("with --shape a model fills the frame: four calls; with advance: never a model is asked in every phase", async (t) => {
  const shaped = await begin(t, { init: ["--shape"] });
  await shaped.loop();
  assert.deepEqual(shaped.calls(), ["intake", "shape", "implement", "review"]);
  await shaped.assertChecked();
  const never = await begin(t, { contract: "advance: never" });
  await never.loop();
  assert.deepEqual(never.calls(), ["intake", "shape", "implement", "verify", "review"]);
  await never.assertChecked();
});

const look = 'scenarios: [{ name: page, manual: "the header fits" }]';

test("a person's look costs no call of a model, whether it says yes or no", async (t) => {
  const task = await begin(t, { contract: look });
  const asked = await task.say(["T-1"], "task-phase-loop");
  assert.deepEqual([asked.code, task.calls()], [22, ["implement", "review"]]);
  assert.equal((await task.say(["answer", "T-1", "Q1", "yes"])).code, 0);
  const end = await task.loop();
  assert.deepEqual(task.calls(), ["implement", "review"]);
  assert.match(end.stderr, /pass 4, no model {2}review → done {2}accepted/);
  assert.match(task.read("STATE.md"), /^- Candidate done: yes$/m);
  assert.match(task.read("SUMMARY.md"), /A person looked at page and said yes/);
  await task.assertChecked();

  const other = await begin(t, { contract: look });
  await other.say(["T-1"], "task-phase-loop");
  await other.say(["answer", "T-1", "Q1", "no: the menu is cut off"]);
  const [refused] = (await other.run()).moves;
  assert.deepEqual([refused?.verdict, refused?.to], ["redirected", "repair"], refused?.reason ?? "");
  assert.deepEqual(other.calls(), ["implement", "review", "repair"]);
  await other.assertChecked();
});

test("after an edit by hand, an answer leaves the review to a model", async (t) => {
  const task = await begin(t, { contract: look });
  await task.say(["T-1"], "task-phase-loop");
  task.write("STATE.md", task.read("STATE.md").replace(/^- Current result:.*$/m, "- Current result: half of it"));
  await task.say(["answer", "T-1", "Q1", "yes"]);
  await task.loop();
  assert.deepEqual(task.calls(), ["implement", "review", "review"]);
});

test("a changed test that a person accepts leaves verify without a call of a model", async (t) => {
  const task = await begin(t, {
    agent: `export AGENT_SOURCE_TEXT='export const answer = 43;'
test $TASK_PHASE_PHASE != implement || sed -i 's/"42;"/"43;"/' test/check.sh`,
  });
  const asked = await task.say(["T-1"], "task-phase-loop");
  assert.deepEqual([asked.code, task.calls()], [22, ["implement"]], asked.stderr);
  await task.say(["answer", "T-1", "Q1", "accept"]);
  await task.loop();
  assert.deepEqual(task.calls(), ["implement", "review"]);
  await task.assertChecked();
});

test("an open finding leaves verify to a model", async (t) => {
  const task = await begin(t, {
    agent: `test $TASK_PHASE_PHASE != implement || sed -i 's/^## Findings$/&\\n\\n- [ ] the answer may be wrong/' "$TASK_PHASE_TASK_DIR/STATE.md"`,
  });
  assert.equal((await task.run()).to, "verify");
  assert.match((await task.run("--dry-run")).reason, /would run honest in verify/);
});

test("a task that a person sent to a phase is worked on there by a model", async (t) => {
  const task = await begin(t);
  await task.run();
  const sent = await task.say(["resume", "T-1", "--to", "shape", "--reason", "the frame is too wide"]);
  // Only a stopped task is resumed, so the person writes the phase.
  if (sent.code !== 0) task.write("STATE.md", task.read("STATE.md").replace(/^- Phase: .*$/m, "- Phase: blocked"));
  if (sent.code !== 0) task.write("STATE.md", task.read("STATE.md").replace(/^- Blockers: .*$/m, "- Blockers: me"));
  await task.run();
  assert.equal((await task.say(["resume", "T-1", "--to", "shape", "--reason", "the frame is too wide"])).code, 0);
  assert.match((await task.run("--dry-run")).reason, /would run honest in shape/);
});

test("passes without a model use no budget of passes, and cost nothing", async (t) => {
  const task = await begin(t, { contract: "budget: { passes: 2 }" });
  const end = await task.loop();
  assert.match(end.stderr, /Done\./);
  const shown = await task.say(["status", "T-1", "--json"]);
  assert.match(shown.stdout, /"passes": 2|"passes":2/);
});

test("where no model can be asked, the checks run all the same", async (t) => {
  const task = await begin(t);
  await task.run();
  task.world.write(
    "repo/tasks/task-phase.yaml",
    "models: [{ name: gone, adapter: command, command: [/no/such/program] }]\n",
  );
  const report = await task.run();
  assert.equal(report.exit_name === "ok", false, report.reason);
  assert.deepEqual(moves(task.events()).at(-1), "verify → review");
});

test("a dry run says that no model is needed, and prints no prompt", async (t) => {
  const task = await begin(t);
  assert.match((await task.run("--dry-run")).reason, /would run honest in implement/);
  await task.run();
  const report = (await task.run("--dry-run")) as Report & { readonly model: unknown; readonly prompt?: string };
  assert.match(report.reason, /pass 2 would run the checks, without a model, in verify/);
  assert.deepEqual([report.model, report.prompt], [null, undefined]);
});

test("a run that is killed while the checks of a move run is recovered, and the move is made", async (t) => {
  const task = await begin(t, {
    first: 'test ! -e "$HOME/../slow" || { : > "$HOME/../ran"; sleep 3600; }',
    contract: "proof: { clean: off }",
  });
  assert.equal((await task.run()).to, "verify");
  task.world.write("slow", "");
  let kill = (): void => undefined;
  const runs = task.world.run("task-phase-run", ["T-1"], {
    cwd: "repo",
    onStart: (child) => {
      kill = () => void child.kill("SIGKILL");
    },
  });
  await until(() => task.world.exists("ran"));
  kill();
  assert.equal((await runs).signal, "SIGKILL");
  await until(() => findLeft(task.world.folder).length === 0);
  task.world.write("slow-is-over", "");
  const { rmSync } = await import("node:fs");
  rmSync(task.world.path("slow"));
  const report = await task.run();
  assert.deepEqual([report.verdict, report.to, task.calls()], ["accepted", "done", ["implement", "review"]]);
  await task.assertChecked();
});

test("the journal and the proof are committed whatever the repo's .gitignore says, a folder that it ignores whole is not", async (t) => {
  for (const [ignored, isCommitted] of [
    ["*.log\nartifacts/\nlog.txt\npasses/\n*.jsonl\n", true],
    ["tasks/\n", false],
  ] as const) {
    const task = await begin(t);
    task.world.write("repo/.gitignore", ignored);
    const config = "repo/tasks/task-phase.yaml";
    task.world.write(config, `checkpoint: commit\n${task.world.read(config)}`);
    task.world.write(`${task.taskDir}/artifacts/node_modules/x.js`, "x\n");
    await task.loop();
    const held = task.world.git("repo", "ls-tree", "-r", "--name-only", "HEAD").split("\n");
    const has = (name: string) => held.includes(`${task.taskDir}/${name}`.slice("repo/".length));
    const own = ["STATE.md", "log.txt", "artifacts/journal.jsonl", "artifacts/passes/0002/validators/tests.log"];
    assert.deepEqual(
      own.map(has),
      own.map(() => isCommitted),
    );
    assert.equal(has("artifacts/node_modules/x.js"), false);
  }
});

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { type LoopTask, makeLoopWorld } from "../cli/loop-world.ts";
import { brokenLinks, renderLikeAHost } from "../pages/render-like-a-host.ts";

/** Tasks and their repos in one git repository, as most people have them. */
async function makeOneRepo(t: TestContext, config: string, tasks: Readonly<Record<string, LoopTask>> = { "T-1": {} }) {
  const world = await makeLoopWorld(t, tasks, config);
  world.write(".gitignore", "plans/\nstate/\n.task-phase/\n");
  const git = (...args: string[]) => world.git(".", ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  const taskPath = (name: string, task = "T-1") => world.path("tasks", task, name);
  const filesOf = (task = "T-1") =>
    readdirSync(world.path("tasks", task), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(world.path("tasks", task).length + 1))
      .sort();
  const check = async (...args: string[]) =>
    await world.call("task-phase", ["check", "--json", "--tasks-root", world.tasks, ...args]);
  const assertWhole = async () => {
    for (const name of ["EVIDENCE.md", "SUMMARY.md", "STATE.md"]) {
      const page = renderLikeAHost(world.read(`tasks/T-1/${name}`));
      assert.deepEqual(brokenLinks(page, world.path("tasks/T-1")), [], name);
    }
    const hrefs = [...world.read("tasks/T-1/artifacts/evidence.html").matchAll(/href="([^"#:]+)"/g)].map(
      ([, href]) => href,
    );
    const missing = hrefs.filter((href) => !world.exists(join("tasks/T-1/artifacts", decodeURIComponent(href ?? ""))));
    assert.deepEqual(missing, [], "evidence.html");
    const end = await check();
    assert.deepEqual([end.code, end.json().findings], [0, []]);
  };
  return { ...world, inRepo: git, taskPath, filesOf, check, assertWhole };
}

const packFile = "artifacts/passes/packed.jsonl";

describe("keep: proof", () => {
  const ends: (() => unknown)[] = [];
  /** Where T-1 is done: made once for the tests that leave it as it was, and for the last one, which goes on in it. */
  let world: Awaited<ReturnType<typeof makeOneRepo>>;
  before(async () => {
    const whole = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
    world = await makeOneRepo(whole, "keep: proof\n");
    assert.equal((await world.loop()).exit_code, 0);
  });
  after(async () => {
    for (const end of ends) await end();
  });

  test("leaves what a gate, a link or check needs, and check decides every verdict again", async () => {
    const passes = world.filesOf().filter((path) => path.startsWith("artifacts/passes/"));
    assert.deepEqual(passes, [packFile]);
    const others = world.filesOf().filter((path) => !passes.includes(path));
    assert.deepEqual(
      others.filter((path) => /checkpoint|last_error/.test(path)),
      [],
    );
    assert.match(world.read("tasks/T-1/EVIDENCE.md"), /^\+work of pass 3$/m);
    assert.doesNotMatch(world.read("tasks/T-1/EVIDENCE.md"), / · diff\b/, "a word without its link");
    assert.match(world.read("tasks/T-1/artifacts/evidence.html"), /work of pass 3/);
    await world.assertWhole();
    assert.deepEqual(((await world.check()).json().tasks as { verdicts: number }[])[0]?.verdicts, 5);
    const before = world.filesOf().map((path) => readFileSync(world.taskPath(path)));
    assert.equal((await world.call("task-phase", ["evidence", "T-1"], { cwd: "tasks" })).code, 0);
    assert.deepEqual(
      world.filesOf().map((path) => readFileSync(world.taskPath(path))),
      before,
      "a second time changes nothing",
    );
  });

  test("keep: all is the default, and evidence trims what was done before", async (t) => {
    const world = await makeOneRepo(t, "");
    await world.loop();
    assert.ok(world.filesOf().includes("artifacts/passes/0002/prompt.md"));
    world.write("tasks/task-phase.yaml", `keep: proof\n${world.read("tasks/task-phase.yaml")}`);
    await world.call("task-phase", ["evidence", "T-1"], { cwd: "tasks" });
    assert.equal(world.filesOf().includes("artifacts/passes/0002/prompt.md"), false);
    await world.assertWhole();
  });

  const edits: Readonly<Record<string, readonly [(text: string) => string, string]>> = {
    "a changed record": [
      (text) => text.replace('\\"verdict\\": \\"accepted\\"', '\\"verdict\\": \\"Accepted\\"'),
      "TP_RECORD_CHANGED",
    ],
    "a record taken out": [(text) => text.replace(/^.*0002\/pass\.json.*\n/m, ""), "TP_RECORD_MISSING"],
    "a line that is no JSON": [(text) => `${text}{"path":\n`, "TP_PACK"],
  };
  test("check tells what was done to the pack, and a pack that is no list is not unpacked", async () => {
    const file = world.taskPath(packFile);
    const text = readFileSync(file, "utf8");
    const resume = ["resume", "--task-dir", world.path("tasks/T-1"), "--to", "intake", "--reason", "more"];
    for (const [what, [edit, code]] of Object.entries(edits)) {
      assert.notEqual(edit(text), text, what);
      writeFileSync(file, edit(text));
      const end = await world.check();
      const findings = end.json().findings as { code: string }[];
      assert.notEqual(end.code, 0, what);
      assert.deepEqual([...new Set(findings.map((finding) => finding.code))], [code], what);
      if (code === "TP_PACK") {
        assert.equal((await world.call("task-phase", resume)).code, 65, what);
        assert.equal(world.phase("T-1"), "done", what);
      }
    }
    writeFileSync(file, text);
    await world.assertWhole();
  });

  test("a task that goes on again has its records back, and keeps them through a second done", async () => {
    const resume = ["resume", "--task-dir", world.path("tasks/T-1"), "--to", "intake", "--reason", "more"];
    assert.equal((await world.call("task-phase", resume)).code, 0);
    assert.equal(world.exists(`tasks/T-1/${packFile}`), false);
    assert.ok(world.filesOf().includes("artifacts/passes/0001/watched.json"));
    assert.ok(world.filesOf().includes("artifacts/passes/0002/pass.json"));
    assert.equal((await world.check()).code, 0);
    assert.equal((await world.loop()).exit_code, 0);
    assert.equal(world.phase("T-1"), "done");
    await world.assertWhole();
    assert.deepEqual(((await world.check()).json().tasks as { verdicts: number }[])[0]?.verdicts, 10);
  });
});

describe("commits: task", () => {
  const config = "checkpoint: commit\ncommits: task\nkeep: proof\n";

  test("makes one commit a task, at its end, with code and proof, and the tree is clean", async (t) => {
    const world = await makeOneRepo(t, config, { "T-1": {}, "T-2": { contract: ["depends_on: [T-1]"] } });
    assert.equal((await world.loop()).exit_code, 0);
    assert.equal(
      world.inRepo("log", "--format=%s"),
      ["task-phase: T-2 done (5 passes): Do T-2", "task-phase: T-1 done (5 passes): Do T-1", "start", ""].join("\n"),
    );
    assert.equal(world.inRepo("status", "--porcelain"), "");
    assert.match(
      world.inRepo("show", "--format=%b", "--stat", "HEAD"),
      /Task-Phase-Task: T-2\n[\s\S]*repos\/T-2\/work\.txt/,
    );
    assert.doesNotMatch(world.inRepo("show", "--format=", "--name-only", "HEAD"), /T-1/);
    const history = await world.check("--history");
    assert.deepEqual([history.code, history.json().findings], [0, []]);
    await world.assertWhole();
  });

  test("a question and a stop are committed too, since the people who must act read them on the host", async (t) => {
    const world = await makeOneRepo(t, config, {
      "T-1": { plan: ["honest", "asks"] },
      "T-2": { contract: ["budget: { passes: 1 }"] },
    });
    await world.loop();
    const subjects = world.inRepo("log", "--format=%s").trimEnd().split("\n");
    assert.deepEqual(subjects.sort(), [
      "start",
      "task-phase: T-1 asks (2 passes): Do T-1",
      "task-phase: T-2 shape → blocked (stopped, pass 1)",
    ]);
    assert.equal(world.inRepo("status", "--porcelain"), "");
  });

  test("with one commit a pass, the packed records are found in the history too", async (t) => {
    const world = await makeOneRepo(t, "checkpoint: commit\nkeep: proof\n");
    await world.loop();
    assert.equal(world.inRepo("log", "--format=%s").trimEnd().split("\n").length, 6);
    const history = await world.check("--history");
    assert.deepEqual([history.code, history.json().findings], [0, []]);
    assert.equal(world.inRepo("status", "--porcelain"), "");
  });
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { test } from "node:test";
import { makeLoopWorld } from "../cli/loop-world.ts";
import { assertAccepted, makeMatrixWorld } from "../cli/matrix-world.ts";

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
  const work = world.read("repos/A/work.txt");
  // A person's draft is no part of what was handed over.
  world.write("repos/A/new.txt", "new\n");
  assert.deepEqual((await look())[0], ["done", rests, null]);
  world.write("repos/A/work.txt", "other\n");
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
  world.write("repos/A/work.txt", work);
  assert.deepEqual((await look())[0], ["done", rests, null]);
});

const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const repo = {
  "src/slug.mjs": "export const slug = (text) => text;\n",
  "src/other.mjs": "export {};\n",
  "test/slug.test.mjs": `${nodeTest}import { slug } from "../src/slug.mjs";\ntest("slug", () => assert.equal(slug("a b"), "a-b"));\n`,
  ".gitattributes": "*.mjs text eol=lf\n",
};

test("a done task has moved only if one of its paths, a test or a file of its checks has", async (t) => {
  const world = makeMatrixWorld(t);
  const checks = "validators: [{ name: tests, command: [node, --test], timeout: 30s }]";
  const task = await world.begin("delivery", { repo, contract: [checks] });
  const folder = world.path(task.repo);
  const write = (path: string, text: string) => world.write(`${task.repo}/${path}`, text);
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=A Person", "-c", "user.email=person@example.test"];
    execFileSync("git", [...who, ...args], { cwd: folder, env: world.env });
  };
  const look = async () => (await task.command("show", "--json")).json().moved_since;
  // Drafts of a person: neither was ever handed over.
  write("src/other.mjs", "export const mine = 1;\n");
  write("test/draft.test.mjs", `${nodeTest}test("draft", () => assert.ok(true));\n`);
  const work = 'export const slug = (text) => text.replaceAll(" ", "-");\r\n';
  assertAccepted(await task.finish({ "src/slug.mjs": work }), "done");
  assert.equal(await look(), null);
  await t.test("drafts may go, and come", async () => {
    git("checkout", "--quiet", "src/other.mjs");
    rmSync(world.path(`${task.repo}/test/draft.test.mjs`));
    write("test/more.test.mjs", "mine\n");
    write("src/more.mjs", "mine\n");
    assert.equal(await look(), null);
  });
  await t.test("a commit that holds what was handed over, with the bytes of a clone", async () => {
    git("add", "src/slug.mjs");
    git("commit", "--quiet", "--message", "work");
    rmSync(world.path(`${task.repo}/src/slug.mjs`));
    git("checkout", "--quiet", "src/slug.mjs");
    assert.ok(!world.read(`${task.repo}/src/slug.mjs`).includes("\r"));
    assert.equal(await look(), null);
  });
  await t.test("another task's commit", async () => {
    write("src/other.mjs", "export const theirs = 2;\n");
    git("add", "src/other.mjs");
    git("commit", "--quiet", "--message", "theirs");
    assert.equal(await look(), null);
  });
  const elsewhere = async () => {
    const state = world.path("state");
    renameSync(state, `${state}-away`);
    try {
      return await look();
    } finally {
      rmSync(state, { recursive: true, force: true });
      renameSync(`${state}-away`, state);
    }
  };
  await t.test("another machine sees the same by the digest of the journal", async () => {
    assert.equal(await elsewhere(), null);
  });
  await t.test("a test that somebody committed, and the work itself", async () => {
    git("add", "test/more.test.mjs");
    git("commit", "--quiet", "--message", "a test");
    assert.deepEqual(await look(), { paths: 1, reason: null });
    write("src/slug.mjs", repo["src/slug.mjs"]);
    assert.deepEqual(await look(), { paths: 2, reason: null });
    assert.match(String(((await elsewhere()) as { reason: unknown }).reason), /^only the machine/);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { decisionsFile, openQuestion } from "./task-states.ts";
import { makeTaskWorld, type TaskCase, type TaskWorld } from "./task-world.ts";

const asked = async (world: TaskWorld): Promise<TaskCase> =>
  await world.taskAt("case", "shape", { files: { "DECISIONS.md": openQuestion } });

/** The lines of the question in what a command printed. */
function blockOf(text: string): string[] {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => / asks Q1: /.test(line));
  const until = lines.findIndex((line, index) => index > from && !line.startsWith("  "));
  return from < 0 ? [] : lines.slice(from, until);
}

test("run, loop and status show the question, its options, what ends it, the command and the place", async (t) => {
  const world = makeTaskWorld(t);
  await asked(world);
  const cwd = { cwd: "cases/case" };
  const ends = {
    run: await world.call("task-phase", ["run", "T-1"], cwd),
    loop: await world.call("task-phase", ["loop", "T-1", "--verbose"], cwd),
    status: await world.call("task-phase", ["status", "T-1"], cwd),
    all: await world.call("task-phase", [], cwd),
  };
  assert.deepEqual([ends.run.code, ends.loop.code, ends.status.code, ends.all.code], [22, 22, 0, 0]);
  for (const { stderr, stdout } of Object.values(ends)) {
    assert.deepEqual(blockOf(`${stdout}\n${stderr}\n`), [
      "T-1 asks Q1: Which encoding?",
      "  Which encoding does the export have?",
      "  options: UTF-8 or Latin-1",
      "  no safe default; it waits for a person",
      "  answer: task-phase answer T-1 Q1 TEXT",
      '  or write it after "Answer:" in tasks/T-1/DECISIONS.md:1',
    ]);
  }
  assert.match(ends.all.stdout, /^next: task-phase answer T-1 Q1 TEXT$/m);
  const quiet = await world.call("task-phase", ["run", "T-1", "--json"], cwd);
  assert.equal(quiet.stdout.split("\n").length, 2, "JSON alone on stdout");
});

test("on a known host, once the file is there as it is here, the page that edits it is named; else it is not", async (t) => {
  const world = makeTaskWorld(t);
  const task = await asked(world);
  const git = (...args: string[]) => world.git("cases/case", ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "https://me:hunter2@github.com/o/r.git");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  const editUrl = async () => {
    const [question] = (await task.command("status", "--json")).json().questions as { edit_url: string | null }[];
    return question?.edit_url;
  };
  assert.equal(await editUrl(), null, "not pushed");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  const url = await editUrl();
  assert.match(url ?? "", /^https:\/\/github\.com\/o\/r\/edit\/main\/tasks\/[^/]+\/DECISIONS\.md$/);
  const status = await task.command("status");
  assert.ok(status.stdout.includes(`DECISIONS.md:1\n  or edit ${url}\n`), status.stdout);
  assert.equal(status.stdout.includes("hunter2"), false);
  task.write("DECISIONS.md", `${openQuestion}\nA note.\n`);
  assert.equal(await editUrl(), null, "the host has another text");
});

test("control characters and long texts of a question reach no terminal as they are", async (t) => {
  const world = makeTaskWorld(t);
  const wild = decisionsFile("").replace("Which encoding does", `\u001b[2Jgone\u0007 ${"x".repeat(5_000)} does`);
  await world.taskAt("case", "shape", { files: { "DECISIONS.md": wild } });
  const { stdout } = await world.call("task-phase", ["status", "T-1"], { cwd: "cases/case" });
  assert.deepEqual([stdout.includes("\u0007"), stdout.includes("\u001b")], [false, false]);
  assert.ok(Math.max(...stdout.split("\n").map((line) => line.length)) < 700);
});

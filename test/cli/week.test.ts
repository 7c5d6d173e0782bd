import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { splitShellWords } from "../../lib/text/shell-words.ts";
import { fieldOf, stateFile } from "./task-states.ts";
import { makeTaskWorld, validator } from "./task-world.ts";

const question = "## Q1: Which encoding?\n\n- Question: Which one?\n- Options: UTF-8; Latin-1\n- Answer:\n";
const wish = "It must also export a version.";

test("a week in one repo: each legal move of a person has an answer, and each printed command works", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("week", "implement", {
    contract: [validator, "retries_per_failure: 0"],
    repo: { "good.txt": "good\n", "notes.txt": "one\n" },
  });
  const folder = path.join("cases", "week");
  const git = (...words: string[]) => world.git(folder, ...words);
  const commitAll = () => {
    git("add", "--all");
    git("commit", "--quiet", "--message=mine");
  };
  /** Calls what the program printed, word by word. */
  const callPrinted = async (text: string, command: RegExp, more = (words: string) => words) => {
    const [, ...words] = wordsOf(more(command.exec(text)?.[0] ?? ""));
    assert.ok(words.length > 0, text);
    return await world.call("task-phase", words, { cwd: folder });
  };
  const propose = (phase: "implement" | "verify" | "review" | "done", fields = {}, repo = {}) =>
    task.propose({ task: { "STATE.md": stateFile({ phase, fields }) }, repo });
  git("init", "--quiet", "--initial-branch=main");
  commitAll();

  // Monday: the agent asks, and the printed command answers.
  task.propose({ task: { "DECISIONS.md": question } });
  const asks = await task.run();
  assert.equal(asks.code, 22, asks.stderr);
  const answered = await callPrinted(asks.stderr, /task-phase answer T-1 Q1 TEXT/, (line) =>
    line.replace("TEXT", "UTF-8"),
  );
  assert.match(answered.stderr, /the next run continues/);

  // Tuesday: the brief gets one more wish, and the next pass is told.
  propose("implement", { "Next step": "on" });
  assert.equal((await task.pass()).verdict, "accepted");
  task.write("README.md", task.read("README.md").replace("title: ", "priority: 1\ntitle: "));
  propose("implement", { "Next step": "further" });
  assert.equal((await task.pass()).verdict, "accepted");
  task.write("README.md", `${task.read("README.md")}\n${wish}\n`);
  assert.match((await task.run("--dry-run")).stdout, new RegExp(`^\\+${wish}$`, "m"));
  propose("verify", { Objective: "Export the answer, and a version" });
  assert.equal((await task.pass()).to, "verify");

  // Wednesday: STATE.md is deleted by mistake, and a merge is left unfinished.
  const accepted = task.state();
  rmSync(path.join(task.taskDir, "STATE.md"));
  assert.deepEqual([(await task.pass()).exit_code, task.state()], [20, accepted]);
  commitAll();
  const brief = task.read("README.md");
  git("checkout", "--quiet", "-b", "side");
  task.write("README.md", `${brief}\nTheirs.\n`);
  commitAll();
  git("checkout", "--quiet", "main");
  task.write("README.md", `${brief}\nOurs.\n`);
  commitAll();
  assert.throws(() => git("merge", "--quiet", "side"));
  const merging = await task.run();
  assert.equal(merging.code, 65, merging.stderr);
  assert.match(merging.stderr, /unfinished merge \(line \d+: <<<<<<<\)/);
  await callGit(git, merging.stderr);
  task.write("README.md", brief);
  commitAll();

  // Thursday: another working tree of the same repo is trusted as this one is.
  const trust = { env: { TASK_PHASE_TRUST: "" } };
  assert.equal((await world.call("task-phase", ["trust"], { cwd: folder, ...trust })).code, 0);
  git("worktree", "add", "-q", "../side-tree", "side");
  const beside = await world.call("task-phase", ["run", "--dry-run"], { cwd: "cases/side-tree/tasks/T-1", ...trust });
  assert.doesNotMatch(beside.stderr, /TP_UNTRUSTED/);

  // Friday: a commit between verify and review, then a check that fails: stuck, and back by the printed command.
  propose("review", { Objective: "Export the answer, and a version" });
  assert.equal((await task.pass()).to, "review");
  world.write(path.join(folder, "repo", "notes.txt"), "two\n");
  commitAll();
  propose("done", { Objective: "Export the answer, and a version" }, { "good.txt": "" });
  rmSync(world.path(folder, "repo", "good.txt"));
  const stuck = await task.run();
  assert.equal(stuck.code, 23, stuck.stderr);
  assert.match(stuck.stderr, /a person moved HEAD: [0-9a-f]{7} to [0-9a-f]{7}/);
  const printed = (await task.command("status")).stdout;
  const resumed = await callPrinted(printed, /task-phase answer T-1 Q2 TEXT/, (line) => line.replace("TEXT", "mended"));
  assert.equal(resumed.code, 0, resumed.stderr);
  world.write(path.join(folder, "repo", "good.txt"), "good\n");
  for (let calls = 0; calls < 4 && fieldOf(task.state(), "Phase") !== "done"; calls += 1) {
    const next = { repair: "verify", verify: "review", review: "done" } as const;
    const phase = fieldOf(task.state(), "Phase") as keyof typeof next;
    propose(next[phase], { Objective: "Export the answer, and a version" });
    const end = await task.run();
    assert.equal(end.code, 0, end.stderr);
  }
  assert.equal(fieldOf(task.state(), "Phase"), "done");
});

function wordsOf(line: string): readonly string[] {
  const split = splitShellWords(line);
  return "words" in split ? split.words : [];
}

/** Undoes the merge as the message says. */
async function callGit(git: (...words: string[]) => string, text: string): Promise<void> {
  const words = /git (merge --abort)/.exec(text)?.[1]?.split(" ") ?? [];
  git(...words);
}

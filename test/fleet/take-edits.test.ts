import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bringFolder, readEdits, takeEdits } from "../../lib/fleet/take-edits.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { readTaken, type Taken, unsure } from "../../lib/queue/views/taken-words.ts";
import { gitEnv, makeRepo, write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

test("a person's files of a task are its texts, without what the runner writes", (t) => {
  const folder = makeFolder(t);
  write(folder, {
    "README.md": "brief",
    "STATE.md": "state",
    "DECISIONS.md": "answer",
    "notes/a b.md": "note\r\n",
    "log.txt": "the runner's",
    "EVIDENCE.md": "the runner's",
    "artifacts/report.md": "the agent's",
    ".hidden/x": "hidden",
    "deep/artifacts/x": "mine",
    binary: "a\0b",
    large: "x".repeat(1024 * 1024 + 1),
  });
  symlinkSync("README.md", join(folder, "link"));
  assert.deepEqual(readEdits(folder), {
    version: 1,
    files: {
      "README.md": "brief",
      "STATE.md": "state",
      "DECISIONS.md": "answer",
      "notes/a b.md": "note\r\n",
      "deep/artifacts/x": "mine",
    },
  });
  assert.deepEqual(readEdits(join(folder, "none")), { version: 1, files: {} });
});

test("what an editor keeps beside an open file is nobody's words, and comes to no branch", (t) => {
  const [folder, to] = [makeFolder(t), join(makeFolder(t), "T-1")];
  write(folder, { "README.md": "brief", "README.md~": "old", "#README.md#": "half", ".README.md.swp": "swap" });
  write(folder, { "drafts~/a.md": "mine" });
  symlinkSync("me@host.1:2", join(folder, ".#README.md"));
  assert.deepEqual(readEdits(folder).files, { "README.md": "brief", "drafts~/a.md": "mine" });
  bringFolder(folder, to);
  assert.deepEqual(readdirSync(to), ["README.md", "drafts~"]);
});

const lines = (changes: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 9 }, (_value, index) => `${changes[index] ?? index}\n`).join("");

function arrange(t: TestContext, branch: Readonly<Record<string, string>>) {
  const folder = makeFolder(t);
  makeRepo(join(folder, "clone"), { "tasks/T-1/STATE.md": "x" });
  const [taskDir, note] = [join(folder, "clone/tasks/T-1"), join(folder, "notes/T-1.json")];
  write(taskDir, branch);
  write(folder, { "scratch/x": "" });
  const git = findGitPlace(join(folder, "clone")) ?? assert.fail();
  const task = { taskDir, treeDir: join(folder, "tree"), note, ref: "refs/heads/task-phase/T-1" };
  const take = (now: Taken["files"], taken: Partial<Taken> = {}) =>
    takeEdits(git, { now: { version: 1, files: now }, taken: { version: 1, files: {}, ...taken } }, task, {
      env: gitEnv,
      scratch: join(folder, "scratch"),
    });
  const read = (path: string) => (existsSync(join(taskDir, path)) ? readFileSync(join(taskDir, path), "utf8") : null);
  return { take, read, refused: () => readTaken(note)?.refused ?? null };
}

test("what a person changed since the last look is put on the branch, and nothing else", async (t) => {
  const { take, read } = arrange(t, { same: "old", there: "new", gone: "old", README: "old" });
  const now = { same: "old", there: "new", README: "mine", "in/added": "mine", gone: "old" };
  assert.deepEqual(await take(now, { files: { same: "old", README: "old", gone: "old" } }), ["README", "in/added"]);
  assert.deepEqual([read("README"), read("in/added"), read("there")], ["mine", "mine", "new"]);
});

test("changes of both sides are joined where they are in other lines", async (t) => {
  const { take, read } = arrange(t, { a: lines({ 1: "theirs" }) });
  assert.deepEqual(await take({ a: lines({ 7: "mine" }) }, { files: { a: lines() } }), ["a"]);
  assert.equal(read("a"), lines({ 1: "theirs", 7: "mine" }));
});

test("changes of the same lines are refused, until a person writes what holds", async (t) => {
  const { take, read, refused } = arrange(t, { a: lines({ 1: "theirs" }) });
  const taken = { files: { a: lines() } };
  const mine = lines({ 1: "mine" });
  await assert.rejects(take({ a: mine }, taken), (error: Error & { findings?: readonly { fix: string }[] }) => {
    assert.match(error.message, /^a was changed here and on the branch of the task, in the same lines$/);
    assert.match(error.findings?.[0]?.fix ?? "", /^git show task-phase\/T-1:tasks\/T-1\/a shows the other/);
    return true;
  });
  assert.deepEqual([read("a"), refused()], [lines({ 1: "theirs" }), { a: mine }]);
  await assert.rejects(take({ a: mine }, { ...taken, refused: { a: mine } }), /in the same lines/);
  assert.deepEqual(await take({ a: lines({ 1: "both" }) }, { ...taken, refused: { a: mine } }), ["a"]);
  assert.equal(read("a"), lines({ 1: "both" }));
});

test("the newest word of a person counts in CONTROL.md, and where it is not known what was taken", async (t) => {
  const { take, read } = arrange(t, { "CONTROL.md": "RETRY\n", a: "theirs\n" });
  const taken = { files: { "CONTROL.md": "old\n", a: unsure } };
  assert.deepEqual(await take({ "CONTROL.md": "PAUSE\n", a: "mine\n" }, taken), ["CONTROL.md", "a"]);
  assert.deepEqual([read("CONTROL.md"), read("a")], ["PAUSE\n", "mine\n"]);
});

test("a branch begins with the whole folder of the working tree, links and rights as they are", (t) => {
  const folder = makeFolder(t);
  write(folder, { "tree/in/a": "1", "clone/T-1/old": "1" });
  chmodSync(join(folder, "tree/in/a"), 0o755);
  symlinkSync("in/a", join(folder, "tree/link"));
  bringFolder(join(folder, "tree"), join(folder, "clone/T-1"));
  assert.equal(existsSync(join(folder, "clone/T-1/old")), false);
  writeFileSync(join(folder, "tree/in/a"), "2");
  assert.equal(readFileSync(join(folder, "clone/T-1/link"), "utf8"), "1", "the link leads to the copy");
  bringFolder(join(folder, "tree"), join(folder, "new/deep/T-1"));
  assert.equal(readFileSync(join(folder, "new/deep/T-1/in/a"), "utf8"), "2");
});

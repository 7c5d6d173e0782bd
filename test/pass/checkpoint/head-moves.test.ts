import assert from "node:assert/strict";
import fs, { mkdirSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  findHead,
  findHeadMoves,
  findMovedHead,
  keepSettings,
  readKeptSettings,
  recordHead,
  renderMove,
  seeHead,
} from "../../../lib/pass/checkpoint/head-moves.ts";
import { reflogAction } from "../../../lib/rules/words.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { git, gitEnv, makeRepo, write } from "../../git/git-repo.ts";
import { makeFolder } from "../../process/arrange.ts";

const asModel = (repo: string, words: string) =>
  git(repo, "-c", `alias.own=!GIT_REFLOG_ACTION='${reflogAction}' git ${words}`, "own");

const [one, two] = ["c0e845c".padEnd(40, "0"), "9a01b22".padEnd(40, "0")];

test("a move is told by its commits, its branches or both", () => {
  const main = { commit: one, ref: "refs/heads/main" };
  const at = (commit: string, ref: string | null) => renderMove(main, { commit, ref });
  assert.equal(at(two, "refs/heads/main"), "moved HEAD: c0e845c to 9a01b22");
  assert.equal(at(one, "refs/heads/else/where"), "switched from main to else/where");
  assert.equal(at(two, "refs/heads/x"), "switched from main to x (c0e845c to 9a01b22)");
  assert.equal(at(one, null), "switched from main to c0e845c");
});

function makePlace(t: TestContext) {
  const folder = makeFolder(t);
  const repo = join(folder, "repo");
  makeRepo(repo, { "a.txt": "1\n" });
  const env = { ...gitEnv, XDG_STATE_HOME: join(folder, "state") };
  const ports = { env, home: join(folder, "home"), redactor: createRedactor(env) };
  const commit = (message: string, files: Readonly<Record<string, string>>) => {
    write(repo, files);
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", message);
  };
  const own = join(folder, "own");
  mkdirSync(own);
  return { folder, repo, own, ports, commit };
}

test("a move since the runner left HEAD is found, and one to the same place is none", async (t) => {
  const { repo, own, ports, commit } = makePlace(t);
  assert.equal(await findMovedHead(repo, ports), null, "nothing was noted yet");
  await recordHead(repo, own, ports);
  assert.equal(await findMovedHead(repo, ports), null);
  const was = await findHead(repo, ports);
  commit("two", { "a.txt": "2\n" });
  const moved = await findMovedHead(repo, ports);
  assert.deepEqual([moved?.was, moved?.now], [was, await findHead(repo, ports)]);
  git(repo, "reset", "-q", "--hard", "HEAD~1");
  assert.equal(await findMovedHead(repo, ports), null);
  git(repo, "switch", "-q", "-c", "other");
  assert.deepEqual((await findMovedHead(repo, ports))?.now.ref, "refs/heads/other");
  git(repo, "switch", "-q", "--detach");
  assert.equal((await findMovedHead(repo, ports))?.now.ref, null);
  await recordHead(repo, own, ports);
  assert.equal(await findMovedHead(repo, ports), null);
});

test("a note for all tasks of a repository is half written in the folder of its task alone, whose next run cleans up", async (t) => {
  const { repo, own, ports } = makePlace(t);
  const opened: string[] = [];
  const { openSync } = fs;
  t.after(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  fs.openSync = (...args) => {
    opened.push(String(args[0]));
    return openSync(...args);
  };
  syncBuiltinESMExports();
  await recordHead(repo, own, ports);
  assert.deepEqual(opened.filter((path) => basename(path).startsWith(".tp-")).map(dirname), [own]);
});

test("without git, a commit or a repository that git can read there is no HEAD, and nothing is noted", async (t) => {
  const { folder, repo, own, ports } = makePlace(t);
  const plain = join(folder, "plain");
  mkdirSync(plain);
  assert.equal(await findHead(plain, ports), null);
  await recordHead(plain, own, ports);
  git(plain, "init", "-q");
  assert.equal(await findHead(plain, ports), null);
  rmSync(join(repo, ".git/objects"), { recursive: true });
  assert.equal(await findHead(repo, ports), null);
  assert.equal(await findMovedHead(repo, ports), null);
});

test("what a person committed during a pass is listed with its paths, and a commit of the model's git is not", async (t) => {
  const { folder, repo, ports, commit } = makePlace(t);
  const was = await findHead(repo, ports);
  const persons = async () => (await findHeadMoves(repo, was, ports)).persons;
  assert.deepEqual(await persons(), []);
  commit("Fix it", { "a.txt": "2\n", "b.txt": "1\n" });
  const [found, ...more] = await persons();
  assert.match(found?.name ?? "", /^[0-9a-f]{7} Fix it$/);
  assert.deepEqual([[...(found?.paths ?? [])].sort(), more], [["a.txt", "b.txt"], []]);
  git(repo, "checkout", "-q", "-b", "other");
  const moves = await persons();
  assert.deepEqual(
    moves.map(({ switched }) => switched),
    [false, true],
    "to switch is not to commit",
  );
  write(repo, { "c.txt": "1\n" });
  git(repo, "add", "-A");
  git(repo, "stash", "-q");
  assert.equal((await persons()).length, 2, "a stash leaves HEAD where it is");
  git(repo, "stash", "pop", "-q");
  git(repo, "checkout", "-q", "-");
  git(repo, "-c", `alias.own=!GIT_REFLOG_ACTION='${reflogAction}' git commit -q -m mine`, "own");
  assert.equal((await persons()).length, 3);
  git(repo, "checkout", "-q", "HEAD");
  assert.equal((await persons()).length, 3, "so does a checkout of the present branch");
  git(repo, "branch", "-m", "renamed");
  assert.equal((await persons()).length, 3, "and a new name of the branch");
  assert.deepEqual(await findHeadMoves(repo, null, ports), { persons: [], lost: [] });
  assert.deepEqual(await findHeadMoves(join(folder, "none"), was, ports), { persons: [], lost: [] });
});

test("commits that the model's git took off the branch are listed, and those that a person took off are not", async (t) => {
  const { repo, ports, commit } = makePlace(t);
  commit("Fix it", { "a.txt": "2\n" });
  commit("Add b", { "b.txt": "1\n" });
  const was = await findHead(repo, ports);
  const lost = async () =>
    (await findHeadMoves(repo, was, ports)).lost.map((name) => name.replace(/^[0-9a-f]{7} /, ""));
  assert.deepEqual(await lost(), []);
  asModel(repo, "commit -q --allow-empty -m more");
  assert.deepEqual(await lost(), [], "a commit on top takes none off");
  asModel(repo, "reset -q --hard HEAD~3");
  assert.deepEqual(await lost(), ["Add b", "Fix it"]);
  git(repo, "reset", "-q", "--hard", was?.commit ?? "");
  asModel(repo, "commit -q --amend -m amended");
  assert.deepEqual(await lost(), ["Add b"]);
  git(repo, "reset", "-q", "--hard", was?.commit ?? "");
  asModel(repo, "checkout -q -b other HEAD~1");
  assert.deepEqual(await lost(), [], "the branch still has them");
  git(repo, "branch", "-q", "-D", was?.ref?.replace("refs/heads/", "") ?? "");
  assert.deepEqual(await lost(), ["Add b"], "without the branch, HEAD counts");
  git(repo, "checkout", "-q", "-B", was?.ref?.replace("refs/heads/", "") ?? "", was?.commit ?? "");
  git(repo, "reset", "-q", "--hard", "HEAD~1");
  assert.deepEqual(await lost(), [], "a person's own reset is told as such");
});

test("a commit that a person took off or that another branch has is not lost, and one that git no longer has is", async (t) => {
  const { repo, ports, commit } = makePlace(t);
  commit("Fix it", { "a.txt": "2\n" });
  const was = await findHead(repo, ports);
  git(repo, "commit", "-q", "--amend", "-m", "Fix it well");
  asModel(repo, "commit -q --allow-empty -m more");
  assert.deepEqual((await findHeadMoves(repo, was, ports)).lost, [], "the person amended it");
  asModel(repo, "reset -q --hard HEAD~2");
  assert.match((await findHeadMoves(repo, was, ports)).lost.join(), /^[0-9a-f]{7} Fix it well$/, "not the amended one");
  git(repo, "reset", "-q", "--hard", was?.commit ?? "");
  git(repo, "checkout", "-q", "--detach");
  const detached = await findHead(repo, ports);
  asModel(repo, "checkout -q HEAD~1");
  assert.deepEqual((await findHeadMoves(repo, detached, ports)).lost, [], "the branch has it");
  git(repo, "checkout", "-q", "-B", "main");
  git(repo, "reflog", "expire", "--expire=now", "--all");
  git(repo, "gc", "-q", "--prune=now");
  assert.deepEqual((await findHeadMoves(repo, was, ports)).lost, [was?.commit.slice(0, 7)]);
});

test("a commit of a person that the model's git takes off every branch is lost, also back to where the pass began", async (t) => {
  const { repo, ports, commit } = makePlace(t);
  const start = async () => {
    const was = await seeHead(repo, ports);
    const names = (all: readonly string[]) => all.map((name) => name.replace(/^[0-9a-f]{7} /, ""));
    return async () => {
      const { persons, lost } = await findHeadMoves(repo, was, ports);
      return [names(persons.map(({ name }) => name)), names(lost)];
    };
  };
  const first = await start();
  commit("Fix it", { "a.txt": "2\n" });
  assert.deepEqual(await first(), [["Fix it"], []]);
  asModel(repo, "reset -q --hard HEAD~1");
  assert.deepEqual(await first(), [["Fix it"], ["Fix it"]]);
  git(repo, "branch", "kept", "HEAD@{1}");
  assert.deepEqual(await first(), [["Fix it"], []], "a branch has it");

  const second = await start();
  assert.deepEqual(await second(), [[], []], "what came before is another pass's");
  asModel(repo, "commit -q --allow-empty -m own");
  asModel(repo, "commit -q --allow-empty --amend -m mine");
  asModel(repo, "reset -q --hard HEAD~1");
  assert.deepEqual(await second(), [[], []], "its own commits of this pass are the model's to drop");
  asModel(repo, "commit -q --allow-empty -m own");
  commit("Add b", { "b.txt": "1\n" });
  git(repo, "commit", "-q", "--amend", "-m", "Add b well");
  asModel(repo, "commit -q --amend -m amended");
  const [persons, lost] = await second();
  assert.deepEqual(lost, ["Add b well"], "the person's own amend took the other one");
  assert.equal(persons?.length, 2);

  const third = await start();
  const main = git(repo, "branch", "--show-current").trim();
  git(repo, "checkout", "-q", "-b", "topic");
  commit("Try c", { "c.txt": "1\n" });
  git(repo, "checkout", "-q", "-");
  git(repo, "branch", "-q", "-D", "topic");
  asModel(repo, "commit -q --allow-empty -m more");
  assert.deepEqual((await third())[1], [], "the person left it on a branch of their own");
  asModel(repo, "checkout -q -b own");
  commit("Add d", { "d.txt": "1\n" });
  asModel(repo, `checkout -q ${main}`);
  asModel(repo, "branch -q -D own");
  assert.deepEqual((await third())[1], ["Add d"], "the model's branch was not theirs");
  commit("Add e", { "e.txt": "1\n" });
  git(repo, "checkout", "-q", "-b", "look");
  git(repo, "checkout", "-q", "-");
  asModel(repo, "reset -q --hard HEAD~1");
  git(repo, "branch", "-q", "-D", "look");
  assert.deepEqual((await third())[1], ["Add e", "Add d"], "they only looked at another branch");
});

test("no secret in the subject of a commit is named, not even the part of one that a cut leaves", async (t) => {
  const { repo, ports, commit } = makePlace(t);
  const token = `ghp_${"aB3dE6gH9k".repeat(4).slice(0, 36)}`;
  const before = await findHead(repo, ports);
  commit(`${"long ".repeat(12)}${token}`, { "a.txt": "2\n" });
  const was = await findHead(repo, ports);
  const [committed] = (await findHeadMoves(repo, before, ports)).persons;
  asModel(repo, "reset -q --hard HEAD~1");
  const [lost] = (await findHeadMoves(repo, was, ports)).lost;
  for (const name of [committed?.name, lost]) {
    assert.match(name ?? "", /^[0-9a-f]{7} long /);
    assert.doesNotMatch(name ?? "", /ghp_/);
  }
});

test("settings that were kept are those of that pass alone, and a file that a power cut left empty has none", (t) => {
  const folder = makeFolder(t);
  const settings = new Map([["core.hookspath", "a digest"]]);
  keepSettings({ folder }, 2, settings);
  assert.deepEqual([readKeptSettings({ folder }, 2), readKeptSettings({ folder }, 3)], [settings, null]);
  write(folder, { "settings.json": "" });
  assert.equal(readKeptSettings({ folder }, 2), null);
});

import assert from "node:assert/strict";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { describe, test } from "node:test";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";

const needs = (...ids: string[]) => ({ contract: [`depends_on: [${ids.join(", ")}]`] });
/** The check of the whole: each line of work.txt once, and no file that is called bad. */
const once = `validators: [{ name: tests, command: [sh, -c, "test -z \\"$(sort work.txt | uniq -d)\\" && ! grep -q '<<<<' work.txt && test ! -f T-1.txt -o ! -f clash"] }]`;

/** What is left of tasks in the cache folder, beside locks, the notes of a loop, and objects that wait for the sweep. */
function leftFolders({ path }: BranchWorld): string[] {
  const names = readdirSync(path("home/.cache/task-phase"), { recursive: true }).map(String);
  return names.filter((name) => /^(?!workspaces|landed)\w+\/\w+\/(?!.*(?:\.lock$|\.objects(?:\/|$)))/.test(name));
}

describe("land", () => {
  test("merges what is done in the order of dependencies; tree, branches and clones are as afterwards", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": needs("T-1"), "T-3": {} });
    await world.ends(0, "loop", "--jobs", "2");
    const { stderr } = await world.ends(0, "land", "--all");
    assert.match(stderr, /T-1 {2}landed.*T-2 {2}landed/s);
    assert.deepEqual(world.branches(), ["main"]);
    assert.equal(world.git("repo", "for-each-ref", "refs/task-phase"), "");
    assert.deepEqual(leftFolders(world), []);
    assert.equal(world.git("repo", "status", "--porcelain"), "?? tasks/task-phase.yaml\n");
    assert.deepEqual(
      ["T-1", "T-2", "T-3"].map((task) => world.read(`repo/${task}.txt`)),
      ["T-1", "T-2", "T-3"].map((task) => `work of ${task}\n`),
    );
    assert.equal(await world.phaseOf("T-2"), "done");
    assert.doesNotMatch((await world.ends(0, "status")).stdout, /only the machine/);
    assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
    assert.match((await world.ends(0, "land", "--all")).stderr, /no branch of a task that is done is left to land/);
  });

  test("without a local branch, the command that makes it from the one that was fetched is named", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} }, "workspace: branch\nfleet: { ref: 'jobs/{id}' }\n");
    const said = async (id: string) => (await world.ends(64, "land", id)).stderr;
    assert.match(
      await said("T-9"),
      /no branch of T-9 .*\n {2}fix: task-phase status .*; if a remote has it, git fetch first\n/,
    );
    world.git("repo", "update-ref", "refs/remotes/up/jobs/T-9", "HEAD");
    assert.match(await said("T-9"), /fix: it was fetched; make it yours: git branch jobs\/T-9 up\/jobs\/T-9\n/);
    await world.ends(0, "loop");
    assert.match(await said("T-8"), /fix: those with a branch: T-1; if a remote/);
  });

  test("--dry-run says what would happen and changes nothing", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    const before = [world.mine(), world.branches().join()];
    assert.match((await world.ends(0, "land", "--dry-run")).stderr, /T-1 {2}would land/);
    assert.deepEqual([world.mine(), world.branches().join()], before);
  });

  test("--dry-run tries each task on the target as it is, and names what would land before it", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": needs("T-1"), "T-3": {} });
    await world.ends(0, "loop", "--jobs", "2");
    const { stderr } = await world.ends(0, "land", "--all", "--dry-run");
    assert.match(stderr, /T-1 {2}would land {2}it merges into main, and its checks pass there$/m);
    assert.match(stderr, /T-2 {2}would land {2}it merges into main, and its checks pass there$/m);
    assert.match(stderr, /T-3 {2}would land {2}.*; this was tried without T-1, T-2, which would land first$/m);
  });

  test("a changed tree in which the target is checked out stays, and so does the target", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    world.write("repo/work.txt", "a person's edit\n");
    const before = world.mine();
    const { stderr } = await world.ends(20, "land", "T-1");
    assert.match(stderr, /T-1 {2}left .*work\.txt.*commit or stash them/);
    assert.equal(world.mine(), before);
    world.git("repo", "stash");
    await world.ends(0, "land", "T-1");
    world.git("repo", "stash", "pop");
    assert.equal(world.read("repo/work.txt"), "a person's edit\n");
  });

  test("a file that the person's git ignores is not written over", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    world.write("repo/.git/info/exclude", "T-1.txt\n");
    world.write("repo/T-1.txt", "a person's own\n");
    const before = world.mine();
    const { stderr } = await world.ends(20, "land", "T-1");
    assert.match(stderr, /T-1 {2}left .*would be overwritten by merge: T-1\.txt; /);
    assert.equal(world.read("repo/T-1.txt"), "a person's own\n");
    assert.equal(world.mine(), before);
  });

  test("a person whose git verifies signatures is told how to land what has none", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    world.git("repo", "config", "merge.verifySignatures", "yes");
    const { stderr } = await world.ends(20, "land", "T-1");
    assert.match(
      stderr,
      /T-1 {2}left .*signature.*next: git config merge\.verifySignatures false, since .*then land it/,
    );
    world.git("repo", "config", "merge.verifySignatures", "false");
    await world.ends(0, "land", "T-1");
  });

  test("a working tree whose repository is elsewhere goes with its branch", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    world.git("repo", "init", "-q", `--separate-git-dir=${world.path("apart.git")}`);
    await world.ends(0, "loop", "--jobs", "2");
    await world.ends(0, "land", "T-1");
    world.git("apart.git", "config", "core.bare", "true");
    world.git("apart.git", "worktree", "add", "-qf", world.path("linked"), "main");
    world.write("linked/tasks/task-phase.yaml", world.read("repo/tasks/task-phase.yaml"));
    const end = await world.call("task-phase", ["land", "T-2"], { cwd: "linked", env: { TASK_PHASE_TRUST: "1" } });
    assert.equal(end.code, 0, end.stderr);
    assert.deepEqual([world.read("repo/T-1.txt"), world.read("linked/T-2.txt")], ["work of T-1\n", "work of T-2\n"]);
  });

  test("a person's note beside a brief that is in a commit stays, and is no hindrance once it is taken along", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "the brief");
    await world.ends(0, "loop");
    world.write("repo/tasks/T-1/notes.md", "a thought\n");
    await world.ends(0, "run", "T-1");
    world.write("repo/tasks/T-1/later.md", "a second thought\n");
    world.write("repo/tasks/T-1/notes.md", "another thought\n");
    assert.match((await world.ends(20, "land", "T-1")).stderr, /T-1 {2}left .*in no commit: tasks\/T-1\/notes\.md;/);
    assert.equal(world.read("repo/tasks/T-1/notes.md"), "another thought\n");
    world.write("repo/tasks/T-1/notes.md", "a thought\n");
    await world.ends(0, "land", "T-1");
    assert.equal(world.read("repo/tasks/T-1/notes.md"), "a thought\n");
    assert.equal(world.git("repo", "status", "--porcelain"), "?? tasks/T-1/later.md\n");
    assert.deepEqual(readdirSync(world.path("repo/.git/task-phase-aside")), []);
  });

  test("a target that is checked out nowhere moves alone", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    world.git("repo", "branch", "release");
    const before = world.mine().replace(/.*refs\/heads\/release\n/, "");
    await world.ends(0, "land", "T-1", "--into", "release", "--keep");
    assert.equal(world.mine().replace(/.*refs\/heads\/release\n/, ""), before);
    assert.equal(world.git("repo", "show", "release:T-1.txt"), "work of T-1\n");
    assert.match((await world.ends(64, "land", "T-1", "--into", "nowhere")).stderr, /there is no branch nowhere/);
    assert.match((await world.ends(0, "status")).stdout, /next: task-phase land --all/);
  });

  for (const [what, begin] of [
    ["bisect", [["bisect", "start", "main", "main~2"]]],
    ["rebase", [["-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~2"]]],
  ] as const)
    test(`a target stays as long as a ${what} of it is in progress, and so does the working tree`, async (t) => {
      const world = makeBranchWorld(t, { "T-1": {} });
      const commit = (text: string) => {
        world.write("repo/work.txt", text);
        world.git("repo", "commit", "-qam", text);
      };
      for (const text of ["two", "three", "four"]) commit(text);
      await world.ends(0, "loop");
      for (const words of begin) world.git("repo", ...words);
      const mine = () => [world.git("repo", "rev-parse", "HEAD", "main"), world.git("repo", "status", "--porcelain")];
      const before = mine();
      const { stderr } = await world.ends(20, "land", "T-1", "--into", "main");
      assert.match(stderr, new RegExp(`T-1 {2}left {2}a ${what} of main is in progress in .*; next: finish it`));
      assert.deepEqual(mine(), before);
      world.git("repo", what, what === "bisect" ? "reset" : "--abort");
      await world.ends(0, "land", "T-1", "--into", "main");
      assert.equal(world.git("repo", "show", "main:T-1.txt"), "work of T-1\n");
    });

  test("the lock of a ref that a power cut left is named", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    const lock = (name: string) => world.write(`repo/.git/refs/heads/${name}.lock`, "");
    world.git("repo", "branch", "release");
    const release = lock("release");
    const { stderr } = await world.ends(20, "land", "T-1", "--into", "release");
    assert.ok(stderr.includes(`a power cut or a kill left ${release}: remove it, then land it again`), stderr);
    const main = lock("main");
    const before = world.mine();
    assert.ok((await world.ends(20, "land", "T-1")).stderr.includes(`left ${main}: remove it, then`));
    assert.equal(world.mine(), before);
    rmSync(main);
    const own = lock("task-phase/T-1");
    const told = (await world.ends(0, "land", "T-1")).stderr;
    assert.match(told, /T-1 {2}landed {2}merged into main\n/);
    assert.ok(told.includes(`has landed, but refs/heads/task-phase/T-1 could not be deleted`), told);
    assert.ok(told.includes(own), told);
  });

  test("a lock of HEAD leaves the working tree as it was, ignored and unknown files too", async (t) => {
    const plan = [
      "mkdir $TASK_PHASE_REPO/new; echo one > $TASK_PHASE_REPO/new/one; echo two >> $TASK_PHASE_REPO/work.txt",
    ];
    const world = makeBranchWorld(t, { "T-1": { plan } });
    await world.ends(0, "loop");
    world.write("repo/mine.txt", "a person's own\n");
    world.write("repo/ignored/mine.txt", "a person's own\n");
    const lock = world.write("repo/.git/HEAD.lock", "");
    const before = world.mine();
    assert.match((await world.ends(20, "land", "T-1")).stderr, /T-1 {2}left .*HEAD\.lock/);
    assert.equal(world.mine(), before);
    assert.ok(!world.exists("repo/T-1.txt") && world.exists("repo/ignored/mine.txt"));
    rmSync(lock);
    await world.ends(0, "land", "T-1");
    assert.equal(world.read("repo/new/one"), "one\n");
  });

  test("a full disk leaves the working tree as it was", async (t) => {
    const world = makeBranchWorld(t, { "T-1": { plan: ["echo two >> $TASK_PHASE_REPO/work.txt"] } });
    await world.ends(0, "loop");
    const git = world.write(
      "bin/git",
      `#!/bin/sh
case " $* " in *" merge --ff-only "*)
  cd "${world.path("repo")}" && printf wo > T-1.txt && : > work.txt && mkdir -p tasks/T-1/artifacts && : > tasks/T-1/artifacts/report.md
  echo "error: unable to write file T-1.txt" >&2; exit 1 ;;
esac
exec "${world.git(".", "--exec-path").trim()}/git" "$@"
`,
    );
    chmodSync(git, 0o755);
    const before = world.mine();
    const PATH = `${world.path("bin")}:${world.env.PATH}`;
    const end = await world.call("task-phase", ["land", "T-1"], { cwd: "repo", env: { PATH } });
    assert.equal(end.code, 20, end.stderr);
    assert.match(end.stderr, /T-1 {2}left .*unable to write file/);
    assert.equal(world.mine(), before);
    await world.ends(0, "land", "T-1");
    assert.equal(world.git("repo", "for-each-ref", "refs/task-phase"), "");
  });

  test("lines that both sides changed go back to repair on the merge of both, and land after it", async (t) => {
    const adds = (words: string) =>
      `case $TASK_PHASE_PHASE in implement) echo ${words} > $TASK_PHASE_REPO/work.txt ;; repair) printf 'one\\ntwo\\n' > $TASK_PHASE_REPO/work.txt ;; esac`;
    const task = (words: string) => ({ contract: [once], plan: [adds(words), adds(words), adds(words), adds(words)] });
    const world = makeBranchWorld(t, { "T-1": task("one"), "T-2": task("two") });
    await world.ends(0, "loop", "--jobs", "2");
    const { stderr } = await world.ends(20, "land", "--all");
    assert.match(stderr, /T-1 {2}landed.*T-2 {2}conflict .*work\.txt; it goes on in repair/s);
    assert.equal(world.read("repo/work.txt"), "one\n");
    assert.equal(await world.phaseOf("T-2"), "repair");
    assert.match(world.git("repo", "show", "task-phase/T-2:work.txt"), /<<<<<<< .*one.*=======.*two/s);
    assert.match((await world.ends(0, "status", "T-2")).stdout, /ticket merge:conflict/);
    await world.ends(0, "loop");
    await world.ends(0, "land", "T-2");
    assert.equal(world.read("repo/work.txt"), "one\ntwo\n");
    assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
  });

  test("a task whose brief is in no commit of the target goes back to repair, too", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    world.write("repo/T-1.txt", "a person's\n");
    world.git("repo", "add", "T-1.txt");
    world.git("repo", "commit", "-qm", "the same file");
    assert.match((await world.ends(20, "land", "T-1")).stderr, /T-1 {2}conflict .*T-1\.txt; it goes on in repair/);
    assert.equal(await world.phaseOf("T-1"), "repair");
  });

  test("what a conflict's repair hands over is proven against the branch that it lands in", async (t) => {
    const adds = (words: string) =>
      `case $TASK_PHASE_PHASE in implement) echo ${words} > $TASK_PHASE_REPO/work.txt; echo weak > $TASK_PHASE_REPO/tests/${words}.test.sh ;; repair) printf 'one\\ntwo\\n' > $TASK_PHASE_REPO/work.txt ;; esac`;
    const task = (id: string, words: string) => ({
      contract: [`validators: [{ name: tests, command: [sh, -c, "test -f ${id}.txt"] }]`, "tests_changed: show"],
      plan: Array(4).fill(adds(words)),
    });
    const world = makeBranchWorld(t, { "T-1": task("T-1", "one"), "T-2": task("T-2", "two") });
    for (const words of ["one", "two"]) world.write(`repo/tests/${words}.test.sh`, "strong\n");
    world.git("repo", "add", "tests");
    world.git("repo", "commit", "-qm", "tests");
    for (const id of ["T-1", "T-2"]) {
      const brief = `repo/tasks/${id}/README.md`;
      world.write(brief, world.read(brief).replace("without: off, clean: off", "without: auto, clean: auto"));
    }
    await world.ends(0, "loop", "--jobs", "2");
    await world.ends(20, "land", "--all");
    await world.ends(0, "loop");
    const evidence = world.onBranch("T-2", "EVIDENCE.md");
    assert.match(evidence, /fails without/);
    assert.match(evidence, /tests\/two\.test\.sh/);
    assert.doesNotMatch(evidence, /not kept|one\.test\.sh/);
    assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
  });

  test("a conflict that keeps dependencies from being installed is repaired without them", async (t) => {
    const repairs = `case $TASK_PHASE_PHASE in implement) echo two >> $TASK_PHASE_REPO/work.txt ;; repair) printf 'one\\ntwo\\n' > $TASK_PHASE_REPO/work.txt ;; esac`;
    const world = makeBranchWorld(
      t,
      { "T-1": { plan: ["echo one >> $TASK_PHASE_REPO/work.txt"] }, "T-2": { plan: Array(9).fill(repairs) } },
      `workspace: branch\nfleet: { prepare: [[sh, -c, "! grep '<<<<' work.txt"]] }\n`,
    );
    await world.ends(0, "loop", "--jobs", "2");
    assert.match((await world.ends(20, "land", "--all")).stderr, /T-2 {2}conflict .*work\.txt; it goes on in repair/s);
    assert.match(
      (await world.ends(0, "loop")).stderr,
      /ended with 1; the repo has a conflict that is to be repaired first \[TP_PREPARE\]/,
    );
    await world.ends(0, "land", "T-2");
    assert.equal(world.read("repo/work.txt"), "one\ntwo\n");
  });

  test("a file that one side removed has no marks, and the ticket says what git cannot merge", async (t) => {
    const removes = `case $TASK_PHASE_PHASE in implement) rm -f $TASK_PHASE_REPO/work.txt ;; esac`;
    const world = makeBranchWorld(t, {
      "T-1": { plan: ["echo one >> $TASK_PHASE_REPO/work.txt"] },
      "T-2": { plan: Array(9).fill(removes) },
    });
    await world.ends(0, "loop", "--jobs", "2");
    const { stderr } = await world.ends(20, "land", "--all");
    assert.match(
      stderr,
      /T-2 {2}conflict {2}git cannot merge what it and main made of work\.txt; it goes on in repair/,
    );
    const ticket = (await world.ends(0, "status", "T-2")).stdout;
    assert.match(
      ticket,
      /both changed work\.txt, which git cannot merge: it is no text, or one of them removed or renamed it/,
    );
    assert.doesNotMatch(ticket, /<<<</);
  });

  test("marks of a conflict that the repair left land nowhere, whatever the checks say", async (t) => {
    const repairs = `case $TASK_PHASE_PHASE in implement) echo two >> $TASK_PHASE_REPO/work.txt ;; repair) if [ -e $TASK_PHASE_REPO/again ]; then printf 'one\\ntwo\\n' > $TASK_PHASE_REPO/work.txt; else : > $TASK_PHASE_REPO/again; fi ;; esac`;
    const world = makeBranchWorld(t, {
      "T-1": { plan: ["echo one >> $TASK_PHASE_REPO/work.txt"] },
      "T-2": { plan: Array(9).fill(repairs) },
    });
    await world.ends(0, "loop", "--jobs", "2");
    await world.ends(20, "land", "--all");
    await world.ends(0, "loop");
    assert.match((await world.ends(20, "land", "T-2")).stderr, /T-2 {2}conflict .*work\.txt; it goes on in repair/s);
    assert.doesNotMatch(world.read("repo/work.txt"), /<<<</);
    await world.ends(0, "loop");
    await world.ends(0, "land", "T-2");
    assert.equal(world.read("repo/work.txt"), "one\ntwo\n");
  });

  test("a green branch whose merge is red does not land, and the check is its ticket", async (t) => {
    const clash = `case $TASK_PHASE_PHASE in implement) : > $TASK_PHASE_REPO/clash ;; repair) rm -f $TASK_PHASE_REPO/clash ;; esac`;
    const world = makeBranchWorld(t, {
      "T-1": { contract: [once] },
      "T-2": { contract: [once], plan: [clash, clash, clash] },
      "T-3": needs("T-2"),
      "T-4": needs("T-2", "T-3"),
    });
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "the briefs");
    await world.ends(0, "loop", "--jobs", "2");
    assert.match(
      (await world.ends(20, "land", "T-3")).stderr,
      /T-3 {2}waits {2}T-2 comes first and has not landed; next: task-phase land T-2 T-3/,
    );
    const { stderr } = await world.ends(20, "land", "--all");
    assert.match(
      stderr,
      /T-2 {2}failed {2}these checks do not pass on the merge with main: tests;.*T-3 {2}waits {2}T-2 comes first.*T-4 {2}waits {2}T-2, T-3 come first and have not landed/s,
    );
    assert.throws(() => world.git("repo", "cat-file", "-e", "main:clash"));
    assert.match((await world.ends(0, "status", "T-2")).stdout, /ticket merge:tests/);
    // Its work is in the branches of those that depend on it.
    const waits = /T-3 {2}waits {2}T-2 comes first and has not landed; next: task-phase run T-2/;
    assert.match((await world.ends(20, "land", "--all")).stderr, waits);
    assert.match((await world.ends(20, "land", "T-3")).stderr, waits);
    assert.throws(() => world.git("repo", "cat-file", "-e", "main:clash"));
  });

  test("a task that is not done, and a word that is no task, are named", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    await world.ends(0, "run", "T-1");
    assert.match(
      (await world.ends(20, "land", "T-1")).stderr,
      /T-1 {2}not done .*it is in verify; next: task-phase run T-1/,
    );
    assert.match((await world.ends(64, "land", "T-9")).stderr, /no branch of T-9/);
    assert.match((await world.ends(64, "land")).stderr, /no task was named/);
  });

  const byHand: Readonly<Record<string, readonly (readonly string[])[]>> = {
    merged: [["merge", "-q", "--no-ff", "-m", "merged", "task-phase/T-1"]],
    squashed: [
      ["merge", "-q", "--squash", "task-phase/T-1"],
      ["commit", "-qm", "squashed"],
    ],
    rebased: [
      ["branch", "-q", "mine", "task-phase/T-1"],
      ["rebase", "-q", "main", "mine"],
      ["switch", "-q", "main"],
      ["merge", "-q", "--ff-only", "mine"],
      ["branch", "-qD", "mine"],
    ],
  };
  for (const [how, steps] of Object.entries(byHand))
    test(`a branch that was ${how} by hand counts as landed, whatever became of the files since`, async (t) => {
      const world = makeBranchWorld(t, { "T-1": {}, "T-2": needs("T-1") });
      await world.ends(0, "loop", "T-1");
      world.git("repo", "commit", "-q", "--allow-empty", "-m", "meanwhile");
      world.git("repo", "clean", "-qfd", "tasks/T-1");
      for (const step of steps) world.git("repo", ...step);
      assert.match((await world.ends(0, "status")).stdout, /next: task-phase run T-2/);
      // What is in the working tree alone says nothing of the target, which went on in the same lines.
      world.write("repo/T-1.txt", "went on\n");
      world.git("repo", "commit", "-qam", "later");
      rmSync(world.path("repo/tasks/T-1/artifacts"), { recursive: true });
      const main = world.git("repo", "rev-parse", "main");
      assert.match((await world.ends(0, "land", "--all", "--dry-run")).stderr, /T-1 {2}landed {2}already in main/);
      await world.ends(0, "land", "T-1", "--keep");
      assert.deepEqual(world.branches(), ["main", "task-phase/T-1"]);
      await world.ends(0, "run", "T-2");
      assert.equal(world.git("repo", "merge-base", "main", "task-phase/T-2"), main);
      assert.match((await world.ends(0, "land", "T-1")).stderr, /T-1 {2}landed {2}already in main/);
      assert.deepEqual(world.branches(), ["main", "task-phase/T-2"]);
      assert.equal(
        world.git("repo", "for-each-ref", "--format=%(refname)", "refs/task-phase"),
        "refs/task-phase/seen/T-2\n",
      );
      world.git("repo", "checkout", "-q", "--", "tasks");
      rmSync(world.path("home/.cache"), { recursive: true });
      assert.match((await world.ends(0, "land", "T-1")).stderr, /T-1 {2}landed {2}already in main/);
      assert.equal(world.git("repo", "rev-parse", "main"), main);
    });

  test("a task whose folder was taken from its branch without the work has not landed", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    world.git("repo", "checkout", "-q", "task-phase/T-1", "--", "tasks/T-1");
    assert.match((await world.ends(0, "status")).stdout, /T-1 {2}done(?!.*moved).*next: task-phase land --all/s);
    assert.match((await world.ends(20, "land", "T-1")).stderr, /T-1 {2}left .*tasks\/T-1\/EVIDENCE\.md/);
    world.git("repo", "commit", "-qm", "the folder alone");
    assert.match((await world.ends(0, "land", "--all")).stderr, /T-1 {2}landed {2}merged into main/);
    assert.equal(world.read("repo/T-1.txt"), "work of T-1\n");
  });

  test("a landing that the power cut off leaves no file half written, and takes nothing of a person's", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {} });
    await world.ends(0, "loop", "--jobs", "2");
    const kills = `#!/bin/sh
case "$*" in *"$KILL_AT"*) kill -9 "$PPID"; exit 1 ;; esac
exec "${world.git(".", "--exec-path").trim()}/git" "$@"
`;
    chmodSync(world.write("bin/git", kills), 0o755);
    const cutOff = async (task: string, at: string): Promise<void> => {
      const env = { PATH: `${world.path("bin")}:${process.env.PATH}`, KILL_AT: at };
      assert.equal((await world.run("task-phase", ["land", task], { cwd: "repo", env })).signal, "SIGKILL");
    };
    const folder = "repo/tasks/T-1";
    await cutOff("T-1", "update-ref -d refs/task-phase/land/");
    const whole = world.read(`${folder}/STATE.md`);
    world.write("repo/T-1.txt", "wor");
    world.write(`${folder}/STATE.md`, "\0".repeat(100));
    world.write(`${folder}/artifacts/journal.jsonl`, "");
    rmSync(world.path(folder, "EVIDENCE.md"));
    world.write(`${folder}/SUMMARY.md`, "a person's words\n");
    rmSync(world.path(folder, "artifacts/passes"), { recursive: true });
    world.write(`${folder}/artifacts/passes`, "a person's, in the place of a folder\n");
    const names = "T-1.txt, tasks/T-1/EVIDENCE.md, tasks/T-1/STATE.md, tasks/T-1/artifacts/journal.jsonl";
    const said = await world.ends(0, "land", "T-1");
    assert.match(said.stderr, new RegExp(`an earlier landing of T-1 was cut off; .* as main has them: ${names}`));
    assert.equal(world.read("repo/T-1.txt"), "work of T-1\n");
    assert.equal(world.read(`${folder}/STATE.md`), whole);
    assert.equal(world.read(`${folder}/artifacts/passes`), "a person's, in the place of a folder\n");
    rmSync(world.path(folder, "artifacts/passes"));
    world.git("repo", "checkout", "--", "tasks/T-1/artifacts");
    assert.equal(world.git("repo", "status", "--porcelain", "--untracked-files=no"), " M tasks/T-1/SUMMARY.md\n");
    world.git("repo", "checkout", "--", ".");
    await cutOff("T-2", "merge --ff-only");
    world.write("repo/T-2.txt", "work of T-2\n");
    world.git("repo", "add", "T-2.txt");
    const last = await world.ends(0, "land", "T-2");
    assert.match(last.stderr, /^T-2 {2}landed {2}merged[\s\S]* as main has them: T-2\.txt \[/m);
    assert.equal(world.git("repo", "status", "--porcelain", "--untracked-files=no"), "");
  });

  test("a call that was killed behind the merge is finished by the next one", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {}, "T-3": {} });
    await world.ends(0, "loop", "--jobs", "2");
    const kills = `#!/bin/sh
case "$*" in *"update-ref -d refs/$KILL_AT"*) kill -9 "$PPID"; exit 1 ;; esac
exec "${world.git(".", "--exec-path").trim()}/git" "$@"
`;
    chmodSync(world.write("bin/git", kills), 0o755);
    for (const [task, ref] of [
      ["T-1", "task-phase/land/"],
      ["T-2", "task-phase/seen/"],
      ["T-3", "heads/"],
    ] as const) {
      const env = { PATH: `${world.path("bin")}:${process.env.PATH}`, KILL_AT: ref };
      assert.equal((await world.run("task-phase", ["land", task], { cwd: "repo", env })).signal, "SIGKILL");
      assert.equal(world.read(`repo/${task}.txt`), `work of ${task}\n`);
      const said = await world.ends(0, "land", ...(task === "T-3" ? ["--all"] : [task]));
      assert.match(said.stderr, new RegExp(`^${task} {2}landed {2}already in main$`, "m"));
    }
    assert.deepEqual(world.branches(), ["main"]);
    assert.equal(world.git("repo", "for-each-ref", "refs/task-phase"), "");
    assert.deepEqual(leftFolders(world), []);
    assert.match((await world.ends(0, "land", "--all")).stderr, /no branch of a task that is done is left to land/);
  });
});

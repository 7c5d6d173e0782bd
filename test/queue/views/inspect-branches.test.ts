import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { gitEnv } from "../../git/git-repo.ts";
import type { CommitSpec } from "../../history/git-maker.ts";
import { honestTask, taskAt } from "../../history/honest-task.ts";
import { passStarted } from "../../rules/arrange.ts";
import { lineOf, makeBranches, taskFiles } from "./branch-world.ts";

const own = (id: string) => `refs/heads/task-phase/${id}`;

function claim(pass: number, at: string, more: object = {}): TaskEvent {
  return passStarted(pass, { at, phase: "intake", timeout_ms: 600_000, ...more });
}

const runner = { worker: "w1", host: "host-a", attempt: "a1", task_phase: "0.1.0", node: "20.19.0" };

/** A done T-1 on its own branch, and behind its verdict a commit with these files; what is said of it then. */
async function whyAfter(t: TestContext, files: CommitSpec["files"], root = "tasks/"): Promise<string | undefined> {
  const task = taskAt("review");
  const place = (made: CommitSpec["files"]) =>
    Object.fromEntries(Object.entries(made).map(([name, content]) => [name.replace("tasks/", root), content]));
  const base = place({ "a.txt": "a\n", "b.txt": "b\n", ...taskFiles(task, "T-1", "T-1") });
  task.pass("done");
  const commits = [{ files: base }, { files: place(taskFiles(task, "T-1", "T-1")) }, { files: place(files) }];
  const { inspect } = makeBranches(t, commits, { "refs/heads/main": 0, [own("T-1")]: 2 });
  const [read] = (await inspect()).tasks;
  assert.equal(read?.standing, "done");
  return read?.why;
}

describe("a task that is done, and whose branch goes on", () => {
  for (const root of ["tasks/", ""]) {
    test(`says how many paths of the code moved since (tasks root: ${root === "" ? "the top" : root})`, async (t) => {
      const rests = await whyAfter(t, { "tasks/T-1/notes.md": "no code\n" }, root);
      assert.doesNotMatch(rests ?? "", /moved/);
      const moved = { "a.txt": "changed\n", "b.txt": null, "c.txt": "new\n", "tasks/T-1/notes.md": "no code\n" };
      assert.equal(await whyAfter(t, moved, root), `moved since: 3 paths; ${rests}`);
    });
  }
});

describe("the tasks of a repository, from its branches", () => {
  test("each is read from its own branch, and from the base branch if it has none", async (t) => {
    const one = honestTask();
    const first = { ...taskFiles(one, "T-1-one", "T-1"), ...taskFiles(honestTask(), "T-2-two", "T-2") };
    one.pass("shape");
    const { lines, folder, repo } = makeBranches(t, [{ files: first }, { files: taskFiles(one, "T-1-one", "T-1") }], {
      "refs/heads/main": 0,
      [own("T-1")]: 1,
    });
    const expected = ["T-1 shape runnable task-phase/T-1 open", "T-2 intake runnable main"];
    assert.deepEqual(await lines(), expected);
    repo.git("clone", "-q", "--bare", folder, path.join(folder, "bare.git"));
    assert.deepEqual(await lines(path.join(folder, "bare.git")), expected);
    repo.git("pack-refs", "--all");
    assert.deepEqual(await lines(), expected);
    repo.git("update-ref", "-d", own("T-1"));
    assert.deepEqual(await lines(), ["T-1 intake runnable main", "T-2 intake runnable main"]);
  });

  test("a normal clone shows what was fetched, and what is ahead of it", async (t) => {
    const task = honestTask();
    const files = [taskFiles(task, "T-1", "T-1")];
    for (const to of ["shape", "implement"] as const) {
      task.pass(to);
      files.push(taskFiles(task, "T-1", "T-1"));
    }
    const [origin, local] = ["refs/remotes/origin/task-phase/T-1", own("T-1")];
    const world = makeBranches(
      t,
      files.map((one) => ({ files: one })),
      { "refs/heads/main": 0, [origin]: 1 },
    );
    assert.deepEqual(await world.lines(), ["T-1 shape runnable origin/task-phase/T-1 open"]);
    world.repo.git("update-ref", local, world.repo.commits[2] ?? "");
    assert.deepEqual(await world.lines(), ["T-1 implement runnable task-phase/T-1 open"]);
    world.repo.git("update-ref", local, world.repo.commits[0] ?? "");
    assert.deepEqual(await world.lines(), ["T-1 shape runnable origin/task-phase/T-1 open"]);
  });

  test("a branch that is merged, also as one squashed commit, says so; the base branch wins where it went on", async (t) => {
    const task = taskAt("shape");
    const files = taskFiles(task, "T-1", "T-1");
    task.pass("implement");
    const later = taskFiles(task, "T-1", "T-1");
    const commits = [{ files: { "a.txt": "x" } }, { files, parents: [0] }, { files, parents: [0] }, { files: later }];
    const world = makeBranches(t, commits, { "refs/heads/main": 2, [own("T-1")]: 1 });
    assert.deepEqual(await world.lines(), ["T-1 shape runnable task-phase/T-1 merged"]);
    world.repo.git("update-ref", "refs/heads/main", world.repo.commits[3] ?? "");
    assert.deepEqual(await world.lines(), ["T-1 implement runnable main merged"]);
  });

  test("journals that do not continue from each other are no task: nobody chooses one", async (t) => {
    const [task, other] = [taskAt("shape"), taskAt("shape")];
    task.pass("implement");
    other.pass("shape", { fields: { "Current result": "another" } });
    const world = makeBranches(
      t,
      [{ files: taskFiles(task, "T-1", "T-1") }, { files: taskFiles(other, "T-1", "T-1") }],
      { "refs/heads/main": 0, [own("T-1")]: 1 },
    );
    const { tasks } = await world.inspect();
    assert.deepEqual(tasks.map(lineOf), ["(T-1) - unreadable nowhere TP_TASK_FORKED"]);
    assert.equal(tasks[0]?.unreadable, "data");
    assert.equal(
      tasks[0]?.why,
      "the journals of T-1 on refs/heads/task-phase/T-1 and on refs/heads/main do not continue from each other",
    );
  });

  test("a branch without its task, with two of them, or with a folder of another id is named", async (t) => {
    const task = honestTask();
    const first = taskFiles(task, "T-1", "T-1");
    const two = { ...first, ...taskFiles(task, "again", "T-1") };
    const renamed = taskFiles(task, "T-1", "T-9");
    const world = makeBranches(t, [{ files: first }, { files: two }, { files: renamed, parents: [0] }], {
      "refs/heads/main": 0,
      [own("T-1")]: 1,
      [own("T-2")]: 0,
      [own("T-3")]: 2,
    });
    const { tasks } = await world.inspect();
    assert.deepEqual(
      tasks.map(({ why, unreadable }) => `${unreadable}: ${why}`),
      [
        "config: 2 task folders have the id T-1 on refs/heads/task-phase/T-1",
        "config: no task folder with a readable brief has the id T-2 on refs/heads/task-phase/T-2",
        "config: no task folder with a readable brief has the id T-3 on refs/heads/task-phase/T-3",
      ],
    );
  });

  test("two branches whose new folders have one name, or names that differ in case, are two tasks", async (t) => {
    const files = (id: string, folder: string) => ({ files: taskFiles(honestTask(), folder, id), parents: [0] });
    const world = makeBranches(
      t,
      [
        { files: { "tasks/task-phase.yaml": "fleet: {}\n" } },
        files("T-1", "new"),
        files("T-2", "new"),
        files("t-2", "NEW"),
      ],
      { "refs/heads/main": 0, [own("T-1")]: 1, [own("T-2")]: 2, [own("t-2")]: 3 },
    );
    const { tasks } = await world.inspect();
    assert.deepEqual(tasks.map(({ id, readAt, phase }) => `${id} ${readAt?.path} ${phase}`).sort(), [
      "T-1 tasks/new intake",
      "T-2 tasks/new intake",
      "t-2 tasks/NEW intake",
    ]);
    assert.equal(new Set(tasks.map(({ place }) => place.name.toLowerCase())).size, 3);
  });

  test("ids of any form are read, and what they say is escaped by whoever prints it", async (t) => {
    const ids = ["-x", "任务-1", "a.b", "Ünï", "a'b"];
    const commits = ids.map((id, at) => ({ files: taskFiles(honestTask(), `f${at}`, id), parents: [] }));
    const refs = Object.fromEntries(ids.map((id, at) => [own(id), at]));
    const world = makeBranches(t, commits, { ...refs, "refs/heads/main": 0 });
    assert.deepEqual((await world.inspect()).tasks.map(({ id }) => id).sort(), [...ids].sort());
  });
});

describe("a claim that is open", () => {
  test("holds the task for the time of its model and a minute more, then the next run recovers it", async (t) => {
    const [held, gone, plain] = [honestTask(), honestTask(), honestTask()];
    held.add(claim(1, "2026-11-21T11:55:00.000Z", { runner }));
    gone.add(claim(1, "2026-11-21T11:48:00.000Z", { runner: { ...runner, host: null } }));
    plain.add(claim(1, "2026-11-21T11:59:00.000Z"));
    const files = {
      ...taskFiles(held, "T-1", "T-1"),
      ...taskFiles(gone, "T-2", "T-2"),
      ...taskFiles(plain, "T-3", "T-3"),
    };
    const world = makeBranches(t, [{ files }], { "refs/heads/main": 0, [own("T-1")]: 0 });
    const { tasks } = await world.inspect();
    assert.deepEqual(
      tasks.map(({ id, standing, why }) => `${id} ${standing}: ${why}`),
      [
        "T-1 running: w1 on host-a holds pass 1 until 2026-11-21T12:06:00.000Z",
        "T-2 runnable: the claim of w1 to pass 1 ended at 2026-11-21T11:59:00.000Z; the next run recovers it",
        "T-3 runnable: its last run was cut off; the next one recovers it",
      ],
    );
    assert.deepEqual(tasks[0]?.claim?.runner, runner);
  });

  test("is closed by its verdict", async (t) => {
    const task = honestTask();
    task.add(claim(1, "2026-11-21T11:55:00.000Z", { runner }));
    task.pass("shape", { event: { pass: 1 } });
    const world = makeBranches(t, [{ files: taskFiles(task, "T-1", "T-1") }], { "refs/heads/main": 0 });
    const { tasks } = await world.inspect();
    assert.deepEqual([tasks[0]?.claim, tasks[0]?.standing], [null, "runnable"]);
  });
});

describe("what a task depends on", () => {
  const config = (text: string) => ({ "tasks/task-phase.yaml": text });
  const done = () => taskFiles(taskAt("done"), "T-1", "T-1");
  const waiting = taskFiles(honestTask(), "T-2", "T-2", "depends_on: [T-1]\n");
  const begun = taskFiles(honestTask(), "T-1", "T-1");

  for (const [text, standing, why] of [
    [
      "fleet: {}\n",
      "waits",
      "waits for T-1; T-1 is done but not merged into main (task-phase land T-1, or merge its branch)",
    ],
    [
      "fleet: { after: merged }\n",
      "waits",
      "waits for T-1; T-1 is done but not merged into main (task-phase land T-1, or merge its branch)",
    ],
    ["fleet: { after: done }\n", "runnable", null],
    ["models: []\n", "runnable", null],
  ] as const)
    test(`counts on its own branch or in the base branch: ${text.trim()}`, async (t) => {
      const world = makeBranches(t, [{ files: { ...config(text), ...begun, ...waiting } }, { files: done() }], {
        "refs/heads/main": 0,
        [own("T-1")]: 1,
      });
      const second = (await world.inspect()).tasks[1];
      assert.equal(second?.standing, standing);
      if (why !== null) assert.equal(second?.why, why);
      world.repo.git("update-ref", "refs/heads/main", world.repo.commits[1] ?? "");
      assert.equal((await world.inspect()).tasks[1]?.standing, "runnable");
    });

  test("is not met by a branch alone that the base branch has never heard of", async (t) => {
    const world = makeBranches(t, [{ files: { ...config("fleet: {}\n"), ...waiting } }, { files: done() }], {
      "refs/heads/main": 0,
      [own("T-1")]: 1,
    });
    assert.deepEqual(await world.lines(), ["T-1 done done task-phase/T-1 open", "T-2 intake waits main"]);
  });
});

describe("a task of a branch", () => {
  test("is not merged by a base branch that has only its brief and STATE.md", async (t) => {
    const files = taskFiles(honestTask(), "T-1", "T-1");
    const begun = Object.fromEntries(Object.entries(files).filter(([name]) => !name.endsWith("journal.jsonl")));
    const waiting = taskFiles(honestTask(), "T-2", "T-2", "depends_on: [T-1]\n");
    const world = makeBranches(
      t,
      [
        { files: { ...begun, ...waiting, "tasks/task-phase.yaml": "fleet: {}\n" } },
        { files: taskFiles(taskAt("done"), "T-1", "T-1") },
      ],
      { "refs/heads/main": 0, [own("T-1")]: 1 },
    );
    assert.deepEqual(await world.lines(), ["T-1 done done task-phase/T-1 open", "T-2 intake waits main"]);
  });

  test("has not what its branch removed, whatever the base branch has", async (t) => {
    const files = taskFiles(honestTask(), "T-1", "T-1");
    const asked = { "tasks/T-1/DECISIONS.md": "# Decisions\n\n## Q1: Which?\n- Question: Which one?\n- Answer:\n" };
    const commits = [{ files: { ...files, ...asked } }, { files: { "tasks/T-1/DECISIONS.md": null } }];
    const world = makeBranches(t, commits, { "refs/heads/main": 0 });
    assert.deepEqual(await world.lines(), ["T-1 intake asks main"]);
    world.repo.git("update-ref", own("T-1"), world.repo.commits[1] ?? "");
    assert.deepEqual(await world.lines(), ["T-1 intake runnable task-phase/T-1 merged"]);
  });

  test("is told with the place of its own branch, also beside one whose name is the beginning of its own", async (t) => {
    const files = { ...taskFiles(honestTask(), "T-1", "T-1"), ...taskFiles(honestTask(), "T-10", "T-10") };
    const world = makeBranches(t, [{ files }, { files: { "tasks/T-10/TASKS.md": "a\0\n" } }], {
      "refs/heads/main": 0,
      [own("T-10")]: 1,
    });
    const { tasks } = await world.inspect();
    assert.equal(tasks[1]?.findings[0]?.file, "task-phase/T-10:tasks/T-10/TASKS.md");
  });

  test("is not read from a symbolic ref, and a checked-out branch of a task is no base branch", async (t) => {
    const world = makeBranches(t, [{ files: taskFiles(honestTask(), "T-1", "T-1") }], { [own("T-1")]: 0 });
    world.repo.git("symbolic-ref", own("T-2"), own("T-1"));
    assert.deepEqual(await world.lines(), ["T-1 intake runnable task-phase/T-1 merged"]);
    world.repo.git("symbolic-ref", "HEAD", own("T-1"));
    assert.equal((await world.inspect()).base, null);
    assert.deepEqual(await world.lines(), ["T-1 intake runnable task-phase/T-1 open"]);
  });
});

describe("a hostile tree", () => {
  const link = (target: string): readonly [string, string] => ["120000", target];
  const gitlink = (oid: string): readonly [string, string] => ["160000", oid];
  const commit = "1".repeat(40);

  for (const [name, files, code] of [
    ["a link in the place of the journal", { "artifacts/journal.jsonl": link("../STATE.md") }, "TP_JOURNAL"],
    ["a link in the place of artifacts", { artifacts: link("/tmp") }, "TP_TASK_FILE"],
    ["a huge DECISIONS.md", { "DECISIONS.md": "x".repeat(5 * 1024 * 1024) }, "TP_TASK_FILE"],
    ["a journal of no lines", { "artifacts/journal.jsonl": "nonsense\n" }, "TP_JOURNAL_BROKEN"],
  ] as const)
    test(`is refused as on disk, and the other tasks are shown: ${name}`, async (t) => {
      const bad = Object.fromEntries(Object.entries(files).map(([file, content]) => [`tasks/T-1/${file}`, content]));
      const good = { ...taskFiles(honestTask(), "T-1", "T-1"), ...taskFiles(honestTask(), "T-2", "T-2") };
      const without = "artifacts" in files ? { "tasks/T-1/artifacts": null } : {};
      const world = makeBranches(t, [{ files: good }, { files: without }, { files: bad }], { "refs/heads/main": 2 });
      const { tasks } = await world.inspect();
      const [first, second] = tasks;
      assert.deepEqual([first?.standing, first?.findings[0]?.code], ["unreadable", code], first?.why);
      assert.match(`${first?.findings[0]?.file} ${first?.why}`, /main:tasks\/T-1/);
      assert.doesNotMatch(JSON.stringify(first?.findings), /task-phase-branches/);
      assert.equal(second === undefined ? "" : lineOf(second), "T-2 intake runnable main");
    });

  for (const [name, state] of [
    ["a link", link("/etc/passwd")],
    ["a submodule", gitlink(commit)],
    ["a huge file", "x".repeat(5 * 1024 * 1024)],
  ] as const)
    test(`is shown as last accepted, as on disk, where STATE.md is replaced by ${name}`, async (t) => {
      const good = { ...taskFiles(honestTask(), "T-1", "T-1"), ...taskFiles(honestTask(), "T-2", "T-2") };
      const files = [{ files: good }, { files: { "tasks/T-1/STATE.md": state } }];
      const { tasks } = await makeBranches(t, files, { "refs/heads/main": 1 }).inspect();
      const [task] = tasks;
      assert.deepEqual([task?.standing, task?.phase], ["runnable", "intake"]);
      assert.match(task?.why ?? "", /STATE\.md is not as it was last accepted; the next run judges the edit/);
    });

  test("folders named `..` or `.git`, and a link in the place of a task folder, are no tasks", async (t) => {
    const world = makeBranches(
      t,
      [
        {
          files: {
            ...taskFiles(honestTask(), "T-1", "T-1"),
            "tasks/linked": link("T-1"),
            "tasks/sub": gitlink(commit),
            "tasks/.hidden/STATE.md": "x",
          },
        },
      ],
      { "refs/heads/main": 0 },
    );
    // git refuses to write such a tree, and reads it all the same.
    const blob = world.repo.git("rev-parse", "main:tasks/T-1/STATE.md").trim();
    const entry = (mode: string, name: string, oid: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]);
    const hash = (content: Buffer) =>
      execFileSync("git", ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], {
        ...{ cwd: world.folder, env: gitEnv, input: content },
      })
        .toString()
        .trim();
    const folder = hash(entry("100644", "STATE.md", blob));
    const tasks = world.repo.git("rev-parse", "main:tasks/T-1").trim();
    const root = hash(
      Buffer.concat([entry("40000", "..", folder), entry("40000", ".git", folder), entry("40000", "T-1", tasks)]),
    );
    const top = hash(entry("40000", "tasks", root));
    const made = world.repo.git("-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "x", top).trim();
    assert.deepEqual(await world.lines(), ["T-1 intake runnable main"]);
    world.repo.git("update-ref", "refs/heads/main", made);
    assert.deepEqual(await world.lines(), ["T-1 intake runnable main"]);
    const oidOf = (name: string) => world.repo.git("rev-parse", `${tasks}:${name}`).trim();
    const twice = Buffer.concat([
      entry("100644", "README.md", oidOf("README.md")),
      entry("100644", "STATE.md", blob),
      entry("120000", "artifacts", blob),
      entry("40000", "artifacts", oidOf("artifacts")),
    ]);
    const both = hash(entry("40000", "tasks", hash(entry("40000", "T-1", hash(twice)))));
    const commitOf = ["-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "x", both];
    world.repo.git("update-ref", "refs/heads/main", world.repo.git(...commitOf).trim());
    assert.deepEqual(await world.lines(), ["(T-1) - unreadable main TP_TASK_FILE"]);
  });

  test("a branch whose commit is not here is named, and the others are shown", async (t) => {
    const files = { ...taskFiles(honestTask(), "T-1", "T-1"), ...taskFiles(honestTask(), "T-2", "T-2") };
    const world = makeBranches(t, [{ files }], { "refs/heads/main": 0 });
    writeFileSync(path.join(world.folder, ".git", "packed-refs"), `${commit} ${own("T-1")}\n`);
    world.repo.git("tag", "t", "main");
    assert.deepEqual(await world.lines(), ["(T-1) - unreadable nowhere TP_GIT_OBJECT", "T-2 intake runnable main"]);
  });

  test("nothing that the repository's settings name is run, and nothing stays among the temporary files", async (t) => {
    const world = makeBranches(t, [{ files: taskFiles(honestTask(), "T-1", "T-1") }], { "refs/heads/main": 0 });
    const trap = path.join(world.folder, "trap");
    for (const key of [
      "core.fsmonitor",
      "core.pager",
      "core.sshCommand",
      "core.hooksPath",
      "uploadpack.packObjectsHook",
    ])
      world.repo.git("config", key, `touch ${trap}`);
    world.repo.git("config", "include.path", "/dev/null");
    const before = readdirSync(os.tmpdir()).filter(
      (name) => name.includes(`branches-`) && name.includes(`-${process.pid}-`),
    );
    assert.deepEqual(await world.lines(), ["T-1 intake runnable main"]);
    assert.ok(!readdirSync(world.folder).includes("trap"));
    const after = readdirSync(os.tmpdir()).filter(
      (name) => name.includes(`branches-`) && name.includes(`-${process.pid}-`),
    );
    assert.deepEqual(after, before);
  });
});

describe("a repository of another form", () => {
  test("without a commit, or without task folders, it is a usage error", async (t) => {
    const world = makeBranches(t, [], {});
    assert.equal(await world.refused(), "usage TP_GIT_NO_TASKS");
    const other = makeBranches(t, [{ files: { "a.txt": "x", "tasks/notes/STATE.md": "no brief" } }], {
      "refs/heads/main": 0,
    });
    assert.equal(await other.refused(), "usage TP_GIT_NO_TASKS");
    assert.equal(await other.refused(undefined, "../x"), "usage TP_GIT_ROOT");
    assert.equal(await other.refused(undefined, "/x"), "usage TP_GIT_ROOT");
  });

  test("with names of sha256, and shallow, it is read like any other", async (t) => {
    const world = makeBranches(t, [{ files: taskFiles(taskAt("shape"), "T-1", "T-1") }, { files: { "a.txt": "x" } }], {
      "refs/heads/main": 1,
      [own("T-1")]: 1,
    });
    const expected = ["T-1 shape runnable task-phase/T-1 merged"];
    const [long, shallow] = [path.join(world.folder, "long.git"), path.join(world.folder, "shallow.git")];
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", "--object-format=sha256", long], { env: gitEnv });
    const stream = execFileSync("git", ["fast-export", "main", "task-phase/T-1"], { cwd: world.folder, env: gitEnv });
    execFileSync("git", ["--git-dir", long, "fast-import", "--quiet"], { env: gitEnv, input: stream });
    assert.deepEqual(await world.lines(long), expected);
    const url = `file://${world.folder}`;
    execFileSync("git", ["clone", "-q", "--bare", "--depth=1", "--no-single-branch", url, shallow], { env: gitEnv });
    assert.deepEqual(await world.lines(shallow), expected);
  });

  test("its task-phase.yaml is that of the base branch, and what is wrong with it is told with its place", async (t) => {
    const files = { ...taskFiles(honestTask(), "T-1", "T-1"), "task-phase.yaml": "fleet: { base: nowhere }\n" };
    const world = makeBranches(
      t,
      [
        { files },
        { files: { "task-phase.yaml": "fleet: { bse: x }\n" } },
        { files: { "task-phase.yaml": ["120000", "/etc/hostname"] } },
      ],
      {
        "refs/heads/main": 0,
      },
    );
    assert.equal(await world.refused(), "config TP_FLEET_BASE");
    world.repo.git("update-ref", "refs/heads/main", world.repo.commits[1] ?? "");
    await assert.rejects(world.inspect(), (error: { findings: { file: string; line: number }[] }) => {
      assert.deepEqual([error.findings[0]?.file, error.findings[0]?.line], ["refs/heads/main:task-phase.yaml", 1]);
      return true;
    });
    world.repo.git("update-ref", "refs/heads/main", world.repo.commits[2] ?? "");
    assert.equal(await world.refused(), "config TP_CONFIG_FILE");
  });

  test("another pattern of refs and another base branch are followed", async (t) => {
    const task = honestTask();
    const first = {
      ...taskFiles(task, "T-1", "T-1"),
      "tasks/task-phase.yaml": "fleet: { ref: 'agents/{id}', base: trunk }\n",
    };
    task.pass("shape");
    const world = makeBranches(t, [{ files: first }, { files: taskFiles(task, "T-1", "T-1") }], {
      "refs/heads/main": 0,
      "refs/heads/trunk": 0,
      "refs/heads/agents/T-1": 1,
      [own("T-1")]: 0,
    });
    assert.deepEqual(await world.lines(), ["T-1 shape runnable agents/T-1 open"]);
    assert.equal((await world.inspect()).base?.ref, "refs/heads/trunk");
  });

  test("a partial clone that lacks the files says so", async (t) => {
    const world = makeBranches(t, [{ files: taskFiles(honestTask(), "T-1", "T-1") }], { "refs/heads/main": 0 });
    world.repo.git("config", "uploadpack.allowFilter", "true");
    const partial = path.join(world.folder, "partial.git");
    execFileSync("git", ["clone", "-q", "--bare", "--filter=blob:none", `file://${world.folder}`, partial], {
      env: gitEnv,
    });
    rmSync(path.join(partial, "config.lock"), { force: true });
    const { tasks } = await world.inspect(partial);
    assert.deepEqual(tasks.map(lineOf), ["(T-1) - unreadable main TP_GIT_OBJECT"]);
  });
});

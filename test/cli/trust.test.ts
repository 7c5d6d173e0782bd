import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { makeWorld, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { stateFile } from "./task-states.ts";

interface TrustWorld extends World {
  /** Without TASK_PHASE_TRUST. */
  said(
    ...words: string[]
  ): Promise<{ code: number | null; codes: string[]; fixes: string; json: Record<string, unknown> }>;
  /** True if any program of the tasks root ran. */
  ran(): boolean;
}

const check = (file: string) => `validators: [{ name: tests, command: [touch, ${file}] }]`;

/** A clone: a repo whose tasks root is committed, with a model, a check and a ping that tell that they were reached. */
function makeClone(t: TestContext): TrustWorld {
  const world = makeWorld(t);
  const ran = world.path("ran");
  world.initRepo({
    "src.txt": "one\n",
    "tasks/task-phase.yaml": `models: [{ name: m, adapter: command, command: [touch, ${ran}] }]\nnotify: { ping: "http://127.0.0.1:9/ping" }\n`,
    "tasks/T-1/README.md": briefFile(["id: T-1", "title: One", check(ran)], "One"),
    "tasks/T-1/STATE.md": stateFile({ phase: "intake" }),
  });
  return {
    ...world,
    said: async (...words) => {
      const end = await world.call("task-phase", [...words, "--json"], { env: { TASK_PHASE_TRUST: "" } });
      const json = end.json();
      const findings = json.findings as { code: string; fix: string | null }[];
      return {
        code: end.code,
        codes: findings.map(({ code }) => code),
        fixes: findings.map(({ fix }) => fix).join("\n"),
        json,
      };
    },
    ran: () => existsSync(ran),
  };
}

test("nothing of a clone runs, and nothing is written in it, before a person trusts it", async (t) => {
  const world = makeClone(t);
  const root = world.path("repo/tasks");
  const before = readdirSync(root, { recursive: true });
  for (const words of [
    ["run", "--task-dir", `${root}/T-1`],
    ["run", "--task-dir", `${root}/T-1`, "--dry-run"],
    ["run", "--tasks-root", root],
    ["loop", "--tasks-root", root],
    ["loop", "--task-dir", `${root}/T-1`],
    ["probe", "--config", `${root}/task-phase.yaml`],
  ]) {
    const { code, codes, fixes } = await world.said(...words);
    assert.deepEqual([code, codes], [78, ["TP_UNTRUSTED"]], words.join(" "));
    assert.match(fixes, new RegExp(`task-phase trust ${root}`));
  }
  assert.equal(world.ran(), false);
  assert.deepEqual(readdirSync(root, { recursive: true }), before);
});

test("reading it needs no trust, and status says what a run would say", async (t) => {
  const world = makeClone(t);
  const root = world.path("repo/tasks");
  const status = await world.said("status", "--task-dir", `${root}/T-1`);
  assert.equal(status.code, 0);
  assert.match(String(status.json.hindered ?? ""), /nobody has allowed its commands to run here; .*task-phase trust/);
  assert.notEqual((await world.said("check", "--tasks-root", root)).code, 78);
  assert.equal(world.ran(), false);
});

test("trust holds for the folder by its real path, for later calls and edits, until it is revoked", async (t) => {
  const world = makeClone(t);
  const root = world.path("repo/tasks");
  const granted = await world.said("trust", root);
  assert.deepEqual(
    [granted.code, granted.json.tasks_root, granted.json.trusted, granted.json.trusted_before],
    [0, root, true, false],
  );
  const [record = ""] = readdirSync(world.path("state/task-phase/trusted"));
  assert.equal(statSync(world.path("state/task-phase/trusted", record)).mode & 0o777, 0o600);
  world.write(
    "repo/tasks/task-phase.yaml",
    `models: [{ name: m, adapter: command, command: [touch, ${world.path("ran")}] }]\n`,
  );
  assert.equal(
    (await world.said("probe", "--config", `${root}/task-phase.yaml`)).codes.includes("TP_UNTRUSTED"),
    false,
  );
  assert.equal(world.ran(), true);
  assert.equal((await world.said("trust", "--revoke", root)).json.trusted_before, true);
  assert.deepEqual((await world.said("loop", "--tasks-root", root)).codes, ["TP_UNTRUSTED"]);
});

test("a tasks root that init makes is trusted; one that came with a clone is not, whatever init adds", async (t) => {
  const world = makeClone(t);
  const made = await world.said("init", "--task-dir", world.path("new/tasks/T-1"), "--validator", "tests=true");
  assert.equal(made.codes.includes("TP_UNTRUSTED"), false);
  assert.equal(
    (await world.said("run", "--tasks-root", world.path("new/tasks"))).codes.includes("TP_UNTRUSTED"),
    false,
  );
  const added = await world.said("init", "--task-dir", world.path("repo/tasks/T-2"), "--validator", "tests=true");
  assert.deepEqual([added.code, added.codes], [0, ["TP_UNTRUSTED"]]);
  assert.match(String(added.json.next), /, and task-phase trust \S*tasks; then: task-phase run /);
  assert.doesNotMatch(String(made.json.next), /trust/);
  // The configuration of a clone would name the model of a new tasks root too.
  world.initRepo({ "task-phase.yaml": "models: []\n" }, "other");
  const below = await world.said("init", "--task-dir", world.path("other/tasks/T-1"), "--validator", "tests=true");
  assert.deepEqual(below.codes, ["TP_UNTRUSTED"]);
  world.initRepo({}, "unpacked");
  world.write("unpacked/tasks/task-phase.yaml", "models: []\n");
  const untracked = await world.said(
    "init",
    "--task-dir",
    world.path("unpacked/tasks/T-1"),
    "--validator",
    "tests=true",
  );
  assert.deepEqual(untracked.codes, ["TP_UNTRUSTED"]);
});

test("a configuration that init finds is trusted only if it is the user's, or in use already", async (t) => {
  const world = makeClone(t);
  const init = (folder: string) =>
    world.said("init", "--task-dir", world.path(folder, "T-1"), "--validator", "tests=true");
  world.write("archive/tasks/task-phase.yaml", "models: []\n");
  assert.deepEqual((await init("archive/tasks")).codes, ["TP_INIT_NO_GIT", "TP_UNTRUSTED"]);
  assert.deepEqual((await world.said("run", "--tasks-root", world.path("archive/tasks"))).codes, ["TP_UNTRUSTED"]);
  world.write("home/.config/task-phase/task-phase.yaml", "models: []\n");
  assert.deepEqual((await init("plain/tasks")).codes, ["TP_INIT_NO_GIT"]);
  world.write("shared/task-phase.yaml", "models: []\n");
  assert.deepEqual((await init("shared/one")).codes, ["TP_INIT_NO_GIT", "TP_UNTRUSTED"]);
  await world.said("trust", world.path("shared/one"));
  assert.deepEqual((await init("shared/two")).codes, ["TP_INIT_NO_GIT"]);
});

test("only a tasks root can be trusted, and not from within a pass", async (t) => {
  const world = makeClone(t);
  const nowhere = await world.call("task-phase", ["trust", "--json"], { cwd: "home" });
  assert.deepEqual([nowhere.code, nowhere.stdout.includes("TP_USAGE_NO_TARGET")], [64, true]);
  assert.deepEqual((await world.said("trust", world.path("nowhere"))).codes, ["TP_TASKS_ROOT"]);
  const task = await world.said("trust", world.path("repo/tasks/T-1"));
  assert.deepEqual([task.code, task.codes], [64, ["TP_TASKS_ROOT"]]);
  assert.match(task.fixes, /task-phase trust .*repo\/tasks$/);
  const inside = await world.call("task-phase", ["trust", world.path("repo/tasks"), "--json"], {
    env: { TASK_PHASE_PASS: "1" },
  });
  assert.equal(inside.code, 64);
});

test("a configuration that others may write is not read, wherever it was found", async (t) => {
  const world = makeClone(t);
  const root = world.path("repo/tasks");
  await world.said("trust", root);
  for (const [place, mode, wanted] of [
    ["repo/tasks/task-phase.yaml", 0o666, /every user/],
    ["repo/tasks", 0o777, /every user/],
  ] as const) {
    const was = statSync(world.path(place)).mode & 0o777;
    chmodSync(world.path(place), mode);
    const end = await world.call("task-phase", ["run", "--tasks-root", root, "--json"], {
      env: { TASK_PHASE_TRUST: "" },
    });
    assert.match(end.stdout, /TP_OWNER/);
    assert.match(end.stdout, wanted);
    chmodSync(world.path(place), was);
  }
  assert.equal(world.ran(), false);
});

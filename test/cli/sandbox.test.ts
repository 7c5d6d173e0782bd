import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { findExecutable } from "../../lib/process/find-executable.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { noSandbox } from "../process/can-sandbox.ts";
import { findLeft, findLiving } from "../process/find-living.ts";
import { makeWorld, type World } from "./arrange.ts";
import { writeBrief } from "./cheat-world.ts";
import type { Report } from "./task-world.ts";
import { until } from "./until.ts";

interface SandboxWorld extends World {
  readonly tasks: string;
  pass(model: string, ...args: readonly string[]): Promise<Report>;
  /** Everything in the tasks root and the runner's state folder, with when it was last changed. */
  look(): string[];
}

const check = `import assert from "node:assert/strict";\nimport { answer } from "../src/answer.mjs";\nassert.equal(answer, 42);\n`;

/** Two tasks in this tasks root, the one of a repo that holds it, or one beside the repo. */
async function makeSandboxWorld(t: TestContext, tasks: "repo/tasks" | "tasks" = "tasks"): Promise<SandboxWorld> {
  const world = makeWorld(t);
  world.initRepo({
    ".gitignore": "local/\n",
    "test/answer.test.mjs": check,
    "test/acceptance/answer.test.mjs": check.replace("../src", "../../src"),
    "local/settings.txt": "the same for all\n",
  });
  const words = (name: string) => JSON.stringify([process.execPath, agentPath(name)]);
  const script = (text: string) => JSON.stringify(["sh", "-c", text]);
  world.write(
    `${tasks}/task-phase.yaml`,
    [
      "sandbox: bwrap",
      "model_selection: priority",
      "models:",
      `  - { name: tries, adapter: command, command: ${words("tries-to-escape.mjs")}, env: [AGENT_WORLD, AGENT_RUNNER] }`,
      `  - { name: hangs, adapter: command, command: ${script('echo up > "$TASK_PHASE_REPO/up"; exec sleep 60')} }`,
      `  - { name: raises, adapter: command, command: ${script('cp /bin/true "$TASK_PHASE_REPO/raised"; chmod u+s "$TASK_PHASE_REPO/raised"')} }`,
      "  - { name: rehearsal, adapter: replay, recordings: recordings/ }",
      "",
    ].join("\n"),
  );
  for (const id of ["T-1", "T-2"]) {
    const brief = writeBrief(id).replace("../../repo", tasks === "tasks" ? "../../repo" : "../..");
    world.write(`${tasks}/${id}/README.md`, brief);
    const end = await world.call("task-phase-init", ["--task-dir", world.path(tasks, id), "--id", id]);
    assert.equal(end.code, 0, end.stderr);
  }
  const pass: SandboxWorld["pass"] = async (model, ...args) => {
    const words = ["--task-dir", world.path(tasks, "T-1"), "--model", model, "--json", ...args];
    const end = await world.call("task-phase-run", words, {
      env: { AGENT_WORLD: world.folder, AGENT_RUNNER: String(process.pid) },
    });
    return end.json() as unknown as Report;
  };
  const look = () =>
    [tasks, "state"]
      .filter((name) => world.exists(name))
      .flatMap((name) =>
        (readdirSync(world.path(name), { recursive: true }) as string[]).map((file) => path.join(name, file)),
      )
      .sort()
      .map((name) => `${name} ${statSync(world.path(name)).mtimeMs}`);
  return { ...world, tasks, pass, look };
}

/** What no pass has begun on: STATE.md, and no journal. */
/** A refusal stands in Status, for those who read the files alone. */
function untouched(world: SandboxWorld): readonly unknown[] {
  const state = world.read(`${world.tasks}/T-1/STATE.md`);
  return [
    state.replace(/^- (?:Status: (?:new|refused: .*)|Last updated: .*)$/gm, ""),
    world.exists(`${world.tasks}/T-1/artifacts/journal.jsonl`),
  ];
}

/** A folder with every program of PATH that these tests need, but for bwrap. */
function pathWithout(world: World): string {
  mkdirSync(world.path("bin"));
  for (const name of ["git", "sh", "node", "mkfifo", "prlimit", "sleep"]) {
    const found = findExecutable(name, "/", process.env.PATH ?? "");
    if (found !== null) symlinkSync(found, world.path("bin", name));
  }
  return world.path("bin");
}

describe("where bubblewrap works", { skip: noSandbox }, () => {
  const refused = (taskFolder: string) => [
    ...["brief", "settings", ".task-phase", "journal"].map((name) => `${name}: EROFS`),
    ...["journal, put aside", "journal, removed", "artifacts, put aside"].map((name) => `${name}: EBUSY`),
    `task folder, put aside: ${taskFolder}`,
    ...["earlier pass", "this pass", "evidence", "ledger"].map((name) => `${name}: EROFS`),
    ...["protected file", "protected folder, added to"].map((name) => `${name}: EROFS`),
    "folder above it, put aside: EBUSY",
    "protected file that git ignores: EROFS",
    ".git, put aside: EBUSY",
    ...["other task", "home", "system"].map((name) => `${name}: EROFS`),
    "anchor: ENOENT",
    "anchor's contents: EMPTY",
    "runner: ESRCH",
  ];
  const tried = (world: SandboxWorld, pass: string) =>
    world
      .read(`${world.tasks}/T-1/artifacts/passes/${pass}/stdout.log`)
      .split("\n")
      .filter((line) => /^[^:]+: [A-Za-z]+$/.test(line));

  test("a file that a model gave the rights of its owner loses them, and the run reports it", async (t) => {
    const world = await makeSandboxWorld(t);
    const { findings } = await world.pass("raises");
    const message = "raises made a file that runs with its owner's rights (setuid or setgid)";
    assert.deepEqual(findings.slice(-1), [
      {
        ...{ severity: "warning", code: "TP_SETUID", message: `${message}; the bit was removed` },
        ...{ file: world.path("repo/raised"), line: null, column: null, fix: null },
      },
    ]);
    assert.equal(statSync(world.path("repo/raised")).mode & 0o7000, 0);
  });

  test("an agent that tries to write where it must not is refused each time, and its honest work counts", async (t) => {
    const world = await makeSandboxWorld(t, "repo/tasks");
    for (const to of ["shape", "implement", "verify", "review", "done"]) {
      const report = await world.pass("tries");
      assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "accepted", to], report.reason);
    }
    assert.deepEqual(tried(world, "0003"), refused("EBUSY"));
    assert.deepEqual(findLeft(world.folder), []);
    assert.equal(world.exists(`${world.tasks}/T-1/late.md`), false);
    const check = await world.call("task-phase", ["check", "--task-dir", world.path(world.tasks, "T-1")]);
    assert.equal(check.code, 0, check.stdout);
    assert.equal(world.git("repo", "log", "--oneline").trim().split("\n").length, 2, "it could commit");
    const done = await world.call("task-phase-run", ["--task-dir", world.path(world.tasks, "T-1")], {
      env: { PATH: pathWithout(world) },
    });
    assert.equal(done.code, 0, "there is nothing to do, and so no sandbox to make");
  });

  test("a task beside the repo is protected in the same way", async (t) => {
    const world = await makeSandboxWorld(t, "tasks");
    for (const to of ["shape", "implement"]) assert.equal((await world.pass("tries")).to, to);
    assert.deepEqual(tried(world, "0002"), refused("EROFS"));
  });

  test("a model that takes too long is ended with all that it started", async (t) => {
    const world = await makeSandboxWorld(t);
    const report = await world.pass("hangs", "--timeout", "1s");
    assert.deepEqual([report.exit_code, report.verdict], [24, "unavailable"], report.reason);
    assert.deepEqual(findLeft(world.folder), []);
  });

  test("a runner that is killed takes the sandbox with it", async (t) => {
    const world = await makeSandboxWorld(t);
    const end = await world.run("task-phase-run", ["--task-dir", world.path(world.tasks, "T-1"), "--model", "hangs"], {
      onStart: (child) => {
        const timer = setInterval(() => {
          if (!world.exists("repo/up")) return;
          child.kill("SIGKILL");
        }, 20);
        child.once("exit", () => clearInterval(timer));
      },
    });
    assert.equal(end.signal, "SIGKILL");
    await until(() => findLiving(world.folder).length === 0);
    const next = await world.pass("tries");
    assert.deepEqual([next.verdict, next.to], ["accepted", "shape"], next.reason);
    assert.match(JSON.stringify(next.findings), /TP_INTERRUPTED/);
  });

  test("a dry run shows the prompt and makes no sandbox", async (t) => {
    const world = await makeSandboxWorld(t);
    const before = world.look();
    const report = await world.pass("tries", "--dry-run");
    assert.deepEqual([report.exit_code, report.verdict], [0, null], report.reason);
    assert.deepEqual(world.look(), before);
  });
});

describe("where it is missing", () => {
  for (const args of [[], ["--dry-run"]]) {
    test(`a run${args.length > 0 ? " that is dry" : ""} ends with 78 before anything of a pass is written`, async (t) => {
      const world = await makeSandboxWorld(t);
      const before = untouched(world);
      const words = ["--task-dir", world.path(world.tasks, "T-1"), "--model", "tries", "--json", ...args];
      const end = await world.call("task-phase-run", words, { env: { PATH: pathWithout(world) } });
      assert.equal(end.code, 78, end.stdout);
      const [finding] = end.json().findings as Record<string, unknown>[];
      assert.deepEqual([finding?.code, finding?.file], ["TP_SANDBOX", world.path("tasks/task-phase.yaml")]);
      assert.match(String(finding?.message), /`sandbox: bwrap` is set, but bwrap is not on PATH/);
      assert.match(String(finding?.fix), /install bubblewrap.*`sandbox: none` runs models with all your rights/);
      assert.deepEqual(untouched(world), before);
      // A dry run writes nothing at all; the other one says it where a remote reader sees it.
      assert.equal(
        world.exists("tasks/T-1/log.txt") && world.read("tasks/T-1/log.txt").includes("TP_SANDBOX"),
        args.length === 0,
      );
    });
  }

  test("a bubblewrap that cannot make a sandbox is the same error, with the reason", async (t) => {
    const world = await makeSandboxWorld(t);
    const bin = pathWithout(world);
    world.write("bin/bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n");
    chmodSync(world.path("bin/bwrap"), 0o755);
    const before = untouched(world);
    const words = ["--task-dir", world.path(world.tasks, "T-1"), "--model", "tries", "--json"];
    const end = await world.call("task-phase-run", words, { env: { PATH: bin } });
    assert.equal(end.code, 78, end.stdout);
    assert.match(end.stdout, /cannot make a sandbox here: bwrap: No permissions to create new namespace/);
    assert.deepEqual(untouched(world), before);
  });

  test("a model that is replayed and `sandbox: none` need none", async (t) => {
    const world = await makeSandboxWorld(t);
    const bin = pathWithout(world);
    world.write("tasks/recordings/0001/output.txt", "played\n");
    const run = (model: string) =>
      world.call("task-phase-run", ["--task-dir", world.path(world.tasks, "T-1"), "--model", model], {
        env: { PATH: bin },
      });
    const played = await run("rehearsal");
    assert.equal(played.code, 23, played.stderr);
    world.write("tasks/task-phase.yaml", world.read("tasks/task-phase.yaml").replace("bwrap", "none"));
    const plain = await run("tries");
    assert.notEqual(plain.code, 78, plain.stderr);
  });
});

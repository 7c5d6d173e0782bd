import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { cronPath, findProgram } from "../../lib/agents/inspect/discover.ts";
import { triedVersions } from "../../lib/agents/inspect/versions.ts";
import { answers, writePrograms } from "../agents/programs.ts";
import { makeWorld, type World } from "./arrange.ts";

const git = "echo git version 2.39.5";
const bwrap = 'test "$1" = --version && echo bubblewrap 0.8.0; exit 0';
const claude = answers({ "--version": `echo '${triedVersions.claude.version} (Claude Code)'`, auth: "exit 0" });

interface Doctor {
  readonly agents: readonly Record<string, unknown>[];
  readonly findings: readonly { readonly code: string; readonly message: string; readonly fix: string }[];
  readonly [key: string]: unknown;
}

/** A world whose PATH leads to these programs and to nothing else. */
function worldWith(t: TestContext, programs: Readonly<Record<string, string>>): World & { readonly bin: string } {
  const world = makeWorld(t);
  const bin = writePrograms(world.path("bin"), { git, bwrap, ...programs });
  mkdirSync(world.path("here"));
  return { ...world, bin, env: { ...world.env, PATH: bin } };
}

async function doctor(
  world: World & { readonly bin: string },
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Doctor & { readonly code: number | null }> {
  const end = await world.call("task-phase", ["doctor", "--json", ...args], {
    cwd: "here",
    env: { PATH: world.bin, ...env },
  });
  return { ...(end.json() as unknown as Doctor), code: end.code };
}

const codes = (report: Doctor): string[] => report.findings.map((finding) => finding.code);

test("everything that a pass needs is reported, as one JSON object", async (t) => {
  const world = worldWith(t, { claude });
  world.write("here/task-phase.yaml", "models: [{ name: main, adapter: claude }]\n");
  const { agents, findings, code, ...report } = await doctor(world, [], { ANTHROPIC_API_KEY: "never-shown" });
  assert.equal(code, 0);
  assert.deepEqual(
    findings.map((finding) => finding.code),
    ["TP_DOCTOR_CRON_PATH"],
  );
  assert.deepEqual(agents[1], {
    name: "claude",
    program: "claude",
    package: "@anthropic-ai/claude-code",
    path: world.path("bin/claude"),
    version: triedVersions.claude.version,
    version_text: `${triedVersions.claude.version} (Claude Code)`,
    callable: true,
    problem: null,
    login: "yes",
    on_cron_path: false,
    env: ["ANTHROPIC_API_KEY"],
    configured_as: ["main"],
    config: "models: [{ name: claude, adapter: claude }]",
  });
  assert.deepEqual(agents[2], {
    name: "codex",
    program: "codex",
    package: "@openai/codex",
    path: null,
    version: null,
    version_text: null,
    callable: null,
    problem: null,
    login: "unknown",
    on_cron_path: null,
    env: [],
    configured_as: [],
    config: "models: [{ name: codex, adapter: codex }]",
  });
  const { cron, containment, ...rest } = report;
  assert.deepEqual(rest, {
    command: "doctor",
    exit_code: 0,
    exit_name: "ok",
    config: { path: world.path("here/task-phase.yaml"), ok: true, sandbox: "none" },
    models: [{ name: "main", adapter: "claude", there: true, problem: null }],
    node: { path: process.execPath, version: process.versions.node, ok: true, needs: "20.19" },
    git: { path: world.path("bin/git"), version: "2.39.5", usable: true, problem: null },
    sandbox: {
      tool: "bwrap",
      path: world.path("bin/bwrap"),
      version: "0.8.0",
      usable: true,
      problem: null,
      config: "sandbox: bwrap",
    },
    signing: { config: "none", key: null, problem: null },
    state_folder: { path: world.path("state/task-phase"), writable: true },
    cache_folder: { path: world.path("home/.cache/task-phase"), kept: [] },
  });
  assert.deepEqual((cron as { missing: string[] }).missing.filter((name) => name !== "node").slice(0, 2), [
    "git",
    "claude",
  ]);
  assert.match((containment as { text: string }).text, /; without a sandbox an agent of the same user can reach /);
  assert.doesNotMatch(JSON.stringify(report) + JSON.stringify(agents), /never-shown/);
});

test("people read an aligned table and what to do next", async (t) => {
  const world = worldWith(t, { claude });
  const end = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: world.bin } });
  const lines = end.stdout.split("\n");
  assert.equal(end.code, 0);
  assert.deepEqual(lines.slice(0, 9), [
    "agent     version  callable  login  configured as  path",
    "pi        -        -         -      -              not on PATH",
    `claude    ${triedVersions.claude.version}  yes       yes    -              ${world.path("bin/claude")}`,
    "codex     -        -         -      -              not on PATH",
    "gemini    -        -         -      -              not on PATH",
    "opencode  -        -         -      -              not on PATH",
    "copilot   -        -         -      -              not on PATH",
    "qwen      -        -         -      -              not on PATH",
    "",
  ]);
  for (const line of [
    "config       no task-phase.yaml found from here",
    `git          2.39.5  ${world.path("bin/git")}`,
    `bwrap        0.8.0  ${world.path("bin/bwrap")}  usable, with \`sandbox: bwrap\``,
    "next: task-phase init --task-dir tasks/T-1 makes a task, and task-phase.yaml with: claude",
    "next: task-phase probe asks each of them for one word, which costs a little",
  ]) {
    assert.ok(lines.includes(line), `${line}\nnot in\n${end.stdout}`);
  }
  assert.match(end.stderr, /^info: cron has a short PATH, which lacks these: /);
});

test("cron's PATH is held against all that a pass here starts, and the crontab that works here is printed", async (t) => {
  const world = worldWith(t, {
    claude,
    pytest: "exit 0",
    pnpm: "exit 0",
    python9: "exit 0",
    "task-phase-loop": "exit 0",
  });
  world.write("here/agent.sh", "#!/usr/bin/env python9\n");
  chmodSync(world.path("here/agent.sh"), 0o755);
  world.write("here/tasks/task-phase.yaml", "models: [{ name: own, adapter: command, command: [../agent.sh] }]\n");
  const brief = "---\nid: T-1\ntitle: x\nvalidators:\n  - { name: a, command: [env, CI=1, pnpm, test] }\n";
  world.write(
    "here/tasks/T-1/README.md",
    `${brief}  - { name: b, command: [sh, -c, "cd py && pytest -q"] }\n---\n\nDo it.\n`,
  );
  world.write("here/tasks/T-1/STATE.md", "# x\n");
  const { cron } = (await doctor(world)) as unknown as { cron: Record<string, unknown> };
  const bin = world.path("bin");
  const missing = (cron.missing as string[]).filter((name) => name !== "node");
  assert.deepEqual(missing, ["git", "claude", "task-phase-loop", "pnpm", "pytest", "python9"]);
  assert.ok(/^PATH=(.*)$/.exec(String(cron.line))?.[1]?.split(":").includes(bin), String(cron.line));
  const flock =
    findProgram("flock", cronPath) === null ? "" : "flock --nonblock --conflict-exit-code 75 tasks/.cron.lock ";
  const entry = `*/10 * * * * cd ${world.path("here")} && ${flock}task-phase-loop --tasks-root tasks --max-seconds 3300`;
  assert.equal(cron.entry, entry);
  const end = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: world.bin } });
  assert.ok(end.stdout.includes(`${cron.line}\n`) && end.stdout.includes(`${entry}\n`), end.stdout);
});

test("with nothing on PATH, what to install is said", async (t) => {
  const world = worldWith(t, {});
  const report = await doctor(world, [], { PATH: "" });
  assert.equal(report.code, 0);
  assert.deepEqual(
    codes(report).filter((code) => code !== "TP_DOCTOR_CRON_PATH"),
    ["TP_DOCTOR_NO_MODEL", "TP_DOCTOR_GIT"],
  );
  assert.match(report.findings[0]?.fix ?? "", /^install one, such as: npm install -g @anthropic-ai\/claude-code; /);
  const told = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: "" } });
  assert.match(told.stdout, /\nnext: install an agent CLI, such as: npm install -g @anthropic-ai\/claude-code\n/);
});

test("a git that cannot land a branch is a warning", async (t) => {
  const world = worldWith(t, { claude, git: "echo git version 2.34.1" });
  const { findings } = await doctor(world);
  const found = findings.find(({ code }) => code === "TP_DOCTOR_OLD_GIT");
  assert.equal(found?.message, "git 2.34.1 is older than 2.38, which `task-phase land` needs");
  const newer = await doctor(worldWith(t, { claude, git: "echo git version 2.38.0" }));
  assert.equal(codes(newer).includes("TP_DOCTOR_OLD_GIT"), false);
});

test("a CLI that fails, an old one and one without a login are warnings", async (t) => {
  const world = worldWith(t, {
    pi: "echo 'SyntaxError: no' >&2; exit 1",
    claude: answers({ "--version": "echo 1.0.0", auth: "exit 1" }),
  });
  const report = await doctor(world);
  assert.equal(report.code, 0);
  assert.deepEqual(
    report.findings.slice(0, 3).map(({ code, message }) => [code, message]),
    [
      ["TP_DOCTOR_NOT_CALLABLE", "pi is installed but cannot be called: it ended with exit code 1: SyntaxError: no"],
      [
        "TP_DOCTOR_OLD_VERSION",
        `claude 1.0.0 is older than ${triedVersions.claude.version}, the newest version that its adapter was tested with`,
      ],
      ["TP_DOCTOR_NO_LOGIN", "claude reports that nobody is logged in"],
    ],
  );
  const told = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: world.bin } });
  assert.match(told.stdout, /\npi {8}unknown {2}no {8}unknown {2}- /);
  const alone = worldWith(t, { pi: "exit 1" });
  const failing = await alone.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: alone.bin } });
  assert.match(failing.stdout, /\nnext: see above why pi cannot be called\n/);
});

test("a file that may not be executed is as good as none, and is named", async (t) => {
  const world = worldWith(t, { claude });
  chmodSync(world.path("bin/claude"), 0o644);
  const report = await doctor(world);
  const problem = `${world.path("bin/claude")} exists but is not executable`;
  assert.deepEqual([report.agents[1]?.path, report.agents[1]?.problem], [null, problem]);
  const told = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: world.bin } });
  assert.ok(told.stdout.includes(`  ${problem}\n`), told.stdout);
});

test("each configured model is there or missing, of every adapter", async (t) => {
  const world = worldWith(t, { claude });
  world.write(
    "here/task-phase.yaml",
    `models:
  - { name: main, adapter: claude }
  - { name: second, adapter: claude, env: [ANTHROPIC_API_KEY] }
  - { name: other, adapter: codex }
  - { name: mine, adapter: command, command: [./mine.sh] }
  - { name: rehearsal, adapter: replay, recordings: recordings }
`,
  );
  const report = await doctor(world);
  assert.deepEqual(report.agents[1]?.configured_as, ["main", "second"]);
  assert.deepEqual(report.models, [
    { name: "main", adapter: "claude", there: true, problem: null },
    { name: "second", adapter: "claude", there: true, problem: null },
    { name: "other", adapter: "codex", there: false, problem: "codex was not found on PATH" },
    { name: "mine", adapter: "command", there: false, problem: `${world.path("here/mine.sh")} does not exist` },
    {
      name: "rehearsal",
      adapter: "replay",
      there: false,
      problem: `${world.path("here/recordings")} has no recordings such as 0001/`,
    },
  ]);
  assert.deepEqual(codes(report).slice(0, 3), Array(3).fill("TP_DOCTOR_MODEL_MISSING"));
  const told = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: world.bin } });
  assert.match(told.stdout, /\nmodel {6}adapter {2}program\nmain {7}claude {3}there\n/);
});

test("a CLI that is there and not configured is offered", async (t) => {
  const world = worldWith(t, { claude, gemini: "echo 9.0.0" });
  world.write("here/task-phase.yaml", "models: [{ name: main, adapter: claude }]\n");
  const told = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: world.bin } });
  assert.match(told.stdout, /\nnext: to use gemini too, add under `models`: - \{ name: gemini, adapter: gemini \}\n/);
  world.write("here/task-phase.yaml", "models: []\n");
  const empty = await world.call("task-phase", ["doctor"], { cwd: "here", env: { PATH: world.bin } });
  assert.match(
    empty.stdout,
    /\nnext: write in \S+\/task-phase\.yaml: models: \[\{ name: claude, adapter: claude \}, \{ name: gemini, adapter: gemini \}\]\n/,
  );
});

test("a wrong task-phase.yaml is exit 78, with everything else in the report", async (t) => {
  const world = worldWith(t, { claude });
  world.write("here/task-phase.yaml", "modles: []\n");
  const report = await doctor(world);
  assert.equal(report.code, 78);
  assert.deepEqual(report.config, { path: world.path("here/task-phase.yaml"), ok: false, sandbox: null });
  assert.equal(report.agents[1]?.callable, true);
  assert.equal(report.findings[0]?.code, "TP_CONFIG_UNKNOWN_KEY");
  const named = await doctor(world, ["--config", "nowhere.yaml"]);
  assert.equal(named.code, 78);
});

test("in a task folder, the configuration is the one above it, as in a pass", async (t) => {
  const world = worldWith(t, { claude });
  world.write("here/STATE.md", "");
  world.write("here/task-phase.yaml", "models: [{ name: planted, adapter: claude }]\n");
  world.write("task-phase.yaml", "models: [{ name: main, adapter: claude }]\n");
  assert.deepEqual((await doctor(world)).agents[1]?.configured_as, ["main"]);
});

test("a sandbox that is asked for and cannot be used is a warning", async (t) => {
  const refused = 'test "$1" = --version && echo bubblewrap 0.8.0 && exit\necho "bwrap: no permission" >&2; exit 1';
  const world = worldWith(t, { claude, bwrap: refused });
  const unasked = await doctor(world);
  assert.equal(codes(unasked).includes("TP_DOCTOR_SANDBOX"), false);
  world.write("here/task-phase.yaml", "models: [{ name: main, adapter: claude }]\nsandbox: bwrap\n");
  const good = worldWith(t, { claude });
  good.write("here/task-phase.yaml", world.read("here/task-phase.yaml"));
  const report = await doctor(world);
  assert.deepEqual(
    report.findings.filter(({ code }) => code === "TP_DOCTOR_SANDBOX").map(({ message }) => message),
    ["`sandbox: bwrap` is set, but bwrap cannot be used: it ended with exit code 1: bwrap: no permission"],
  );
  const texts = [report, await doctor(good)].map((one) => (one.containment as { text: string }).text.split("; ")[1]);
  assert.deepEqual(texts, [
    "without a sandbox an agent of the same user can reach the runner's own copies in the state folder",
    "the sandbox keeps agents away from the runner's own copies in the state folder",
  ]);
  assert.equal(codes(await doctor(good)).includes("TP_DOCTOR_SANDBOX"), false);
});

test("a key that is set counts for a CLI that is not configured, and for one that is only where it is passed on", async (t) => {
  const world = worldWith(t, { codex: answers({ "--version": "echo 9.0.0", login: "exit 1" }) });
  const env = { CODEX_API_KEY: "k" };
  assert.equal((await doctor(world, [], env)).agents[2]?.login, "unknown");
  world.write("here/task-phase.yaml", "models: [{ name: main, adapter: codex }]\n");
  const report = await doctor(world, [], env);
  assert.equal(report.agents[2]?.login, "no");
  assert.match(
    report.findings.find(({ code }) => code === "TP_DOCTOR_NO_LOGIN")?.fix ?? "",
    /^CODEX_API_KEY is set here and not passed on: add `env: \[CODEX_API_KEY\]` to the model, or: `codex login`$/,
  );
});

test("a missing HOME and a state folder that cannot be made are warnings", async (t) => {
  const world = worldWith(t, {});
  world.write("file", "");
  const report = await doctor(world, [], { HOME: "", XDG_STATE_HOME: world.path("file/state") });
  assert.deepEqual(codes(report).slice(-3, -1), ["TP_DOCTOR_STATE_FOLDER", "TP_DOCTOR_NO_HOME"]);
  assert.deepEqual(report.state_folder, { path: world.path("file/state/task-phase"), writable: false });
});

test("doctor writes nothing where it is called, also in a folder that is read-only, and may be called in a pass", async (t) => {
  const world = worldWith(t, { claude: `pwd > ${"$"}HOME/pwd; ${claude}` });
  chmodSync(world.path("here"), 0o555);
  const report = await doctor(world, [], { TASK_PHASE_PASS: "3", HOME: world.path("home") });
  assert.equal(report.code, 0);
  assert.deepEqual([readdirSync(world.path("here")), world.exists("state")], [[], false]);
  // The program ran in a folder that is gone.
  assert.equal(world.exists(`../${world.read("home/pwd").trim().split("/").at(-1)}`), false);
});

test("without a place for temporary files the report cannot be made", async (t) => {
  const world = worldWith(t, { claude });
  const end = await world.run("task-phase", ["doctor", "--json"], { env: { TMPDIR: world.path("nowhere") } });
  assert.equal(end.code, 1);
  assert.deepEqual((end.json() as unknown as Doctor).findings[0]?.code, "TP_DISK");
});

test("a signal ends the programs and the report in order", async (t) => {
  const world = worldWith(t, { claude: "touch $HOME/started; exec sleep 30" });
  const end = await world.run("task-phase", ["doctor", "--json"], {
    env: { PATH: `${world.bin}:${process.env.PATH}` },
    onStart: (child) => {
      const look = setInterval(() => {
        if (!world.exists("home/started")) return;
        clearInterval(look);
        child.kill("SIGINT");
      }, 20);
      t.after(() => clearInterval(look));
    },
  });
  assert.deepEqual([end.code, (end.json() as unknown as Doctor).agents[1]?.callable], [130, null]);
});

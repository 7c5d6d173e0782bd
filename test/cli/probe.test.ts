import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { failedResult, goodResult, printsEvents, writePrograms } from "../agents/programs.ts";
import { lives, makeTemporaryPlace } from "../process/arrange.ts";
import { makeWorld, type RunEnd, type World } from "./arrange.ts";

interface ProbeJson {
  readonly config: string | null;
  readonly models: readonly Record<string, unknown>[];
  readonly skipped: readonly Record<string, unknown>[];
  readonly findings: readonly { readonly code: string }[];
}

const ready = "cat > /dev/null; echo ready";

function worldWith(t: TestContext, programs: Readonly<Record<string, string>>): World {
  const world = makeWorld(t);
  writePrograms(world.path("bin"), programs);
  return world;
}

async function probe(world: World, args: readonly string[] = [], env: Record<string, string> = {}): Promise<RunEnd> {
  return world.call("task-phase", ["probe", ...args], { env: { PATH: world.path("bin"), ...env } });
}

const jsonOf = (end: RunEnd): ProbeJson => end.json() as unknown as ProbeJson;

test("without a configuration, every agent CLI on PATH is asked", async (t) => {
  const world = worldWith(t, { claude: printsEvents(goodResult), codex: "test $1 = login" });
  const end = await probe(world, ["--json"]);
  const { models, ...rest } = jsonOf(end);
  assert.equal(end.code, 24);
  assert.deepEqual(rest, {
    command: "probe",
    exit_code: 24,
    exit_name: "unavailable",
    findings: [],
    config: null,
    timeout_ms: 60_000,
    skipped: [],
  });
  assert.deepEqual(
    { ...models[0], duration_ms: 0 },
    {
      name: "claude",
      adapter: "claude",
      configured: false,
      outcome: "answers",
      duration_ms: 0,
      cost_usd: 0.0021,
      tokens: { input: 30, output: 4 },
      detail: "ready",
      until: null,
      next: null,
    },
  );
  assert.deepEqual(
    models.map((model) => [model.name, model.outcome]),
    [
      ["claude", "answers"],
      ["codex", "failed"],
    ],
  );
});

test("the configured models are asked, and people read a table and what to do next", async (t) => {
  const world = worldWith(t, {
    claude: printsEvents(failedResult(401, "Not logged in · Please run /login")),
    pi: ready,
  });
  world.write(
    "task-phase.yaml",
    `models:
  - { name: main, adapter: claude }
  - { name: mine, adapter: command, command: [bin/pi] }
  - { name: other, adapter: codex }
  - { name: rehearsal, adapter: replay, recordings: recordings }
`,
  );
  const end = await probe(world);
  assert.equal(end.code, 24);
  assert.deepEqual(end.stderr.split("\n"), [
    "asking main, mine, other for one word, for at most 1m; these are real calls and may cost a little",
    "",
  ]);
  const times = [...end.stdout.matchAll(/(?<= )(\d+ms|[\d.]+s) +/g)].map(([, time = ""]) => time.length);
  // A column is as wide as its longest cell, and how long a call took is not known beforehand.
  const column = (text: string) => text.padEnd(Math.max("time".length, ...times));
  const lines = end.stdout.replace(/(?<= )(?:\d+ms|[\d.]+s) +/g, "TIME ").split("\n");
  assert.deepEqual(lines, [
    `model  outcome      ${column("time")}  cost      detail`,
    "main   wants_login  TIME 0.00 USD  claude: Not logged in · Please run /login (401)",
    "mine   answers      TIME unknown   ready",
    `other  missing      ${column("-")}  -         codex was not found on PATH`,
    "next for main: `claude auth login`; or set ANTHROPIC_API_KEY and add `env: [ANTHROPIC_API_KEY]` to the model",
    "next for other: npm install -g @openai/codex",
    "rehearsal was not asked: a replay model plays recordings and answers no prompt",
    "",
  ]);
});

test("exit 0 says that every model asked has answered", async (t) => {
  const world = worldWith(t, { claude: printsEvents(goodResult) });
  assert.equal((await probe(world)).code, 0);
  world.write("task-phase.yaml", "models: [{ name: r, adapter: replay, recordings: recordings }]\n");
  const end = await probe(world, ["--json"]);
  assert.deepEqual([end.code, jsonOf(end).models, jsonOf(end).skipped], [0, [], [{ name: "r", adapter: "replay" }]]);
});

test("one model can be named, also an agent CLI that is not configured", async (t) => {
  const world = worldWith(t, { claude: printsEvents(goodResult), mine: ready });
  world.write("task-phase.yaml", "models: [{ name: mine, adapter: command, command: [mine] }]\n");
  const asked = async (name: string) => {
    const end = await probe(world, ["--json", "--model", name]);
    return jsonOf(end).models.map((model) => [model.name, model.adapter, model.configured, model.outcome]);
  };
  assert.deepEqual(
    [await asked("mine"), await asked("claude"), await asked("gemini")],
    [
      [["mine", "command", true, "answers"]],
      [["claude", "claude", false, "answers"]],
      [["gemini", "gemini", false, "missing"]],
    ],
  );
  const unknown = await probe(world, ["--model", "mnie"]);
  assert.equal(unknown.code, 64);
  assert.match(
    unknown.stderr,
    /no model is named mnie \[TP_MODEL_UNKNOWN\]\n {2}fix: did you mean mine\? the models are: mine, claude\n/,
  );
  const far = await probe(world, ["--model", "zzzzzzzz"]);
  assert.match(far.stderr, /fix: the models are: mine, claude\n/);
});

test("a probe without a usable model is exit 24, with what to do", async (t) => {
  const world = worldWith(t, {});
  const end = await probe(world, ["--json"]);
  assert.deepEqual(
    [end.code, jsonOf(end).models, jsonOf(end).findings.map((one) => one.code)],
    [24, [], ["TP_PROBE_NO_MODEL"]],
  );
});

test("a wrong configuration is exit 78, and a probe inside a pass exit 64", async (t) => {
  const world = worldWith(t, { claude: "touch $HOME/started" });
  const inside = await probe(world, [], { TASK_PHASE_PASS: "3" });
  assert.deepEqual([inside.code, /TP_USAGE_INSIDE_PASS/.test(inside.stderr)], [64, true]);
  world.write("task-phase.yaml", "modles: []\n");
  assert.equal((await probe(world)).code, 78);
  assert.equal(world.exists("home/started"), false);
});

test("a sandbox that is asked for and does not exist is exit 78, and nobody is called without it", async (t) => {
  const world = worldWith(t, { claude: "touch $HOME/started" });
  world.write("task-phase.yaml", "models: [{ name: main, adapter: claude }]\nsandbox: bwrap\n");
  const end = await probe(world);
  assert.deepEqual([end.code, world.exists("home/started")], [78, false]);
  assert.match(end.stderr, /`sandbox: bwrap` is set, but bwrap is not on PATH[^\n]* \[TP_SANDBOX\]\n {2}fix: install /);
});

test("a key that is set is passed on to a CLI that is not configured, and never shown", async (t) => {
  const says = `echo "$ANTHROPIC_API_KEY" > $HOME/key; echo "$MY_TOKEN" > $HOME/token`;
  const world = worldWith(t, { claude: `${says}\n${printsEvents({ ...goodResult, result: "key-of-somebody" })}` });
  const end = await probe(world, [], { ANTHROPIC_API_KEY: "key-of-somebody", MY_TOKEN: "token-of-somebody" });
  assert.deepEqual([world.read("home/key"), world.read("home/token")], ["key-of-somebody\n", "\n"]);
  assert.doesNotMatch(end.stdout + end.stderr, /of-somebody/);
});

test("a probe that hangs is named with its time, and nothing is written in the working directory", async (t) => {
  const world = worldWith(t, { gemini: "exec sleep 30" });
  const temporary = makeTemporaryPlace(t);
  const before = readdirSync(world.folder);
  const end = await probe(world, ["--timeout", "0.4"]);
  assert.equal(end.code, 24);
  assert.match(end.stdout, /\ngemini {2}hangs .* no answer within 0\.4 s\n/);
  assert.match(end.stderr, /^asking gemini for one word, for at most 400ms; /);
  assert.deepEqual([readdirSync(world.folder), readdirSync(temporary)], [before, []]);
});

test("a signal ends the calls in order: nothing lives on, and the exit code names it", async (t) => {
  const world = worldWith(t, { claude: "echo $$ > $HOME/pid.new; mv $HOME/pid.new $HOME/pid; exec sleep 30" });
  const end = await world.run("task-phase", ["probe", "--json", "--model", "claude"], {
    env: { PATH: `${world.path("bin")}:${process.env.PATH}` },
    onStart: (child) => {
      const look = setInterval(() => {
        if (!world.exists("home/pid")) return;
        clearInterval(look);
        child.kill("SIGTERM");
      }, 20);
      t.after(() => clearInterval(look));
    },
  });
  assert.equal(end.code, 143);
  assert.deepEqual(
    jsonOf(end).models.map((model) => [model.outcome, model.detail]),
    [[null, "stopped before it answered"]],
  );
  assert.match(end.stderr, /SIGTERM: stopping cleanly; a second one stops immediately/);
  assert.equal(lives(Number(world.read("home/pid"))), false);
});

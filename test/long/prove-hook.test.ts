import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { execaSync } from "execa";
import type { InputStream } from "../../lib/cli/io.ts";
import { makeWorld, type World } from "../cli/arrange.ts";

/** How many lying and honest sessions are played: PROVE_SESSIONS=20,40 plays all of them. */
const [lies = 3, honest = 5] = (process.env.PROVE_SESSIONS ?? "3,5").split(",").map(Number);

const code = "exports.round = (x) => Math.floor(x + 0.5);\n";
const tests = [
  'const { test } = require("node:test");',
  'const { equal } = require("node:assert");',
  'const { round } = require("../src/round.js");',
  'test("up", () => equal(round(2.5), 3));',
  'test("down", () => equal(round(2.2), 2));',
  "",
].join("\n");

type Files = Readonly<Record<string, string | null>>;
const broken = "exports.round = (x) => Math.trunc(x);\n";

/** What a session did before it says that all is done; null removes a file. */
const lying: Readonly<Record<string, Files>> = {
  "broke the code": { "src/round.js": broken },
  "took the failing assertion away": {
    "src/round.js": broken,
    "test/round.test.js": tests.replace("round(2.5), 3", "1, 1"),
  },
  "put a program that passes in place of the tests": {
    "src/round.js": broken,
    "package.json": '{ "scripts": { "test": "true" } }\n',
  },
  "skipped the failing test": {
    "src/round.js": broken,
    "test/round.test.js": tests.replace('test("up"', 'test.skip("up"'),
  },
  "changed what the test expects": {
    "src/round.js": broken,
    "test/round.test.js": tests.replace("2.5), 3", "2.5), 2"),
  },
  "removed the tests": { "src/round.js": broken, "test/round.test.js": null },
  "left a file that does not load": { "src/round.js": `${code}}\n` },
  "ended the tests before they ran": { "src/round.js": broken, "test/round.test.js": `process.exit(0);\n${tests}` },
  "needs a file that git ignores": { "src/round.js": `require("../local.json");\n${code}`, "local.json": "{}\n" },
  "caught what the test throws": {
    "src/round.js": broken,
    "test/round.test.js": tests.replace("equal(round(2.5), 3)", "{ try { equal(round(2.5), 3); } catch {} }"),
  },
};

const fine: Readonly<Record<string, Files>> = {
  "changed nothing": {},
  "made the code plainer": { "src/round.js": "exports.round = Math.round;\n" },
  "wrote a document": { "README.md": "# Rounding\n" },
  "added a function with its test": {
    "src/half.js": "exports.half = (x) => x / 2;\n",
    "test/half.test.js":
      'require("node:test").test("half", () => require("node:assert").equal(require("../src/half.js").half(4), 2));\n',
  },
  "added a test to those that are there": {
    "test/round.test.js": `${tests}test("below", () => equal(round(-2.2), -2));\n`,
  },
  "laid the tests out anew": { "test/round.test.js": tests.replaceAll("() => equal", "() =>\n  equal") },
  "fixed the code for a new test": {
    "src/round.js": "exports.round = (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);\n",
    "test/round.test.js": `${tests}test("away", () => equal(round(-2.5), -3));\n`,
  },
  "moved the code": { "src/round.js": 'exports.round = require("./whole.js").round;\n', "src/whole.js": code },
};

function makeRepo(t: TestContext, files: Readonly<Record<string, string>> = {}): World {
  const world = makeWorld(t);
  world.initRepo({
    "package.json": '{ "scripts": { "test": "node --test test/*.test.js" } }\n',
    "src/round.js": code,
    "test/round.test.js": tests,
    ".gitignore": "local.json\n",
    ...files,
  });
  return world;
}

interface Stopped {
  readonly sent: readonly string[];
  /** What the session was let go with. */
  readonly remark: string | null;
}

/** A session that wants to stop, and does nothing about what it is told. */
async function stopAgain(world: World, extra: object = {}): Promise<Stopped> {
  const sent: string[] = [];
  for (;;) {
    const stop = {
      hook_event_name: "Stop",
      session_id: "s",
      cwd: world.path("repo"),
      stop_hook_active: sent.length > 0,
    };
    const text = Buffer.from(JSON.stringify({ ...stop, last_assistant_message: "All tests pass.", ...extra }));
    const stdin: InputStream = { kind: "text", read: async () => text };
    const end = await world.call("task-phase", ["prove", "--hook"], { cwd: "home", stdin });
    assert.equal(end.code, 0, end.stderr);
    assert.equal(end.stderr, "");
    if (end.stdout === "") return { sent, remark: null };
    const said = JSON.parse(end.stdout) as { decision?: string; reason?: string; systemMessage?: string };
    if (said.decision !== "block") return { sent, remark: said.systemMessage ?? "" };
    sent.push(said.reason ?? "");
    assert.ok(sent.length < 9, "it is trapped");
  }
}

function change(world: World, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    if (text === null) rmSync(world.path("repo", name), { force: true });
    else world.write(`repo/${name}`, text);
  }
}

const pick = <Value>(from: Readonly<Record<string, Value>>, count: number) =>
  Array.from({ length: count }, (_, index) => Object.entries(from)[index % Object.keys(from).length] ?? assert.fail());

describe("a session under the hook", () => {
  for (const [index, [name, files]] of pick(lying, lies).entries())
    test(`${index + 1}: that ${name} is sent back three times, and let go with what stands`, async (t) => {
      const world = makeRepo(t);
      change(world, files);
      const { sent, remark } = await stopAgain(world);
      assert.equal(sent.length, 3, `${sent.join("\n")}\n${remark}`);
      assert.match(remark ?? "", /^task-phase prove: the session ended, and this stands: /);
    });

  for (const [index, [name, files]] of pick(fine, honest).entries())
    test(`${index + 1}: that ${name} ends without a word`, async (t) => {
      const world = makeRepo(t);
      if (index % 2 === 1) world.git("repo", "switch", "--quiet", "--create", "work");
      change(world, files);
      if (index % 2 === 1) {
        world.git("repo", "add", "-A");
        world.git("repo", "commit", "--quiet", "--allow-empty", "--message=Work");
      }
      assert.deepEqual(await stopAgain(world), { sent: [], remark: null });
    });

  test("that found a failing check is never held by it, and that repairs what it broke is let go", async (t) => {
    const world = makeRepo(t, { "src/round.js": broken });
    world.write("repo/README.md", "# Rounding\n");
    const { sent, remark } = await stopAgain(world);
    assert.deepEqual(sent, []);
    assert.match(remark ?? "", /^task-phase prove: The check fails: /);
    change(world, { "src/round.js": `${code}}\n`, "README.md": null });
    assert.match(
      (await stopAgain(world, { session_id: "other" })).sent[0] ?? "",
      /^task-phase prove: The check fails: tests: .*; see .*sent back 1 of 3 times/,
    );
    change(world, { "src/round.js": code });
    assert.deepEqual(await stopAgain(world), { sent: [], remark: null });
    // The repo has nothing of it, and the counts are private.
    assert.equal(readdirSync(world.path("home/.cache/task-phase/hooks")).length, 1);
    assert.equal(world.git("repo", "status", "--porcelain", "--ignored").trim(), "M src/round.js");
  });

  test("that breaks a test beside one that was broken before is sent back with the name of its own", async (t) => {
    const world = makeRepo(t, {
      "test/open.test.js": 'require("node:test").test("open", () => assert.fail("open"));\n',
    });
    change(world, { "src/round.js": broken });
    const { sent } = await stopAgain(world);
    assert.equal(sent.length, 3);
    assert.match(sent[0] ?? "", /broken before: .*open.*; regressed: .*up/);
    assert.doesNotMatch(sent[0] ?? "", /before this work too|base too/);
    change(world, { "src/round.js": code, "README.md": "# Rounding\n" });
    assert.deepEqual((await stopAgain(world, { session_id: "other" })).sent, []);
  });

  test("in a folder without git, without a check or inside a pass is let go at once", async (t) => {
    const world = makeWorld(t);
    const text = Buffer.from(JSON.stringify({ hook_event_name: "Stop", session_id: "s", cwd: world.path("home") }));
    const stdin: InputStream = { kind: "text", read: async () => text };
    const call = (env: Record<string, string>) =>
      world.call("task-phase", ["prove", "--hook"], { cwd: "home", stdin, env: { ...world.env, ...env } });
    const none = await call({});
    assert.deepEqual([none.code, none.stdout], [0, ""]);
    assert.match(none.stderr, /in no git repository.*; the session was let go\n$/);
    const inside = await call({ TASK_PHASE_PASS: "3" });
    assert.deepEqual([inside.code, inside.stdout, inside.stderr], [0, "", ""]);
  });
});

test("commits of a session on the default branch of a repo without a remote are its work", async (t) => {
  const world = makeRepo(t);
  const transcript = world.write("home/session.jsonl", "{}\n");
  change(world, { "src/round.js": broken });
  // The log of HEAD has the times of the commits.
  const env = { ...world.env, GIT_COMMITTER_DATE: "2099-01-01T00:00:00Z" };
  execaSync("git", ["commit", "--quiet", "--all", "--message=fix"], { cwd: world.path("repo"), env, extendEnv: false });
  assert.equal((await stopAgain(world, { transcript_path: transcript })).sent.length, 3);
  assert.deepEqual(await stopAgain(world), { sent: [], remark: null }, "nothing says when it began");
});

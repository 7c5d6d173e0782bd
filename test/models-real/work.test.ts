import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { CliName } from "../../lib/documents/config/adapter-names.ts";
import { keptPrompt } from "../../lib/pass/pack-prompt.ts";
import { fieldOf, stateFile } from "../cli/task-states.ts";
import { usage } from "../scripted-server/api.ts";
import { question, scenarios } from "../scripted-server/scenarios.ts";
import { readInstalled } from "./installed.ts";
import { type RealPass, runReal } from "./real-world.ts";

const worked = {
  exit: 0,
  verdict: "accepted",
  end: "exited, with a result",
  progress: ["code_change", "state_change", "evidence_gain"],
  survivors: [],
  left: [],
};
const didNothing: typeof worked = {
  exit: 23,
  verdict: "no_progress",
  end: "exited, with a result",
  progress: [],
  survivors: [],
  left: [],
};

/** What each CLI says of six answers: some count what came from the cache as input, and some know no cost or turns. */
const six = { input: 6 * usage.fresh, output: 6 * usage.output };
const sixWithCached = { input: 6 * (usage.fresh + usage.cached), output: 6 * usage.output };
const said: Readonly<Record<CliName, { tokens: object; cost: boolean; turns: number | null }>> = {
  pi: { tokens: six, cost: true, turns: 6 },
  claude: { tokens: six, cost: true, turns: 6 },
  codex: { tokens: sixWithCached, cost: false, turns: null },
  gemini: { tokens: sixWithCached, cost: false, turns: null },
  opencode: { tokens: six, cost: true, turns: 6 },
  copilot: { tokens: { input: null, output: null }, cost: false, turns: 6 },
  qwen: { tokens: sixWithCached, cost: false, turns: 6 },
};

/** What somebody finds in the repo and in the task folder afterwards. */
function assertWorkIsThere(pass: RealPass): void {
  assert.match(readFileSync(join(pass.repo, "src", "slug.mjs"), "utf8"), /toLowerCase/);
  assert.match(pass.task.read("artifacts/slug.md"), /is written/);
  assert.equal(fieldOf(pass.task.state(), "Phase"), "verify");
  assert.equal(fieldOf(pass.task.state(), "Current result"), "slug() is written");
}

/** A limit on the way is none, and so is one in words. */
function assertNoCooldown(pass: RealPass): void {
  assert.throws(() => pass.task.read("../.task-phase/cooldowns.json"), { code: "ENOENT" });
}

for (const cli of readInstalled()) {
  describe(`${cli.name} ${cli.version}`, () => {
    test("edits files, finishes, and says what it spent", async (t) => {
      const pass = await runReal(t, cli, { name: "edits and finishes", scenario: scenarios.task() });
      assert.deepEqual(pass.outcome, worked);
      assertWorkIsThere(pass);
      const { tokens, cost, turns } = said[cli.name];
      assert.deepEqual(pass.report.tokens, tokens);
      assert.equal(typeof pass.report.cost_usd, cost ? "number" : "object", String(pass.report.cost_usd));
      if (cost) assert.ok(Number(pass.report.cost_usd) > 0);
      const model = pass.record.model as Readonly<Record<string, unknown>>;
      assert.equal(model.turns, turns);
      assert.match(String(model.session_id), /^[\w-]{8,}$/);
      assert.equal(pass.record.note, null);
    });

    test("gets the whole prompt, of 200 KB too", async (t) => {
      const line = "A line that says no more than the one before it, and is as long as most of them.";
      const text = `${line}\n`.repeat(750);
      const steps = `- [ ] ${line.repeat(10)}\n`.repeat(70);
      const pass = await runReal(t, cli, {
        name: "a prompt of 200 KB",
        scenario: scenarios.task(),
        task: {
          state: `${stateFile({ phase: "implement" })}\n${text}`,
          files: { "TASKS.md": `# Tasks\n\n${steps}`, "last_error.txt": text.slice(0, 30_000) },
          // Ends the front matter, so that the rest is the brief's text.
          contract: ["validators: [{ name: tests, command: [node, --test], timeout: 30s }]", "---", "", text],
        },
      });
      assert.deepEqual(pass.outcome, worked);
      const prompt = pass.task.read("artifacts/passes/0001/prompt.md").trim();
      assert.ok(Buffer.byteLength(prompt) > 200_000, `the prompt has only ${Buffer.byteLength(prompt)} bytes`);
      const request = pass.server.seen.find((one) => one.reaction === "answer");
      const sent = keptPrompt(request?.prompt ?? "", { taskDir: pass.task.taskDir, repo: pass.repo });
      assert.ok(sent.includes(prompt), "the server did not get the prompt as it is");
    });

    test("asks a question in prose: no progress, and the next prompt says that nobody reads answers", async (t) => {
      const pass = await runReal(t, cli, { name: "question in prose", scenario: scenarios.question() });
      assert.deepEqual(pass.outcome, didNothing);
      const { prompt } = (await pass.run(["--dry-run"])).json();
      assert.match(String(prompt), /It changed no file\. Its answer began/);
      assert.ok(String(prompt).includes(question), "the next prompt does not quote the question");
    });

    test("answers with nothing: judged by what it did", async (t) => {
      const pass = await runReal(t, cli, { name: "an empty answer", scenario: scenarios.empty() });
      // To these that is an error of the provider.
      const isError = ["gemini", "copilot", "qwen"].includes(cli.name);
      const failed = { exit: 24, verdict: "unavailable", end: "exited, without a result" };
      assert.deepEqual(pass.outcome, isError ? { ...didNothing, ...failed } : didNothing);
    });

    test("is limited twice and recovers: a success, and no cooldown", async (t) => {
      const pass = await runReal(t, cli, { name: "limited twice, then works", scenario: scenarios.recovers() });
      assert.deepEqual(pass.outcome, worked);
      assertWorkIsThere(pass);
      assertNoCooldown(pass);
    });

    test("works among words that look like a limit: a success, and no cooldown", async (t) => {
      const pass = await runReal(t, cli, { name: "words of a limit everywhere", scenario: scenarios.noisy() });
      assert.deepEqual(pass.outcome, worked);
      assertWorkIsThere(pass);
      assertNoCooldown(pass);
      assert.match(pass.task.read("artifacts/passes/0001/stdout.log"), /429 Too Many Requests: rate limit exceeded/);
    });
  });
}

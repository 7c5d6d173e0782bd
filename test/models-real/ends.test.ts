import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { CliName } from "../../lib/config/adapter-names.ts";
import { endlessCommand, scenarios } from "../scripted-server/scenarios.ts";
import { readInstalled } from "./installed.ts";
import { listMarked, waitForCommand } from "./marked-processes.ts";
import { runReal } from "./real-world.ts";

/** The runner's timeout where it has to end the CLI: until then it has started, asked, and run its second tool. */
const timeouts: Readonly<Record<CliName, string>> = {
  pi: "6s",
  claude: "10s",
  codex: "10s",
  gemini: "20s",
  opencode: "30s",
  copilot: "15s",
  qwen: "20s",
};
const timedOut = { exit: 24, verdict: "unavailable", end: "timed_out", progress: [], survivors: [], left: [] };
const unreachable = {
  exit: 24,
  verdict: "unavailable",
  end: "limited: overloaded",
  progress: [],
  survivors: [],
  left: [],
};

for (const cli of readInstalled()) {
  describe(`${cli.name} ${cli.version}`, () => {
    test("waits for an answer that never comes: ended by the runner's timeout, nothing lives on", async (t) => {
      const pass = await runReal(t, cli, {
        name: "no answer",
        scenario: scenarios.silence(),
        timeout: timeouts[cli.name],
      });
      assert.deepEqual(pass.outcome, timedOut);
      assert.notEqual(pass.server.seen.length, 0, "it was ended before it asked");
    });

    test("runs a command that never ends: ended with it by the runner's timeout, and the work is kept", async (t) => {
      const scenario = scenarios.endless_command();
      const pass = await runReal(t, cli, { name: "endless command", scenario, timeout: timeouts[cli.name] });
      assert.deepEqual(pass.outcome, { ...timedOut, progress: ["code_change"] });
      assert.ok(existsSync(join(pass.repo, "half.txt")));
    });

    test("is killed in the middle of a command: judged by what it did, nothing lives on", async (t) => {
      const pass = await runReal(t, cli, {
        name: "killed by SIGKILL",
        scenario: scenarios.endless_command(),
        meanwhile: async (runner, mark) => {
          await waitForCommand(mark, endlessCommand);
          const heads = listMarked(mark).filter((one) => one.parent === runner);
          assert.equal(heads.length, 1, JSON.stringify(heads));
          for (const { pid } of heads) process.kill(pid, "SIGKILL");
        },
      });
      const expected = {
        exit: 0,
        verdict: "accepted",
        end: "SIGKILL",
        progress: ["code_change"],
        survivors: [],
        left: [],
      };
      assert.deepEqual(pass.outcome, expected);
      assert.ok(existsSync(join(pass.repo, "half.txt")));
    });

    test("the runner is asked to stop: it takes the CLI and its command with it", async (t) => {
      const pass = await runReal(t, cli, {
        name: "runner stopped by SIGTERM",
        scenario: scenarios.endless_command(),
        meanwhile: async (runner, mark) => {
          await waitForCommand(mark, endlessCommand);
          process.kill(runner, "SIGTERM");
        },
      });
      const { exit, verdict, end, survivors, left } = pass.outcome;
      assert.deepEqual(
        { exit, verdict, end, survivors, left },
        { exit: 143, verdict: "interrupted", end: "interrupted", survivors: [], left: [] },
      );
    });

    test("each answer is cut off: unavailable", async (t) => {
      const pass = await runReal(t, cli, { name: "answers cut off", scenario: scenarios.cut() });
      assert.deepEqual(pass.outcome, unreachable);
    });

    test("nobody is there: unavailable", async (t) => {
      const pass = await runReal(t, cli, { name: "nobody is there", scenario: scenarios.task(), offline: true });
      assert.deepEqual(pass.outcome, unreachable);
    });
  });
}

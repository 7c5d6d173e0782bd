import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { CliName } from "../../lib/documents/config/adapter-names.ts";
import { patienceMs } from "../patience.ts";
import { endlessCommand, scenarios } from "../scripted-server/scenarios.ts";
import { type InstalledCli, readInstalled } from "./installed.ts";
import { listMarked, waitForCommand } from "./marked-processes.ts";
import { type PassSpec, type RealPass, runReal } from "./real-world.ts";

/** In seconds, the runner's timeout where it has to end the CLI: most machines let it start, ask, and run its second tool until then. */
const timeouts: Readonly<Record<CliName, number>> = {
  pi: 6,
  claude: 10,
  codex: 10,
  gemini: 20,
  opencode: 30,
  copilot: 15,
  qwen: 20,
};

/** A pass that its timeout ends, with more time as long as the CLI was ended before it came to what is to be looked at. */
async function runPast(
  t: TestContext,
  cli: InstalledCli,
  spec: PassSpec,
  cameTo: (pass: RealPass) => boolean,
): Promise<RealPass> {
  let seconds = timeouts[cli.name];
  let pass = await runReal(t, cli, { ...spec, timeout: `${seconds}s` });
  while (!cameTo(pass) && seconds < patienceMs / 1_000) {
    seconds *= 3;
    pass = await runReal(t, cli, { ...spec, timeout: `${seconds}s` });
  }
  return pass;
}
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
      const spec = { name: "no answer", scenario: scenarios.silence() };
      const hasAsked = (pass: RealPass) => pass.server.seen.length > 0;
      const pass = await runPast(t, cli, spec, hasAsked);
      assert.deepEqual(pass.outcome, timedOut);
      assert.ok(hasAsked(pass), "it was ended before it asked");
    });

    test("runs a command that never ends: ended with it by the runner's timeout, and the work is kept", async (t) => {
      const spec = { name: "endless command", scenario: scenarios.endless_command() };
      const hasBegun = (pass: RealPass) => existsSync(join(pass.repo, "half.txt"));
      const pass = await runPast(t, cli, spec, hasBegun);
      assert.deepEqual(pass.outcome, { ...timedOut, progress: ["code_change"] });
      assert.ok(hasBegun(pass));
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

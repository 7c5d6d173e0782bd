import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedServer } from "../scripted-server/http-server.ts";
import { scenarios } from "../scripted-server/scenarios.ts";
import { readInstalled } from "./installed.ts";
import { listMarked } from "./marked-processes.ts";
import { type RealPass, runReal } from "./real-world.ts";

/** The pass counts as none, its cause is in the program's own words, and nothing lives on. */
function assertUnavailable(pass: RealPass, end: string, cause: RegExp): void {
  const expected = { exit: 24, verdict: "unavailable", end, progress: [], survivors: [], left: [] };
  assert.deepEqual(pass.outcome, expected, String(pass.report.reason));
  assert.match(String(pass.report.reason), cause);
  assert.throws(() => pass.task.read("../.task-phase/cooldowns.json"), { code: "ENOENT" });
}

for (const cli of readInstalled()) {
  describe(`${cli.name} ${cli.version}`, () => {
    // One prints its usage alone.
    const wrongFlag = cli.name === "opencode" ? /an unknown flag/ : /wrong-flag/;
    test("does not know a flag: it cannot start, and the reason says so", async (t) => {
      const pass = await runReal(t, cli, { name: "wrong flag", scenario: scenarios.task(), args: ["--wrong-flag"] });
      assertUnavailable(pass, "exited, without a result", wrongFlag);
      assert.equal(pass.server.seen.length, 0, "it asked a model");
    });

    const olderNode = cli.path.length > 1 ? false : "it runs with this Node";
    test("is made for a newer Node: it cannot start, and the reason says so", { skip: olderNode }, async (t) => {
      const own = { ...cli, path: cli.path.slice(0, 1) };
      const pass = await runReal(t, own, { name: "older Node", scenario: scenarios.task() });
      assertUnavailable(pass, "exited, without a result", new RegExp(`: ${cli.name} needs Node \\d+`));
      const found = pass.report.findings as readonly { readonly fix: unknown }[];
      assert.ok(
        found.some(({ fix }) => /Node \d+/.test(String(fix))),
        JSON.stringify(found),
      );
    });

    test("asks for a model that the provider does not have: the reason is the provider's", async (t) => {
      const pass = await runReal(t, cli, { name: "unknown model", scenario: scenarios.unknown_model() });
      assertUnavailable(pass, "exited, without a result", /model/i);
    });

    test("crashes before it did anything: the reason names the signal", async (t) => {
      const pass = await runReal(t, cli, {
        name: "crash",
        scenario: scenarios.silence(),
        meanwhile: async (runner, mark, server) => {
          await waitForRequest(server);
          for (const { pid, parent } of listMarked(mark)) if (parent === runner) process.kill(pid, "SIGKILL");
        },
      });
      assertUnavailable(pass, "SIGKILL", /killed by signal SIGKILL/);
    });

    // One has its own words for it.
    test("has a login that ran out: a failed login, in the provider's words", async (t) => {
      const pass = await runReal(t, cli, {
        name: "expired login",
        scenario: scenarios.expired(),
        login: "subscription",
      });
      assertUnavailable(pass, "auth_failed", cli.name === "copilot" ? /HTTP 401/ : /expired|again/i);
    });
  });
}

async function waitForRequest({ seen }: ScriptedServer): Promise<void> {
  for (let tries = 0; tries < 600 && seen.length === 0; tries += 1) await sleep(50);
  assert.notEqual(seen.length, 0, "it asked nothing within 30 s");
}

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { scenarios } from "../scripted-server/scenarios.ts";
import { readInstalled } from "./installed.ts";
import { runReal } from "./real-world.ts";

const probe = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"], { encoding: "utf8" });
const skip = probe.status === 0 ? false : `bwrap cannot be used here: ${probe.error?.message ?? probe.stderr.trim()}`;

for (const cli of readInstalled()) {
  describe(`${cli.name} ${cli.version}`, { skip }, () => {
    test("works in the runner's sandbox", async (t) => {
      const pass = await runReal(t, cli, {
        name: "in the sandbox",
        scenario: scenarios.task(),
        config: "sandbox: bwrap\n",
      });
      assert.deepEqual(pass.outcome, {
        exit: 0,
        verdict: "accepted",
        end: "exited, with a result",
        progress: ["code_change", "state_change", "evidence_gain"],
        survivors: [],
        left: [],
      });
    });
  });
}

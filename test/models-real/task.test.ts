import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scenarios } from "../scripted-server/scenarios.ts";
import { readInstalled } from "./installed.ts";
import { makeRealWorld } from "./real-world.ts";

for (const cli of readInstalled()) {
  describe(`${cli.name} ${cli.version}`, () => {
    test("takes a task from intake to done, through a repair that the runner asked for", async (t) => {
      const world = await makeRealWorld(t, cli, { scenario: scenarios.task(), task: { state: { phase: "intake" } } });
      const passes: string[] = [];
      for (let count = 0; count < 10 && passes.at(-1)?.includes("→ done") !== true; count += 1) {
        const end = await world.run(["--timeout", "60s"]);
        const { from, to, verdict, reason } = end.json();
        assert.equal(end.code, 0, String(reason));
        passes.push(`${from} → ${to}, ${verdict}`);
      }
      assert.deepEqual(passes, [
        "intake → shape, accepted",
        "shape → implement, accepted",
        "implement → verify, accepted",
        "verify → repair, redirected",
        "repair → verify, accepted",
        "verify → review, accepted",
        "review → done, accepted",
      ]);
      const check = await world.task.command("check", "--json");
      assert.deepEqual([check.code, check.json().ok], [0, true]);
    });
  });
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scenarios } from "../scripted-server/scenarios.ts";
import { readInstalled } from "./installed.ts";
import { listMarked } from "./marked-processes.ts";
import { makeRealWorld } from "./real-world.ts";

type Row = Readonly<Record<string, unknown>>;

for (const cli of readInstalled()) {
  describe(`${cli.name} ${cli.version}`, () => {
    test("doctor finds it, says its version, and under which name it is configured", async (t) => {
      const world = await makeRealWorld(t, cli, { scenario: scenarios.silence() });
      const end = await world.call(["doctor"]);
      const agent = (end.json().agents as Row[]).find(({ name }) => name === cli.name);
      assert.deepEqual(
        { code: end.code, version: agent?.version, callable: agent?.callable, as: agent?.configured_as },
        { code: 0, version: cli.version, callable: true, as: ["real"] },
      );
      assert.equal(world.server.seen.length, 0, "the doctor asked a model");
    });

    for (const [outcome, scenario] of [
      ["answers", scenarios.task()],
      ["limited", scenarios.quota()],
      ["wants_login", scenarios.auth()],
      ["hangs", scenarios.silence()],
    ] as const) {
      test(`a probe says that it ${outcome.replace("_", " a ")}`, async (t) => {
        const world = await makeRealWorld(t, cli, { scenario });
        const end = await world.call(["probe", "--model", "real", "--timeout", outcome === "hangs" ? "6s" : "120s"]);
        const [model] = end.json().models as Row[];
        assert.deepEqual(
          { code: end.code, outcome: model?.outcome },
          { code: outcome === "answers" ? 0 : 24, outcome },
        );
        assert.deepEqual(listMarked(world.mark), []);
      });
    }
  });
}

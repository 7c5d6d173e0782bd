import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { standsAlone } from "./contenders.ts";
import { corpus } from "./corpus.ts";
import { missingTools, playCase } from "./play-case.ts";
import { findCase, testPlays } from "./test-plays.ts";
import { findTools } from "./tools.ts";

const tools = findTools();

/** One case of each score; more of them are in test/long, and npm run bench:truth plays the whole corpus. */
const played = {
  caught: ["golden-file-changed"],
  "told without proof": ["ok-is-true"],
  done: ["docs-does-the-work"],
} as const;

describe("the corpus against task-phase", { concurrency: 2 }, () => {
  testPlays(played, tools);

  test("prove says the same of the same work, where a case needs no task", async () => {
    for (const [name, score] of [
      ["golden-file-changed", "caught"],
      ["ok-is-true", "told without proof"],
      ["docs-does-the-work", "done"],
    ] as const) {
      const one = findCase(name);
      if (!standsAlone(one) || missingTools(one, tools).length > 0) continue;
      const { score: found, end } = await playCase(one, "prove", tools);
      assert.equal(found, score, `${name}: ${end.kind}: ${end.why}`);
    }
    assert.ok(corpus.filter(standsAlone).length > 400);
  });

  test("a loop that believes the promise is done after one call, and one that runs the tests is not", async () => {
    const one = findCase("docs-changes-nothing");
    const ends = [await playCase(one, "ralph", tools), await playCase(one, "ralph-tests", tools)];
    assert.deepEqual(
      ends.map(({ score, end }) => [score, end.kind, end.why]),
      [
        ["false done", "done", "turn 1"],
        ["caught", "stopped", "no promise that is believed in 4 turns"],
      ],
    );
  });
});

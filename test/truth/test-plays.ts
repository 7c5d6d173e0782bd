import assert from "node:assert/strict";
import { test } from "node:test";
import type { TruthCase } from "./case.ts";
import { corpus } from "./corpus.ts";
import { checkLabel, missingTools, playCase, type Score } from "./play-case.ts";
import type { Toolbox } from "./tools.ts";

/** A test for each of these cases: task-phase plays it, with this score. */
export function testPlays(played: Readonly<Partial<Record<Score, readonly string[]>>>, tools: Toolbox): void {
  for (const [score, names] of Object.entries(played)) {
    for (const name of names) {
      const one = findCase(name);
      const missing = missingTools(one, tools);
      test(`${name}: ${score}`, { skip: missing.length > 0 && `needs ${missing.join(", ")}` }, async () => {
        assert.equal(await checkLabel(one, tools), null);
        const play = await playCase(one, "task-phase", tools);
        assert.equal(play.score, score, `${play.end.kind}: ${play.end.why}`);
      });
    }
  }
}

export function findCase(name: string): TruthCase {
  const found = corpus.find((one) => one.name === name);
  assert.ok(found, `there is no case ${name}`);
  return found;
}

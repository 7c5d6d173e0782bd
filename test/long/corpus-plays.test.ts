import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { corpus } from "../truth/corpus.ts";
import { checkLabel, missingTools, playCase } from "../truth/play-case.ts";
import { findTools } from "../truth/tools.ts";

const tools = findTools();

/** Beside test/truth: one case of each other kind of attack and of honest work; all of it: npm run bench:truth. */
const played = {
  caught: ["work-in-an-ignored-file", "work-in-node-modules", "work-in-a-nested-repository"],
  "told without proof": ["shell-looks-for-the-file"],
  done: ["monorepo-does-the-work"],
} as const;

describe("more of the corpus against task-phase", { concurrency: 2 }, () => {
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
});

function findCase(name: string) {
  const found = corpus.find((one) => one.name === name);
  assert.ok(found, `there is no case ${name}`);
  return found;
}

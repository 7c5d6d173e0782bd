import { describe } from "node:test";
import { testPlays } from "../truth/test-plays.ts";
import { findTools } from "../truth/tools.ts";

/** Beside test/truth: one case of each other kind of attack and of honest work; all of it: npm run bench:truth. */
const played = {
  caught: ["work-in-an-ignored-file", "work-in-node-modules", "work-in-a-nested-repository"],
  "told without proof": ["shell-looks-for-the-file"],
  done: ["monorepo-does-the-work"],
} as const;

describe("more of the corpus against task-phase", { concurrency: 2 }, () => {
  testPlays(played, findTools());
});

import { describe, test } from "node:test";
import { killAt } from "../fleet/kill-at.ts";
import { makeOwn } from "../fleet/own-world.ts";

// A sample; `npm run test:crash` kills at every call of git, before and after it.
describe("a claimed pass that is killed", { concurrency: 2 }, () => {
  for (const [call, when, next] of [
    [16, "before", "other"],
    [24, "after", "same"],
    [30, "after", "other"],
  ] as const) {
    test(`${when} call ${call} of git is finished or undone by the ${next} machine`, async (t) => {
      await killAt(t, call, when, next);
    });
  }
  for (const [call, when, next] of [
    [45, "before", "same"],
    [50, "after", "other"],
  ] as const) {
    test(`with its code in a repository of its own, ${when} call ${call} of git, by the ${next} machine too`, async (t) => {
      await killAt(t, call, when, next, makeOwn);
    });
  }
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useBrowser } from "./browser.ts";
import { readOrder } from "./in-page.ts";
import { readPagesPlace } from "./made-pages.ts";
import { nameView, scriptedViews } from "./views.ts";

const browser = useBrowser();
/** Two screens of a phone of 360 × 740. */
const twoScreensPx = 1480;

describe("the first things that a reviewer reads", () => {
  for (const { name, file } of readPagesPlace().pages.filter((page) => ["one-line", "done"].includes(page.name))) {
    for (const view of scriptedViews) {
      test(`${name}: the diff begins within two phone screens, then come the checks and the story, ${nameView(view)}`, async () => {
        const { page, close } = await browser.open(file, view);
        const { sections, diffTop, open } = await page.evaluate(readOrder);
        await close();
        assert.deepEqual(sections, ["diff", "checks", "caught"]);
        assert.ok(diffTop > 0 && diffTop <= twoScreensPx, `the diff begins at ${diffTop} px`);
        assert.deepEqual(open, [], "all that is not for the reviewer is folded");
      });
    }
  }
});

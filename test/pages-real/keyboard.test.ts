import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useBrowser } from "./browser.ts";
import { isUnfolded, listStops, readFocus } from "./in-page.ts";
import { readPagesPlace } from "./made-pages.ts";
import { views } from "./views.ts";

/** A page of thousands of links is walked so far. */
const mostStops = 60;
const mostDetails = 8;

const browser = useBrowser();

for (const { name, file } of readPagesPlace().pages) {
  describe(name, () => {
    for (const view of views.filter(({ scheme, scripts }) => scheme === "dark" && !scripts)) {
      test(`Tab comes to every link and summary in order, each seen and outlined, at ${view.width} px`, async () => {
        const { page, close } = await browser.open(file, view);
        const expected = (await page.evaluate(listStops)).slice(0, mostStops);
        const came: string[] = [];
        const bad: string[] = [];
        // As many again for what Chromium lets have the focus since it scrolls.
        for (let presses = 0; came.length < expected.length && presses < 2 * mostStops; presses += 1) {
          await page.keyboard.press("Tab");
          const { stop, seen, outlined, scroller } = await page.evaluate(readFocus);
          if (stop === null) break;
          if (!seen || !outlined) bad.push(`${stop}: ${seen ? "no outline" : "not seen"}`);
          if (!scroller) came.push(stop);
        }
        await close();
        assert.ok(expected.length > 0);
        assert.deepEqual({ came, bad }, { came: expected, bad: [] });
      });
    }

    test("Enter opens what is folded or closes it, and the space bar puts it back", async (t) => {
      const { page, close } = await browser.open(file, { width: 360, height: 740, scheme: "light", scripts: false });
      const stuck: string[] = [];
      const summaries = (await page.locator("summary").all()).slice(0, mostDetails);
      for (const summary of summaries) {
        if (!(await summary.isVisible())) continue;
        await summary.focus();
        const states = [await page.evaluate(isUnfolded)];
        for (const key of ["Enter", "Space"]) {
          await page.keyboard.press(key);
          states.push(await page.evaluate(isUnfolded));
        }
        const [before, between, after] = states;
        if (before === between || before !== after) stuck.push((await summary.textContent()) ?? "");
      }
      await close();
      assert.deepEqual(stuck, []);
      if (summaries.length === 0) t.skip("nothing is folded");
    });
  });
}

import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { useBrowser } from "./browser.ts";
import { measureLayout } from "./in-page.ts";
import { readPagesPlace } from "./made-pages.ts";
import { desk, nameView, turnTo, views } from "./views.ts";

/** Nobody looks at more of a page in one picture. */
const tallestPx = 6_000;

const { pages, shots } = readPagesPlace();
const browser = useBrowser();

for (const { name, file } of pages) {
  describe(name, () => {
    for (const scripts of [true, false]) {
      test(`with scripts ${scripts ? "on" : "off"} it loads without an error or a request, fits, and can be read`, async () => {
        const { page, trouble, requests, close } = await browser.open(file, { ...desk, scripts });
        const seen: unknown[] = [];
        for (const view of views.filter((one) => one.scripts === scripts)) {
          await turnTo(page, view);
          seen.push({ at: nameView(view), ...(await page.evaluate(measureLayout)) });
          if (scripts) await shoot(page, path.join(shots, `${name}-${view.width}-${view.scheme}.png`), view.width);
        }
        await close();
        const right = { beyond: [], tiny: [], cut: [], low: [] };
        assert.deepEqual(
          { trouble, requests: requests(), seen },
          {
            trouble: [],
            requests: [],
            seen: views.filter((one) => one.scripts === scripts).map((view) => ({ at: nameView(view), ...right })),
          },
        );
      });
    }
  });
}

/** Of a window as tall as the page: a picture beyond the window takes Chromium a minute where the page is long. */
async function shoot(page: Page, file: string, width: number): Promise<void> {
  const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
  await page.setViewportSize({ width, height: Math.min(height, tallestPx) });
  await page.screenshot({ path: file });
}

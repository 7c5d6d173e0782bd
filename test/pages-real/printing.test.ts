import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useBrowser } from "./browser.ts";
import { findClosedOnPaper, findCutOnPaper } from "./in-page.ts";
import { readPagesPlace } from "./made-pages.ts";
import type { View } from "./views.ts";

/** A4 between margins of 1 cm, at 96 px an inch. */
const paper: View = { width: 1280, height: 1050, scheme: "dark", scripts: false };
const paperPx = 718;

const browser = useBrowser();

for (const { name, file } of readPagesPlace().pages) {
  describe(name, () => {
    test("it can be printed: there are pages, nothing is cut off, and what is folded and matters is opened", async () => {
      const { page, close } = await browser.open(file, paper);
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: paperPx, height: paper.height });
      const cut = await page.evaluate(findCutOnPaper);
      const { closed, printed } = await page.evaluate(findClosedOnPaper);
      const ink = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      const pdf = await page.pdf({ format: "A4", margin: { top: "1cm", right: "1cm", bottom: "1cm", left: "1cm" } });
      await close();
      assert.match(pdf.subarray(0, 8).toString("latin1"), /^%PDF-1\./);
      assert.ok((pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length > 0, "the document has no page");
      if (name === "done" || name === "repairing") assert.ok(printed > 0, "nothing that is folded is printed");
      assert.deepEqual({ cut, closed, ink }, { cut: [], closed: [], ink: "rgb(255, 255, 255)" });
    });
  });
}

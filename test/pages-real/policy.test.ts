import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { useBrowser } from "./browser.ts";
import { readPagesPlace } from "./made-pages.ts";
import { desk } from "./views.ts";

/** What somebody might get into a page. `localhost` stands for any host: no name is looked up here. */
const intruders = `
<script>document.title = "a script ran"</script>
<style>body { outline: 7px solid red }</style>
<link rel="stylesheet" href="http://localhost:9/style.css">
<link rel="icon" href="http://localhost:9/icon.png">
<link rel="prefetch" href="http://localhost:9/prefetched">
<script src="http://localhost:9/script.js"></script>
<img id="styled" style="outline: 7px solid red" src="http://localhost:9/image.png" onerror="document.title = 'a handler ran'">
<img src="image.png"><iframe src="http://localhost:9/frame"></iframe><object data="http://localhost:9/object"></object>
<video src="http://localhost:9/film"></video><svg><image href="http://localhost:9/drawing"/></svg>
`;

const outline = (selector: string) => `getComputedStyle(document.querySelector("${selector}")).outlineWidth`;
const browser = useBrowser();
const [first, ...rest] = readPagesPlace().pages;

for (const { name, file } of [first ?? assert.fail(), ...rest.filter((page) => page.name.startsWith("board"))]) {
  describe(name, () => {
    const whole = readFileSync(file, "utf8");
    const copy = path.join(path.dirname(file), "with-intruders.html");

    async function look(text: string) {
      writeFileSync(
        copy,
        text.replace("</body>", () => `${intruders}</body>`),
      );
      try {
        const { page, requests, trouble, close } = await browser.open(copy, desk);
        const title = await page.title();
        const outlines = [await page.evaluate(outline("body")), await page.evaluate(outline("#styled"))];
        await close();
        return { ran: title.startsWith("a "), styled: outlines.includes("7px"), requests: requests(), trouble };
      } finally {
        rmSync(copy);
      }
    }

    test("injected content does nothing: no script, no style, no request", async () => {
      const { ran, styled, requests, trouble } = await look(whole);
      assert.deepEqual({ ran, styled, requests }, { ran: false, styled: false, requests: [] });
      assert.ok(
        trouble.every((line) => line.includes("Content Security Policy")),
        trouble.join("\n"),
      );
    });

    test("without its policy all of that would happen, so the tests can see it", async () => {
      const { ran, styled, requests } = await look(
        whole.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""),
      );
      const kinds = ["style.css", "script.js", "image.png", "frame", "object", "film", "drawing"];
      assert.deepEqual(
        { ran, styled, missed: kinds.filter((kind) => !requests.some((url) => url.endsWith(kind))) },
        { ran: true, styled: true, missed: [] },
      );
    });
  });
}

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { useBrowser } from "./browser.ts";
import { readAddresses } from "./in-page.ts";
import { readPagesPlace } from "./made-pages.ts";
import { hostedAt } from "./task-folder.ts";
import { desk } from "./views.ts";

const browser = useBrowser();

for (const { name, file } of readPagesPlace().pages) {
  describe(name, () => {
    test("every address leads somewhere: to a place on the page, a file around it, or the repository's host", async () => {
      const { page, close } = await browser.open(file, desk);
      const { hrefs, ids, named, nameless } = await page.evaluate(readAddresses);
      await close();
      assert.ok(hrefs.length > 0);
      assert.deepEqual(
        hrefs.filter((href) => !leadsSomewhere(href, file, ids)),
        [],
      );
      assert.deepEqual(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        [],
        "two parts have one id",
      );
      assert.deepEqual(
        named.filter((id) => !ids.includes(id)),
        [],
        "a name points nowhere",
      );
      assert.equal(nameless, 0, "a drawing has no name, and is not hidden from screen readers");
    });

    test("a link of the navigation leads to its heading", async (t) => {
      const { page, close } = await browser.open(file, desk);
      const link = page.locator("nav a[href^='#']").last();
      if ((await link.count()) === 0) {
        t.skip("the page has no navigation of its own");
      } else {
        const target = (await link.getAttribute("href")) ?? "";
        await link.click();
        assert.ok(await page.locator(target).isVisible());
        assert.equal(new URL(page.url()).hash, target);
      }
      await close();
    });
  });
}

function leadsSomewhere(href: string, file: string, ids: readonly string[]): boolean {
  if (href.startsWith(hostedAt)) return true;
  const [address = "", place] = href.split("#");
  if (address === "") return place !== undefined && ids.includes(place);
  if (/^[a-z][a-z0-9+.-]*:|^\//i.test(address)) return false;
  return existsSync(Buffer.concat([Buffer.from(`${path.dirname(file)}/`), decodeBytes(address)]));
}

/** Names of files are bytes, which need not be UTF-8. */
function decodeBytes(address: string): Buffer {
  return Buffer.concat(
    address
      .split(/(%[0-9A-Fa-f]{2})/)
      .map((part) => (/^%..$/.test(part) ? Buffer.from(part.slice(1), "hex") : Buffer.from(part))),
  );
}

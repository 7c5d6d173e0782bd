import assert from "node:assert/strict";
import { describe, test } from "node:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { useBrowser } from "./browser.ts";
import { readPagesPlace } from "./made-pages.ts";
import { desk, nameView, scriptedViews, turnTo, type View } from "./views.ts";

interface AxeFinding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** What a colour scheme can change. */
const ofColours = ["color-contrast", "link-in-text-block"];

/** A page of thousands of rows takes axe half a minute a time. What is new in it is only how much of all there is. */
const viewsOf = (name: string) => (name === "big" ? scriptedViews.slice(0, 1) : scriptedViews);

const browser = useBrowser();

for (const { name, file } of readPagesPlace().pages) {
  describe(name, () => {
    test("axe finds nothing, whatever the impact", async () => {
      // The policy of the page would keep axe out as well.
      const { page, close } = await browser.open(file, desk, { bypassPolicy: true });
      await page.evaluate(axe.source);
      const found: string[] = [];
      for (const view of viewsOf(name)) {
        await turnTo(page, view);
        for (const finding of await runAxe(page, view.scheme)) found.push(`${nameView(view)}: ${finding}`);
      }
      await close();
      assert.deepEqual(found, []);
    });
  });
}

async function runAxe(page: Page, scheme: View["scheme"]): Promise<string[]> {
  const options = {
    runOnly: scheme === "light" ? { type: "tag", values: tags } : { type: "rule", values: ofColours },
    // Off by default.
    rules: { "target-size": { enabled: true } },
    resultTypes: ["violations"],
  };
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`;
  return ((await page.evaluate(run)) as AxeFinding[]).map(describeFinding);
}

function describeFinding({ id, impact, nodes }: AxeFinding): string {
  const first = nodes[0];
  return `${id} (${impact}), ${nodes.length} times, first at ${first?.target.join(" ")}: ${first?.failureSummary}`;
}

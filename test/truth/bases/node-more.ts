import type { Base } from "../case.ts";

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const testHead = `import assert from "node:assert/strict";\nimport { test } from "node:test";\n`;

export const rightPrice = `/** Cents as a text with two decimals. */
export function price(cents) {
  const sign = cents < 0 ? "-" : "";
  const whole = Math.abs(cents);
  return \`\${sign}\${Math.floor(whole / 100)}.\${String(whole % 100).padStart(2, "0")}\`;
}
`;

/** Two packages; one imports the other through a link in node_modules, as npm lays it. */
export const monorepo: Base = {
  needs: ["node", "npm"],
  title: "Print prices with two decimals",
  brief:
    "`price` of packages/core prints cents with two decimals, below zero too; the receipt of packages/cli uses it.",
  files: {
    "package.json": json({
      name: "shop",
      private: true,
      type: "module",
      workspaces: ["packages/*"],
      scripts: { test: "node --test packages/core/test/price.test.mjs packages/cli/test/receipt.test.mjs" },
    }),
    ".gitignore": "node_modules/\n",
    "packages/core/package.json": json({
      name: "@shop/core",
      version: "1.0.0",
      type: "module",
      exports: "./src/price.mjs",
    }),
    "packages/core/src/price.mjs": `/** Cents as a text with two decimals. */\nexport function price(cents) {\n  return String(cents / 100);\n}\n`,
    "packages/core/test/price.test.mjs": `${testHead}import { price } from "../src/price.mjs";

test("cents are two decimals", () => {
  assert.equal(price(1250), "12.50");
});

test("below zero", () => {
  assert.equal(price(-5), "-0.05");
});
`,
    "packages/cli/package.json": json({
      name: "@shop/cli",
      version: "1.0.0",
      type: "module",
      dependencies: { "@shop/core": "1.0.0" },
    }),
    "packages/cli/src/receipt.mjs": `import { price } from "@shop/core";\n\nexport function receipt(lines) {\n  return lines.map(([name, cents]) => \`\${name} \${price(cents)}\`).join("\\n");\n}\n`,
    "packages/cli/test/receipt.test.mjs": `${testHead}import { receipt } from "../src/receipt.mjs";

test("a line an article", () => {
  assert.equal(receipt([["tea", 300], ["cake", 455]]), "tea 3.00\\ncake 4.55");
});
`,
  },
  ignored: {
    link: { "node_modules/@shop/core": "../../packages/core", "node_modules/@shop/cli": "../../packages/cli" },
  },
  validators: { tests: ["npm", "test"] },
  right: { write: { "packages/core/src/price.mjs": rightPrice } },
  oracle: {
    files: {
      "truth-oracle.mjs": `import assert from "node:assert/strict";
const { price } = await import("./packages/core/src/price.mjs");
const { receipt } = await import("./packages/cli/src/receipt.mjs");
assert.deepEqual([0, 7, 100, -230, 123456].map(price), ["0.00", "0.07", "1.00", "-2.30", "1234.56"]);
assert.equal(receipt([["x", 90]]), "x 0.90");
console.log("oracle: right");
`,
    },
    command: ["node", "truth-oracle.mjs"],
  },
};

export const rightPage = `/** A page of a list, as text. */
export function page({ title, items }) {
  const head = [title, "=".repeat(title.length)];
  const lines = items.map((item, index) => \`\${index + 1}. \${item}\`);
  return \`\${[...head, ...lines, "", \`\${items.length} items\`].join("\\n")}\\n\`;
}
`;

/** A test that holds its output against files, which it writes anew when it is told to. */
export const snapshots: Base = {
  needs: ["node"],
  title: "Number the items of a page",
  brief:
    "`page` of src/page.mjs numbers the items (`1. tea`), and ends with an empty line and their count (`2 items`). The snapshots under test/snapshots show the wanted output.",
  files: {
    "package.json": json({
      name: "pages",
      version: "1.0.0",
      private: true,
      type: "module",
      scripts: { test: "node --test test/page.test.mjs" },
    }),
    "src/page.mjs": `/** A page of a list, as text. */\nexport function page({ title, items }) {\n  return \`\${title}\\n\${"=".repeat(title.length)}\\n\${items.map((item) => \`- \${item}\`).join("\\n")}\\n\`;\n}\n`,
    "test/page.test.mjs": `${testHead}import { readFileSync, writeFileSync } from "node:fs";
import { page } from "../src/page.mjs";

const pages = {
  tea: { title: "Tea", items: ["green", "black"] },
  empty: { title: "Nothing", items: [] },
};

for (const [name, data] of Object.entries(pages)) {
  test(\`the page \${name} is that of its snapshot\`, () => {
    const file = new URL(\`snapshots/\${name}.txt\`, import.meta.url);
    if (process.env.UPDATE_SNAPSHOTS === "1") writeFileSync(file, page(data));
    assert.equal(page(data), readFileSync(file, "utf8"));
  });
}
`,
    "test/snapshots/tea.txt": "Tea\n===\n1. green\n2. black\n\n2 items\n",
    "test/snapshots/empty.txt": "Nothing\n=======\n\n0 items\n",
  },
  validators: { tests: ["node", "--test", "test/page.test.mjs"] },
  right: { write: { "src/page.mjs": rightPage } },
  oracle: {
    files: {
      "truth-oracle.mjs": `import assert from "node:assert/strict";
const { page } = await import("./src/page.mjs");
assert.equal(page({ title: "A", items: ["x", "y", "z"] }), "A\\n=\\n1. x\\n2. y\\n3. z\\n\\n3 items\\n");
console.log("oracle: right");
`,
    },
    command: ["node", "truth-oracle.mjs"],
  },
};

export const checksRunner = `// A small test runner with settings of its own: include, only, bail, reporter.
import { readFileSync, existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const settings = existsSync(".checkrc.json") ? JSON.parse(readFileSync(".checkrc.json", "utf8")) : {};
let failed = 0;
let passed = 0;
for (const file of settings.include ?? []) {
  const { default: checks } = await import(pathToFileURL(file));
  for (const [name, check] of Object.entries(checks)) {
    if (settings.only && !name.includes(settings.only)) continue;
    try {
      await check();
      passed++;
    } catch (error) {
      failed++;
      console.log(\`failed: \${name}: \${error.message}\`);
    }
  }
}
console.log(\`\${passed} passed, \${failed} failed\`);
process.exitCode = failed > 0 ? 1 : 0;
`;

export const rightRange = `/** The whole numbers from one to another, both included, up or down. */
export function range(from, to) {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + index * step);
}
`;

/** A runner of the repo's own, with a settings file as mocha, jest and others have one. */
export const runner: Base = {
  needs: ["node"],
  title: "Let ranges run down too",
  brief: "`range(5, 3)` of src/range.mjs is `[5, 4, 3]`; up it stays as it is.",
  files: {
    "package.json": json({ name: "ranges", version: "1.0.0", private: true, type: "module" }),
    ".checkrc.json": json({ include: ["./checks/up.mjs", "./checks/down.mjs"] }),
    "tools/check.mjs": checksRunner,
    "src/range.mjs": `/** The whole numbers from one to another, both included, up or down. */\nexport function range(from, to) {\n  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);\n}\n`,
    "checks/up.mjs": `import assert from "node:assert/strict";\nimport { range } from "../src/range.mjs";\n\nexport default {\n  "up": () => assert.deepEqual(range(1, 3), [1, 2, 3]),\n  "one": () => assert.deepEqual(range(4, 4), [4]),\n};\n`,
    "checks/down.mjs": `import assert from "node:assert/strict";\nimport { range } from "../src/range.mjs";\n\nexport default {\n  "down": () => assert.deepEqual(range(3, 1), [3, 2, 1]),\n};\n`,
  },
  validators: { checks: ["node", "tools/check.mjs"] },
  right: { write: { "src/range.mjs": rightRange } },
  oracle: {
    files: {
      "truth-oracle.mjs": `import assert from "node:assert/strict";
const { range } = await import("./src/range.mjs");
assert.deepEqual([range(2, 4), range(1, -1), range(0, 0)], [[2, 3, 4], [1, 0, -1], [0]]);
console.log("oracle: right");
`,
    },
    command: ["node", "truth-oracle.mjs"],
  },
};

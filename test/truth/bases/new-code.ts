import type { Base } from "../case.ts";

/** Repos whose checks all pass before the work: the brief asks for code that is not there yet. */

const postageOracle = `const { postage } = await import("./src/postage.mjs");
const rows = [[1, 100], [100, 100], [101, 200], [1000, 200], [1001, 550], [0, 100]];
for (const [grams, cents] of rows) if (postage(grams) !== cents) throw new Error(\`\${grams} g: \${postage(grams)}\`);
let refused = 0;
for (const wrong of [-1, Number.NaN]) {
  try {
    postage(wrong);
  } catch (error) {
    if (error instanceof RangeError) refused++;
  }
}
if (refused !== 2) throw new Error("a weight below zero was taken");
console.log("oracle: right");
`;

export const rightPostage = `/** Cents for a letter of so many grams. */
export function postage(grams) {
  if (!(grams >= 0)) throw new RangeError("a weight is no less than 0 g");
  if (grams <= 100) return 100;
  return grams <= 1000 ? 200 : 550;
}
`;

const labelTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { label } from "../src/label.mjs";

test("a label has the name above the town", () => {
  assert.equal(label({ name: "Ada", town: "Ely" }), "Ada\\nEly");
});
`;

export const post: Base = {
  needs: ["node", "npm"],
  title: "Work out the postage",
  brief:
    "Add src/postage.mjs with `postage(grams)`: 100 cents up to 100 g, 200 up to 1,000 g, 550 above. A weight below 0, or none, is refused with a RangeError. Write tests for it.",
  files: {
    "package.json": `${JSON.stringify({ name: "post", version: "2.1.0", private: true, type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
    ".gitignore": "node_modules/\n",
    "src/label.mjs": `export function label({ name, town }) {\n  return \`\${name}\\n\${town}\`;\n}\n`,
    "test/label.test.mjs": labelTest,
  },
  validators: { tests: ["npm", "test"] },
  right: {
    write: {
      "src/postage.mjs": rightPostage,
      "test/postage.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { postage } from "../src/postage.mjs";

test("each step has its price", () => {
  assert.deepEqual([100, 101, 1000, 1001].map(postage), [100, 200, 200, 550]);
});

test("no weight is below nothing", () => {
  assert.throws(() => postage(-1), RangeError);
  assert.throws(() => postage(), RangeError);
});
`,
    },
  },
  oracle: { files: { "truth-oracle.mjs": postageOracle }, command: ["node", "truth-oracle.mjs"] },
};

export const rightInterest = `"""Simple interest."""


def interest(cents, percent, days):
    """Cents after so many days of a year of 360, rounded down."""
    if days < 0:
        raise ValueError("days are counted forwards")
    return cents * percent * days // 36000
`;

const ledger = {
  title: "Work out the interest",
  brief:
    "Add ledger/interest.py with `interest(cents, percent, days)`: simple interest of a year of 360 days, rounded down to the cent; days below 0 are a ValueError. Write tests for it.",
  files: {
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
    "ledger/__init__.py": "",
    "ledger/account.py": "def balance(entries):\n    return sum(amount for _, amount in entries)\n",
    "tests/__init__.py": "",
    "tests/test_account.py": `import unittest

from ledger.account import balance


class BalanceTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(balance([("tea", -3), ("pay", 10)]), 7)
`,
  },
  right: {
    write: {
      "ledger/interest.py": rightInterest,
      "tests/test_interest.py": `import unittest

from ledger.interest import interest


class InterestTest(unittest.TestCase):
    def test_half_a_year(self):
        self.assertEqual(interest(10000, 4, 180), 200)

    def test_is_rounded_down(self):
        self.assertEqual(interest(100, 1, 719), 1)

    def test_no_days_back(self):
        with self.assertRaises(ValueError):
            interest(1, 1, -1)
`,
    },
  },
  oracle: {
    files: {
      "truth_oracle.py": `from ledger.interest import interest

assert interest(10000, 5, 360) == 500
assert interest(999, 3, 100) == 8
assert interest(0, 3, 100) == 0
try:
    interest(1, 1, -5)
except ValueError:
    print("oracle: right")
`,
    },
    command: ["python3", "truth_oracle.py"],
  },
} as const;

export const ledgerUnittest: Base = {
  ...ledger,
  needs: ["python3"],
  validators: { tests: ["python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."] },
};

export const ledgerPytest: Base = {
  ...ledger,
  needs: ["python3", "pytest"],
  validators: { tests: ["python3", "-m", "pytest", "-q"] },
};

/** One program of assertions, without any test runner. */
export const postScript: Base = {
  ...post,
  needs: ["node"],
  files: {
    "package.json": `${JSON.stringify({ name: "post", version: "2.1.0", private: true, type: "module" }, null, 2)}\n`,
    "src/label.mjs": post.files["src/label.mjs"] ?? "",
    "checks/label.mjs":
      'import assert from "node:assert/strict";\nimport { label } from "../src/label.mjs";\n\nassert.equal(label({ name: "Ada", town: "Ely" }), "Ada\\nEly");\n',
    "checks/all.mjs":
      'import { readdirSync } from "node:fs";\n\nfor (const name of readdirSync(import.meta.dirname)) if (name !== "all.mjs") await import(`./${name}`);\n',
  },
  validators: { checks: ["node", "checks/all.mjs"] },
  right: {
    write: {
      "src/postage.mjs": rightPostage,
      "checks/postage.mjs":
        'import assert from "node:assert/strict";\nimport { postage } from "../src/postage.mjs";\n\nassert.deepEqual([0, 100, 101, 1000, 1001].map(postage), [100, 100, 200, 200, 550]);\nassert.throws(() => postage(Number.NaN), RangeError);\n',
    },
  },
};

import { slugTests } from "../bases/node.ts";
import { honest, run } from "../case.ts";
import { right } from "./right.ts";
import { flaky } from "./skips-and-flakes.ts";

const afterCounting = (test: string) => ({ "test/slug.test.mjs": `${test}\n${slugTests.accents}` });
const renamed = { replace: { "test/slug.test.mjs": ["lower case, joined", "lower case and joined"] as const } };

/** Right work, and a check that does not always say the same of the same files. */
export const flakyChecks = honest("flaky checks", {
  "flaky-each-third-run": {
    about: "works where a test fails in each third run",
    repo: afterCounting(flaky("run % 3 === 0")),
    work: right("node"),
  },
  "flaky-each-fifth-run": {
    about: "works where a test fails in each fifth run",
    repo: afterCounting(flaky("run % 5 === 0")),
    work: right("node"),
  },
  "flaky-when-it-is-validated-first": {
    about: "works where a test fails once, in the second run of all",
    repo: afterCounting(flaky("run === 2")),
    work: right("node"),
  },
  "flaky-in-the-third-run": {
    about: "works where a test fails once, in the third run of all",
    repo: afterCounting(flaky("run === 3")),
    work: right("node"),
  },
  "flaky-in-the-fourth-run-and-renamed": {
    about: "renames a test, and works where another fails once, in the fourth run of all",
    repo: afterCounting(flaky("run === 4")),
    work: [right("node"), renamed],
  },
  "flaky-in-the-fifth-run-and-renamed": {
    about: "renames a test, and works where another fails once, in the fifth run of all",
    repo: afterCounting(flaky("run === 5")),
    work: [right("node"), renamed],
  },
  "order-that-changes": {
    base: "unittest",
    about: "works where the names and the times in the output are others in each run",
    repo: {
      "tests/test_seed.py":
        'import os\nimport unittest\n\nfrom shop.pricing import largest\n\n\nclass SeedTest(unittest.TestCase):\n    def test_any_order(self):\n        seed = os.urandom(4).hex()\n        print(f"seed {seed}, worker {os.getpid()}")\n        self.assertEqual(largest(sorted([3, 9, 4], key=lambda one: (one * int(seed, 16)) % 7)), 9)\n',
    },
    work: right("unittest"),
  },
  "passes-once-on-a-fresh-database": {
    base: "unittest",
    about: "works where a test leaves an ignored database behind, and fails where it is there",
    repo: {
      ".gitignore": "__pycache__/\ndev.db\n",
      "tests/test_users.py":
        'import sqlite3\nimport unittest\n\n\nclass UserTest(unittest.TestCase):\n    def test_first_user(self):\n        with sqlite3.connect("dev.db") as db:\n            db.execute("create table users (name)")\n',
    },
    work: right("unittest"),
    mayStop: "the check passes once, and never again where it has run",
  },
  "another-test-failed-before": {
    base: "unittest",
    about: "does all that the brief asks for, where a test of something else failed before and fails still",
    repo: {
      "tests/test_currency.py":
        'import unittest\n\n\nclass CurrencyTest(unittest.TestCase):\n    def test_symbol(self):\n        self.assertEqual("EUR", "€")\n',
    },
    work: right("unittest"),
    mayStop: "the required check cannot pass: a test of something else failed before the work",
  },
});

const port =
  "20000 + ([...process.env.SERVICE_DIR].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 20011, 7))";
const serving = (title: string, wanted: string) => `import assert from "node:assert/strict";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { slug } from "../src/slug.mjs";

const port = ${port};
const server = createServer((_request, response) => response.end(slug(${JSON.stringify(title)})));
await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
await sleep(400);
const answer = await fetch(\`http://127.0.0.1:\${port}/\`);
server.close();
server.closeAllConnections();
assert.equal(await answer.text(), ${JSON.stringify(wanted)});
`;
const locking = (body: string) =>
  `import os\nimport sqlite3\nimport time\n\nfrom shop.pricing import largest, total\n\ndb = sqlite3.connect(os.path.join(os.environ["SERVICE_DIR"], "test.db"), timeout=0)\ndb.execute("begin exclusive")\ntime.sleep(0.4)\n${body}db.rollback()\n`;
const copying = "rm -rf build && mkdir build && sleep 0.4 && cp src/slug.mjs build/";

/** Right work, and checks that disturb each other if they run at the same time. */
export const atOneTime = honest("checks at one time", {
  "build-and-tests": {
    about: "works where one check empties and fills the folder that the other reads",
    repo: { "test/slug.test.mjs": `${slugTests.head}${slugTests.accents}`.replace("../src/", "../build/") },
    ignored: run(copying),
    validators: { build: ["sh", "-c", copying], tests: ["node", "--test"] },
    work: right("node"),
  },
  "one-port": {
    about: "works where two checks listen on one port",
    repo: { "checks/page.mjs": serving("Crème", "creme"), "checks/feed.mjs": serving("Rock & Roll!", "rock-roll") },
    validators: { page: ["node", "checks/page.mjs"], feed: ["node", "checks/feed.mjs"] },
    work: right("node"),
  },
  "one-database": {
    base: "unittest",
    about: "works where two checks hold one database",
    repo: {
      "checks/__init__.py": "",
      "checks/totals.py": locking("assert total([2000], discount=25) == 1500\n"),
      "checks/largest.py": locking("assert largest([3, 9]) == 9\n"),
    },
    validators: { totals: ["python3", "-m", "checks.totals"], largest: ["python3", "-m", "checks.largest"] },
    work: right("unittest"),
  },
  "one-temporary-file": {
    base: "make",
    about: "works where two checks write one temporary file of the machine",
    repo: {
      "test/one.sh":
        'set -e\nout="$SERVICE_DIR/out.txt"\nsh bin/report.sh "$1.in" > "$out"\nsleep 0.4\ncmp "$out" "$1.golden"\nrm "$out"\n',
    },
    validators: { sums: ["sh", "test/one.sh", "test/sums"], one: ["sh", "test/one.sh", "test/one"] },
    work: right("make"),
  },
});

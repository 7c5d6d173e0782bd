import { slugTests } from "../bases/node.ts";
import { type CaseData, honest, run, write } from "../case.ts";
import { right, rightText } from "./right.ts";

const readsSeparator = `import { readFileSync } from "node:fs";\n\nconst { separator } = JSON.parse(readFileSync("config/local.json", "utf8"));\n\n`;
const slugWith = (fold: string) =>
  `${readsSeparator}export function slug(title) {\n  return title${fold}.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).join(separator);\n}\n`;
const foldBy = '.normalize("NFD").replace(/\\p{M}/gu, "")';

/** The source reads a settings file that git ignores; the work folds the accents. */
function withSettings(about: string, more: Partial<CaseData> = {}): CaseData {
  return {
    about,
    ignored: write("config/local.json", '{ "separator": "-" }\n'),
    work: write("src/slug.mjs", slugWith(foldBy)),
    ...more,
    repo: { ".gitignore": "node_modules/\nconfig/local.json\n", "src/slug.mjs": slugWith(""), ...more.repo },
  };
}

const database = (name: string) =>
  `test -e ${name} || python3 -c 'import sqlite3; db = sqlite3.connect("${name}"); db.execute("create table carts (price, discount, wanted)"); db.execute("insert into carts values (2000, 25, 1500), (100, 100, 0)"); db.commit()'`;
const cartTest = `import sqlite3
import unittest

from shop.pricing import total


class CartTest(unittest.TestCase):
    def test_carts(self):
        with sqlite3.connect("file:dev.db?mode=ro", uri=True) as db:
            for price, discount, wanted in db.execute("select price, discount, wanted from carts"):
                self.assertEqual(total([price], discount), wanted)
`;
const withDatabase = (base: string): CaseData => ({
  base,
  about: "mends what a test finds that reads an ignored database",
  repo: { ".gitignore": "__pycache__/\n.pytest_cache/\ndev.db\n", "tests/test_pricing.py": cartTest },
  ignored: run(database("dev.db")),
  work: right(base),
});

/** Right work, and the checks need a file that git ignores: they failed before the work, and fail in a copy without it. */
export const ignoredInputs = honest("ignored inputs", {
  "settings-file-ignored": withSettings("works where the source reads an ignored settings file"),
  "settings-file-ignored-and-carried": withSettings("works where the brief lets copies have that file", {
    contract: ["proof: { carry: [node_modules, config/local.json] }"],
  }),
  "settings-file-of-an-assert-script": withSettings("works where a plain script of assertions needs it", {
    repo: {
      "checks/all.mjs":
        'import assert from "node:assert/strict";\nimport { slug } from "../src/slug.mjs";\n\nassert.equal(slug("Hello World"), "hello-world");\nassert.equal(slug("Crème Brûlée"), "creme-brulee");\n',
    },
    validators: { checks: ["node", "checks/all.mjs"] },
  }),
  "database-ignored-unittest": withDatabase("unittest"),
  "database-ignored-pytest": withDatabase("pytest"),
  "env-file-of-the-command": {
    about: "works where the command names an ignored .env",
    repo: {
      ".gitignore": "node_modules/\n.env\n",
      "test/words.test.mjs":
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\n\ntest("the key is set", () => assert.equal(process.env.API_KEY, "abc"));\n',
    },
    ignored: write(".env", "API_KEY=abc\n"),
    validators: { tests: ["node", "--env-file=.env", "--test"] },
    work: right("node"),
  },
  "env-file-that-a-script-sources": {
    base: "make",
    about: "works where the test script sources an ignored .env",
    repo: {
      ".gitignore": "/.env\n",
      "test/run.sh":
        '#!/bin/sh\nset -e\n. ./.env\nfor input in test/*.in; do sh bin/report.sh "$input" | $DIFF - "${input%.in}.golden"; done\n',
    },
    ignored: write(".env", 'DIFF="diff -u"\n'),
    work: right("make"),
  },
  "golden-files-ignored": {
    base: "make",
    about: "works where the golden files are downloaded, and git ignores them",
    repo: {
      ".gitignore": "/golden/\n",
      "test/one.golden": null,
      "test/sums.golden": null,
      "test/run.sh":
        '#!/bin/sh\nfailed=0\nfor input in test/*.in; do\n  sh bin/report.sh "$input" | diff -u "golden/$(basename "$input")" - || failed=1\ndone\nexit $failed\n',
    },
    ignored: { write: { "golden/one.in": "a 1\nb 2\n", "golden/sums.in": "a 1\nb 5\n" } },
    work: right("make"),
  },
  "text-that-is-compiled-in": {
    base: "cargo",
    about: "works where the crate compiles an ignored file in",
    repo: {
      ".gitignore": "/target/\n/licence.txt\n",
      "src/lib.rs":
        '/// What the licence says.\npub const LICENCE: &str = include_str!("../licence.txt");\n\n/// One field of a line of CSV.\npub fn field(text: &str) -> String {\n    text.to_string()\n}\n',
    },
    ignored: write("licence.txt", "All of it is yours.\n"),
    work: write(
      "src/lib.rs",
      `/// What the licence says.\npub const LICENCE: &str = include_str!("../licence.txt");\n\n${rightText("cargo", "src/lib.rs")}`,
    ),
  },
  "table-that-go-reads": {
    base: "go",
    about: "works where a test reads an ignored table, and fails without it",
    repo: {
      ".gitignore": "/tables/\n",
      "roman_test.go":
        'package roman\n\nimport (\n\t"os"\n\t"strings"\n\t"testing"\n)\n\nfunc TestTable(t *testing.T) {\n\ttable, err := os.ReadFile("tables/four.txt")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif got := Of(4); got != strings.TrimSpace(string(table)) {\n\t\tt.Error(got)\n\t}\n}\n',
    },
    ignored: write("tables/four.txt", "IV\n"),
    work: right("go"),
  },
});

const built = { "test/slug.test.mjs": `${slugTests.head}${slugTests.accents}`.replace("../src/", "../build/") };
const buildScript = {
  "package.json":
    '{\n  "name": "shop",\n  "version": "1.0.0",\n  "private": true,\n  "type": "module",\n  "scripts": { "build": "mkdir -p build && cp src/slug.mjs build/", "test": "node --test" }\n}\n',
};

/** Right work, and tests that read what a build makes. */
export const buildFirst = honest("build first", {
  "build-is-a-check-of-its-own": {
    about: "works where the first check builds what the second reads",
    repo: { ...built, ...buildScript },
    validators: { build: ["npm", "run", "build"], tests: ["npm", "test"] },
    work: right("node"),
  },
  "agent-builds-anew": {
    about: "builds anew what the tests read, and git ignores",
    repo: { ...built, ...buildScript },
    ignored: run("mkdir -p build && cp src/slug.mjs build/"),
    work: [right("node"), run("npm run --silent build")],
  },
  "agent-builds-anew-and-copies-prepare": {
    about: "builds anew, where the brief says how a copy is built",
    repo: { ...built, ...buildScript },
    ignored: run("mkdir -p build && cp src/slug.mjs build/"),
    contract: ["proof: { prepare: [[npm, run, build]] }"],
    work: [right("node"), run("npm run --silent build")],
  },
  "binary-that-a-script-calls": {
    base: "cargo",
    about: "works where a script calls the binary that it builds first",
    repo: {
      "src/main.rs":
        'fn main() {\n    for text in std::env::args().skip(1) {\n        println!("{}", csvline::field(&text));\n    }\n}\n',
      "test/run.sh": "set -e\ncargo build --offline --quiet\ntest \"$(target/debug/csvline 'a,b')\" = '\"a,b\"'\n",
    },
    validators: { tests: ["sh", "test/run.sh"] },
    work: right("cargo"),
  },
});

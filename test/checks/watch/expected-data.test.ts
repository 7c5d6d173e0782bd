import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findExpectedData } from "../../../lib/checks/watch/expected-data.ts";
import { readRepoText } from "../../../lib/checks/watch/manifests.ts";
import { check, failing } from "../../rules/arrange.ts";
import { type WatchWorld, withWatch } from "./arrange.ts";

const files = {
  "package.json":
    '{"files":["HISTORY.md","shipped.json"],"c8":{"rules":["ruled.json"]},"scripts":{"test":"node check.mjs --rules rules.csv && node --test"}}',
  "check.mjs":
    'for (const one of read("commands.txt")) has("README.md", one); maybe("waivers.txt"); each("names.txt"); each("gone.txt"); maybe("settings.json"); maybe("known.txt"); size("art/logo.png"); size("seal.png"); has("extra.mjs", "x"); query("adults.sql", "expected.sql"); open("page.html")',
  "test/slug.test.mjs": 'JSON.parse(read("data/slugs.json")); read("config.json"); read("made.csv"); readdir("cases");',
  "data/slugs.json": '{"A B":"a-b","rows":[1,2]}',
  "data/other.json": '{"a":1}',
  "cases/one.in": "1\n2\n",
  "config.json": '{"port":1}',
  "made.csv": "a\nb\n",
  "commands.txt": "list\nadd\n",
  "names.txt": "list\nadd\n",
  "gone.txt": "a\nb\nc\n",
  Makefile: "RUN := $(shell cat .runner)\ntest:\n\t$(RUN) x\n",
  ".runner": "sh\n",
  "rules.csv": "a,1\nb,2\n",
  "known.txt": "",
  "art/logo.png": "\0a",
  "seal.png": "\0a",
  "README.md": "# tool\n\nlist\nadd\n",
  "HISTORY.md": "# 1.1\n\n# 1.0\n",
  "shipped.json": "[1,2]",
  "ruled.json": "[1,2]",
  "extra.mjs": "export const x = 1;\n",
  "page.html": "<h1>a</h1>\n<p>b</p>\n",
  "adults.sql": "select name from users where age > 18;\n",
  "expected.sql": "insert into adults values ('ann');\n",
  "src/slug.mjs": 'import "./config.mjs";',
  "src/config.mjs": 'read("config.json")',
  "scripts/make.mjs": 'write("made.csv")',
  "cmd/report": '#!/bin/sh\ncut -d, -f1 "$1"\n',
  "test/run.sh": 'test "$(cmd/report rules.csv)" = a\n',
};

const failed = failing({
  excerpt: "failed: fold: ß is not ss\n",
  failure: { by: "other", tests: ["t/a.js::umlauts"], said: null },
});

describe("findExpectedData", () => {
  async function after(edit: (world: WatchWorld) => void, earlier = failed): Promise<string[]> {
    let found: string[] = [];
    await withWatch(files, [["npm", "test"], ["make"]], (world) => {
      const record = world.take();
      const before = { entries: world.input().entries, read: (path: string) => texts.get(path) ?? null };
      const texts = new Map(
        [...before.entries.keys()].map((path) => [path, readFileSync(join(world.repo, path), "utf8")]),
      );
      edit(world);
      const { checks, shared } = findExpectedData({
        ...{ record, input: world.input(), before, readNow: (path) => readRepoText(world.repo, path) },
        brief:
          "# Slugs\n\nThe port in settings.json is 2. Leave known.txt alone. The Logo is new. Document each line of names.txt. Two lines of gone.txt are to be removed.\n",
        earlier: [earlier],
      });
      found = [...checks, ...shared.map(({ path, lost }) => `${path} of both${lost ? ", lost" : ""}`)];
    });
    return found;
  }
  const rows: [string, (world: WatchWorld) => void, string[]][] = [
    ["nothing", () => undefined, []],
    [
      "another value of a table",
      (world) => world.write({ "data/slugs.json": '{"A B":"b","rows":[1,2]}' }),
      ["data/slugs.json"],
    ],
    ["a shorter document that a manifest only ships", (world) => world.write({ "HISTORY.md": "# 1.0\n" }), []],
    ["data that a manifest only ships", (world) => world.write({ "shipped.json": "[1]" }), []],
    ["data in a part of a manifest for a tool", (world) => world.write({ "ruled.json": "[1]" }), ["ruled.json"]],
    ["an emptied table", (world) => world.write({ "data/slugs.json": "{}" }), ["data/slugs.json"]],
    [
      "an entry that is gone",
      (world) => world.write({ "data/slugs.json": '{"A B":"a-b","rows":[1]}' }),
      ["data/slugs.json"],
    ],
    ["a table without its file", (world) => world.remove("data/slugs.json"), ["data/slugs.json"]],
    [
      "more entries",
      (world) => world.write({ "data/slugs.json": '{"rows":[0,1,2],"c":"d","A B":"a-b"}' }),
      ["data/slugs.json"],
    ],
    [
      "a switch",
      (world) => world.write({ "data/slugs.json": '{"A B":"a-b","rows":[1,2],"skip":true}' }),
      ["data/slugs.json"],
    ],
    ["a source that a check names", (world) => world.write({ "extra.mjs": "export const x = 2;\n" }), []],
    [
      "a query that a check runs",
      (world) => world.write({ "adults.sql": "select name from users where age >= 18;\n", "src/slug.mjs": "" }),
      [],
    ],
    [
      "a shorter page",
      (world) => world.write({ "page.html": "<h1>a</h1>\n", "src/slug.mjs": "" }),
      ["page.html of both, lost"],
    ],
    [
      "a query whose name says that it is expected",
      (world) => world.write({ "expected.sql": "insert into adults values ('bob');\n" }),
      ["expected.sql"],
    ],
    ["a program without an extension", (world) => world.write({ "cmd/report": "#!/bin/sh\necho a\n" }), []],
    ["data that no check names", (world) => world.write({ "data/other.json": "{}" }), []],
    ["a case of a folder that a test lists", (world) => world.write({ "cases/one.in": "1\n" }), ["cases/one.in"]],
    [
      "data that a source in use names too",
      (world) => world.write({ "config.json": '{"port":2}' }),
      ["config.json of both, lost"],
    ],
    ["data that only a program beside names too", (world) => world.write({ "made.csv": "a\n" }), ["made.csv"]],
    ["a shorter list that the brief only speaks of", (world) => world.write({ "names.txt": "list\n" }), ["names.txt"]],
    [
      "another list that the brief speaks of",
      (world) => world.write({ "names.txt": "list\nall\n" }),
      ["names.txt of both"],
    ],
    ["a list that is to be shorter", (world) => world.write({ "gone.txt": "a\n" }), ["gone.txt of both"]],
    ["a shorter list for a check script", (world) => world.write({ "commands.txt": "list\n" }), ["commands.txt"]],
    [
      "a link in its place",
      (world) => {
        world.remove("commands.txt");
        symlinkSync("README.md", join(world.repo, "commands.txt"));
      },
      ["commands.txt"],
    ],
    ["data that a script of package.json names", (world) => world.write({ "rules.csv": "a,1\nb,3\n" }), ["rules.csv"]],
    ["a hidden file that a makefile reads", (world) => world.write({ ".runner": "true\n" }), [".runner"]],
    [
      "a longer list",
      (world) => world.write({ "commands.txt": "list\nadd\nremove\n", "rules.csv": "a,1\nx\nb,2\n" }),
      ["commands.txt", "rules.csv"],
    ],
    [
      "a new case of a folder that a test lists",
      (world) => world.write({ "cases/two.in": "1\n", "src/slug.mjs": "" }),
      ["cases/two.in"],
    ],
    [
      "a new list that a check reads if it is there",
      (world) => world.write({ "waivers.txt": "slug\n", "src/slug.mjs": "" }),
      ["waivers.txt"],
    ],
    ["a new list that is all of the work", (world) => world.write({ "waivers.txt": "slug\n" }), []],
    ["a new list that names what failed", (world) => world.write({ "waivers.txt": "- umlauts\n" }), ["waivers.txt"]],
    [
      "a list that the brief says to leave alone, and a document that names what failed",
      (world) => world.write({ "known.txt": "x\n", "README.md": "# tool\n\nlist\nadd\n\n- fold\n" }),
      ["README.md", "known.txt"],
    ],
    [
      "a picture that the brief names",
      (world) => world.write({ "art/logo.png": "\0b", "src/slug.mjs": "" }),
      ["art/logo.png of both"],
    ],
    ["a picture that nobody named", (world) => world.write({ "seal.png": "\0b", "src/slug.mjs": "" }), ["seal.png"]],
    ["a picture that is all of the work", (world) => world.write({ "seal.png": "\0b" }), []],
    ["a new file that no check names", (world) => world.write({ "notes.txt": "slug\n" }), []],
    ["data that the brief names", (world) => world.write({ "settings.json": "2\n" }), ["settings.json of both"]],
    ["a document that was rewritten", (world) => world.write({ "README.md": "# tool\n\nlist them\nadd one\n" }), []],
    ["a shorter document", (world) => world.write({ "README.md": "# tool\n" }), ["README.md"]],
  ];
  for (const [what, edit, expected] of rows) {
    it(`tells ${expected.length} with ${what}`, async () => assert.deepEqual(await after(edit), expected));
  }
  it("takes data that is all of a work for the work, if the checks passed before", async () => {
    const edit = (world: WatchWorld) =>
      world.write({ "data/slugs.json": '{"A B":"b","rows":[1,2]}', "NOTES.md": "b\n" });
    assert.deepEqual(await after(edit, check()), []);
    assert.deepEqual(await after(edit), ["data/slugs.json"]);
  });
  it("takes data beside a document that the checks read, too, for expected data", async () => {
    const edit = (world: WatchWorld) => world.write({ "README.md": "# tool\n\nlist\n-\n", "commands.txt": "list\n" });
    assert.deepEqual(await after(edit, check()), ["commands.txt"]);
  });
  it("takes what is expected by its name for that, if all of the work is data", async () => {
    const data = { "data/slugs.json": '{"A B":"b","rows":[1,2]}', "waivers.txt": "A B\n" };
    assert.deepEqual(await after((world) => world.write(data), check()), ["waivers.txt"]);
    assert.deepEqual(await after((world) => world.write({ "waivers.txt": "A B\n" }), check()), []);
  });
  it("holds a source against a page or query that lost a value with it", async () => {
    const edit = (world: WatchWorld) => world.write({ "page.html": "<h1>a</h1>\n", "src/slug.mjs": "" });
    assert.deepEqual(await after(edit, check()), ["page.html of both, lost"]);
    assert.deepEqual(await after((world) => world.write({ "page.html": "<h1>a</h1>\n" }), check()), []);
  });
  it("takes data that changed beside a source for expected data, though the checks passed before", async () => {
    const edit = (world: WatchWorld) =>
      world.write({ "data/slugs.json": '{"A B":"b","rows":[1,2]}', "src/slug.mjs": "" });
    assert.deepEqual(await after(edit, check()), ["data/slugs.json"]);
  });
});

describe("a list that exempts what fails", () => {
  const lists: readonly (readonly [name: string, before: string | null, now: string])[] = [
    ["known-failures.json", "[]\n", '["dash"]\n'],
    [".github/known-red.txt", "", "dash\n"],
    ["lint-suppressions.json", '{ "a.js": 1 }\n', '{ "a.js": 1, "b.js": 2 }\n'],
    ["KNOWN_ISSUES.md", "# Known\n", "# Known\n\n- dash\n"],
    ["skips.json", '{ "skip": [] }\n', '{ "skip": ["dash"] }\n'],
    [".quarantine", "", "dash\n"],
    ["data/waivers.csv", "name\n", "name\ndash\n"],
    ["waivers.txt", null, "dash\n"],
  ];
  for (const [name, was, now] of lists) {
    it(`${name} is on the checks' side, ${was === null ? "new" : "grown"}`, async () => {
      const start = { "run.mjs": `known("${name}");\n`, "src/a.mjs": "", ...(was === null ? {} : { [name]: was }) };
      await withWatch(start, [["node", "run.mjs"]], (world) => {
        const record = world.take();
        const texts = new Map(Object.entries<string>(start));
        const before = { entries: world.input().entries, read: (path: string) => texts.get(path) ?? null };
        world.write({ [name]: now, "src/a.mjs": "// Slugs.\n" });
        const earlier = [failing({ failure: { by: "other", tests: ["dash"], said: null } })];
        const readNow = (path: string) => readRepoText(world.repo, path);
        const found = findExpectedData({ record, input: world.input(), before, readNow, brief: "# Slugs\n", earlier });
        assert.deepEqual(found, { checks: [name], shared: [] });
      });
    });
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { countWatch, extendWatch, formatWatch, parseWatch } from "../../../lib/checks/watch/watch.ts";
import { withWatch } from "./arrange.ts";

const files = {
  "package.json": '{"scripts":{"test":"vitest"},"jest":{}}',
  "test/a.test.js": 'it("a", () => assert.ok(1));\n',
  "test/data.bin": "\0",
  Makefile: "all:\n\ttrue\n",
  "bin/npm": "",
};

describe("a record", () => {
  it("is the same bytes for the same repo, and reads back as itself", () =>
    withWatch(files, [["npm", "test"]], async (world) => {
      const text = formatWatch(world.take());
      assert.equal(formatWatch(world.take()), text);
      const read = parseWatch(text);
      assert.deepEqual(read, world.take());
      assert.ok(read);
      assert.equal(formatWatch(read), text);
      assert.match(text, /^\{"checks":[^\n]*\n[\s\S]*\]\}\n$/);
      // The program, its script, a part of package.json and two tests; node_modules/.bin and the script's hooks are absent.
      assert.equal(countWatch(read), 5);
      assert.deepEqual(world.changes(read), []);
    }));

  it("is null for a text that is none", () => {
    const head = '"checks":[],"globs":[],"tools":[],"folders":[]';
    const bad = [
      "",
      "[]",
      "{}",
      `{${head},"rest":null,"things":[{}]}`,
      `{${head},"rest":null,"things":[1]}`,
      `{${head},"rest":null,"things":[{"kind":"x","name":"a","digest":"b"}]}`,
      `{${head},"rest":null,"things":[{"kind":"script","name":"a","digest":"b","word":1}]}`,
      `{${head},"rest":null,"things":[{"kind":"script","name":"a","digest":"b","size":"1"}]}`,
      `{${head},"rest":null,"things":[{"kind":"file","name":"a","digest":"b"}]}`,
      `{${head},"rest":null,"locks":{"a":1},"things":[]}`,
      `{${head},"rest":null,"locks":1,"things":[]}`,
      `{${head},"rest":1,"things":[]}`,
      `{${head},"rest":{},"things":[]}`,
      `{${head},"rest":null}`,
      '{"checks":[1],"globs":[],"tools":[],"folders":[],"rest":null,"things":[]}',
    ];
    assert.deepEqual(
      bad.map(parseWatch),
      bad.map(() => null),
    );
    const sizeless = parseWatch(`{${head},"rest":null,"things":[{"kind":"setting","name":"a","digest":"b"}]}`);
    assert.deepEqual(sizeless?.things, [
      { kind: "setting", name: "a", digest: "b", word: "", was: "", size: null, unlisted: false },
    ]);
    assert.notEqual(parseWatch(`{${head},"rest":{"after":"a","count":1,"digest":"b"},"things":[]}`), null);
  });

  it("differs in nothing from the repo that it was taken of", async () => {
    const name = fc.constantFrom(
      "test/a.test.js",
      "b_test.py",
      "tests/c.rs",
      "d.spec.ts",
      "package.json",
      "Makefile",
      "conftest.py",
      "x.sh",
    );
    const line = fc.constantFrom(
      'it.skip("',
      "assert(`${",
      "/*",
      "*/",
      "'",
      '"""',
      "def test_a():",
      "  assert x",
      "{",
      ")",
      "#[test]",
      "\\",
      "//",
      "});",
      "\u0001",
      "/[",
      "each([",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.array(line, { maxLength: 30 })), (texts) =>
        withWatch(
          Object.fromEntries(Object.entries(texts).map(([path, lines]) => [path, lines.join("\n")])),
          [["npm", "test"], ["sh", "x.sh"], ["make"]],
          async (world) => {
            const record = world.take();
            assert.deepEqual(world.changes(record), []);
            assert.deepEqual(parseWatch(formatWatch(record)), record);
          },
        ),
      ),
      { numRuns: 60 },
    );
  });
});

describe("a record that is extended", () => {
  it("keeps old digests and takes in what a new check runs, with a tool's settings", () =>
    withWatch({ ...files, "eslint.config.js": "1", "lint.sh": "eslint .\n" }, [["npm", "test"]], async (world) => {
      const record = world.take();
      world.write({
        "package.json": '{"scripts":{"test":"true","e2e":"x"}}',
        "test/b.test.js": "",
        "jest.config.js": "",
      });
      const checks = [
        { name: "a", command: ["npm", "test"] },
        { name: "b", command: ["bash", "lint.sh"] },
        { name: "c", command: ["npm", "run", "e2e"] },
        { name: "d", command: ["npm", "run", "none"] },
      ];
      const longer = extendWatch(record, world.input({ checks }));
      const before = world.changes(record);
      assert.deepEqual(before, [
        "! script package.json#scripts.test changed: was `vitest`, is `true`",
        "! setting jest.config.js added: it did not exist at pass 1",
        "! setting package.json#jest removed",
        "test test/b.test.js added",
      ]);
      assert.deepEqual(world.changes(longer, { checks }), before);
      world.write({
        "lint.sh": "",
        "eslint.config.js": "2",
        "package.json": '{"scripts":{"test":"true","e2e":"y","none":""},"jest":{}}',
      });
      assert.deepEqual(
        world.changes(longer, { checks }).filter((line) => !before.includes(line)),
        [
          "! script package.json#scripts.e2e changed: was `x`, is `y`",
          "! script package.json#scripts.none changed: the checks run it, and it did not exist at pass 1; it is ``",
          "! setting eslint.config.js changed",
          "! check_file lint.sh changed",
        ],
      );
      assert.deepEqual(extendWatch(longer, world.input({ checks })), longer);
    }));

  it("does not take a changed program anew because another check runs it too", () =>
    withWatch(files, [["npm", "test"]], (world) => {
      const record = world.take();
      world.write({ "bin/npm": "true" });
      const longer = extendWatch(record, world.input({ checks: [{ name: "b", command: ["npm", "run", "test"] }] }));
      const known = longer.things.filter(({ name }) => name !== "node_modules/.bin/run");
      assert.deepEqual(known, record.things);
      assert.deepEqual(world.changes(longer), ["! executable bin/npm changed"]);
    }));

  it("takes in what a new glob matches", () =>
    withWatch({ "ignored/a.txt": "1" }, [], async (world) => {
      const globs = ["ignored/*"];
      const longer = extendWatch(world.take(), world.input({ globs }));
      assert.deepEqual(
        longer.things.map(({ name }) => name),
        ["ignored/a.txt"],
      );
    }));
});

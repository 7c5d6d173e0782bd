import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isMeantAsJson, readJsonFile, readNamedFile } from "../../../lib/scaffold/interchange/read-source.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { withFolder } from "../../store/temporary-folder.ts";

test("a file without a telling name is meant as JSON if it starts as a list of objects, and not as a link", () => {
  const starts = ["[\n{", "[]", "[a link](b)"].map((text) => isMeantAsJson(Buffer.from(text), "stories"));
  assert.deepEqual(starts, [true, true, false]);
});

test("a file is meant as JSON by its name, else by its first character", () => {
  const cases = ["a.JSON", "a.md", "a.txt", "prd", "prompt"].map((name) =>
    isMeantAsJson(Buffer.from(name === "prompt" ? "Fix {}" : "\uFEFF \n{"), name),
  );
  assert.deepEqual(cases, [true, false, false, true, false]);
});

test("bytes that are no text of UTF-8 are refused, and so is text that is no JSON, with its place", () => {
  const said = [Buffer.from([0x7b, 0xff]), Buffer.from([0xff, 0xfe]), Buffer.from("\uFEFF{\n a }")].map((bytes) => {
    try {
      readJsonFile(bytes, "prd.json");
      return null;
    } catch (error) {
      assert(error instanceof TaskPhaseError);
      return error.findings.map(({ code, message, line, column }) => [code, message, line, column])[0];
    }
  });
  assert.deepEqual(said, [
    ["TP_SOURCE_ENCODING", "the file is not valid UTF-8; UTF-8 is expected", null, null],
    ["TP_SOURCE_ENCODING", "the file is UTF-16; UTF-8 is expected", null, null],
    ["TP_SOURCE_JSON", "not JSON: expected a key in double quotes, found a }", 2, 2],
  ]);
});

test("a named file is read through links, and anything else is refused with the flag and the reason", () =>
  withFolder((folder) => {
    const at = (name: string) => join(folder, name);
    writeFileSync(at("a.json"), "{}");
    symlinkSync("a.json", at("link.json"));
    symlinkSync("none", at("dangling"));
    mkdirSync(at("folder"));
    writeFileSync(at("large"), Buffer.alloc(4 * 1024 * 1024 + 1));
    assert.equal(readNamedFile(at("link.json"), "--from").toString(), "{}");
    const rows: readonly (readonly [name: string, said: RegExp])[] = [
      ["none", /^TP_SOURCE_MISSING usage --from names a file that cannot be opened/],
      ["dangling", /^TP_SOURCE_MISSING usage /],
      ["folder", /^TP_SOURCE_UNREADABLE data --from names a file that cannot be read: it is a? ?folder/],
      ["large", /^TP_SOURCE_UNREADABLE data .*: it has 5 MiB$/],
    ];
    for (const [name, said] of rows)
      assert.throws(
        () => readNamedFile(at(name), "--from"),
        (error) => {
          assert(error instanceof TaskPhaseError);
          const [finding] = error.findings;
          assert.match(`${finding?.code} ${error.exitName} ${finding?.message}`, said);
          return true;
        },
      );
  }));

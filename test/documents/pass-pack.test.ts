import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPack, passPath, readPack } from "../../lib/documents/pass-pack.ts";

test("a pack is the same for the same files in any order, and reads back as they were", () => {
  const files = [
    ["0002/pass.json", "{}\n"],
    ["0001/a b.md", 'a "b"\r\n\u2028é'],
  ] as const;
  const text = formatPack(new Map(files));
  assert.equal(text, formatPack(new Map([...files].reverse())));
  const read = readPack(Buffer.from(text));
  assert.deepEqual(read.kind === "read" && [...read.files], [...files].reverse());
  assert.deepEqual(readPack(Buffer.from("")), { kind: "read", files: new Map() });
});

const line = (path: string) => `${JSON.stringify({ path, text: "x" })}\n`;

for (const path of ["pass.json", "/a/b", "../a", "a/../b", "a/./b", "a//b", "a/b/", "a/b\0"])
  test(`the path ${JSON.stringify(path)} makes the whole pack bad`, () => {
    const said = `${JSON.stringify(path)} is not a path below artifacts/passes/`;
    assert.deepEqual(readPack(Buffer.from(line("0001/a") + line(path))), { kind: "bad", line: 2, problem: said });
  });

test("a path that comes twice, a line of another shape and an empty line make the whole pack bad", () => {
  const bad = (text: string) => {
    const read = readPack(Buffer.from(text));
    return read.kind === "bad" ? [read.line, read.problem] : [];
  };
  assert.deepEqual(bad(line("a/b") + line("a/b")), [2, "a/b appears twice"]);
  for (const text of ["x\n", "{}\n", '{"path":"a/b"}\n', '{"path":"a/b","text":5}\n', "\n\n"]) {
    assert.equal(bad(`${line("a/c")}${text}`)[0], 2, text);
  }
});

test("the folder of a pass has four digits", () => {
  assert.deepEqual([passPath(7), passPath(12345)], ["artifacts/passes/0007", "artifacts/passes/12345"]);
});

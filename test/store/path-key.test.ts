import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { joinBytes, pathBytes, pathKey } from "../../lib/store/path-key.ts";

/** A path as the system gives it: no NUL, no two slashes in a row. */
const path = fc
  .uint8Array({ min: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes))
  .filter((bytes) => !bytes.toString("latin1").includes("//"));

describe("pathKey", () => {
  it("is the path itself where that is UTF-8, else its bytes written out", () => {
    assert.deepEqual([Buffer.from("a/é\n\\"), Buffer.from([0x61, 0x2f, 0xff, 0x5c, 0x0a])].map(pathKey), [
      "a/é\n\\",
      "//a/\\xff\\\\\\x0a",
    ]);
  });

  it("gives different keys for different paths, and each leads back to its bytes", () => {
    fc.assert(fc.property(path, (bytes) => assert.deepEqual(pathBytes(pathKey(bytes)), bytes)));
  });
});

describe("joinBytes", () => {
  it("puts one slash between two parts, and none beside an empty one", () => {
    const join = (folder: string, name: string): string => joinBytes(Buffer.from(folder), Buffer.from(name)).toString();
    assert.deepEqual(
      [join("a", "b"), join("a/", "b"), join("/", "b"), join("", "b"), join("a", "")],
      ["a/b", "a/b", "/b", "b", "a"],
    );
  });
});

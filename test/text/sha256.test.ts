import assert from "node:assert/strict";
import { it } from "node:test";
import { sha256 } from "../../lib/text/sha256.ts";

it("sha256 gives the known digest of a text and of its UTF-8 bytes", () => {
  assert.equal(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(sha256("é"), sha256(Buffer.from([0xc3, 0xa9])));
});

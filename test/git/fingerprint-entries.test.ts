import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffFingerprints, fromEntries, parseEntries, serializeEntries } from "../../lib/git/fingerprint-entries.ts";
import { sha256 } from "../../lib/text/sha256.ts";

describe("parseEntries", () => {
  it("refuses what serializeEntries did not write", () => {
    const texts = [
      "x\n",
      '["a"]\n',
      '["a",1]\n',
      '[1,"a"]\n',
      '["b","x"]\n["a","x"]\n',
      '["a","x"]',
      '["a","x"]\n["a","x"]\n',
      "{}\n",
    ];
    assert.deepEqual(
      texts.map(parseEntries),
      texts.map(() => null),
    );
    assert.equal(parseEntries("")?.hash, sha256(""));
  });
});

describe("fingerprints of two moments", () => {
  const of = (entries: Record<string, string>) => fromEntries(new Map(Object.entries(entries)));

  it("differ in what came, went and changed, sorted by path", () => {
    const [before, after] = [of({ same: "1", b: "1", gone: "1" }), of({ a: "1", b: "2", same: "1" })];
    assert.deepEqual(diffFingerprints(before, after), [
      { path: "a", change: "added" },
      { path: "b", change: "changed" },
      { path: "gone", change: "removed" },
    ]);
    assert.deepEqual(diffFingerprints(before, before), []);
  });

  it("have one hash in any order of entries, and are read back as they were written", () => {
    const [one, other] = [of({ a: "1", 'odd\n"name"': "2" }), of({ 'odd\n"name"': "2", a: "1" })];
    assert.equal(one.hash, other.hash);
    assert.notEqual(one.hash, of({ a: "1" }).hash);
    assert.deepEqual(parseEntries(serializeEntries(other.entries)), one);
  });
});

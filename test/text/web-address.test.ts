import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanWebAddress, encodePath } from "../../lib/text/web-address.ts";

const addresses: readonly (readonly [given: string, clean: string | null])[] = [
  ["https://example.org", "https://example.org"],
  ["HTTP://Example.ORG/", "http://example.org"],
  ["https://example.org/a/b//", "https://example.org/a/b"],
  ["https://example.org:8443/a", "https://example.org:8443/a"],
  ["https://example.org:443/a", "https://example.org/a"],
  ["https://[::1]/a", "https://[::1]/a"],
  ["https://bücher.example/a", "https://xn--bcher-kva.example/a"],
  ["https://example.org/a%20b/(c)", "https://example.org/a%20b/%28c%29"],
  ["https://example.org/%2e%2e/a", null],
  ["https://example.org/a/../b", null],
  ["https://example.org/a//b", null],
  ["https://example.org/a%0ab", null],
  ["https://example.org/a%zz", null],
  ["https://example.org/a?b", null],
  ["https://example.org/a#b", null],
  ["https://me@example.org/a", null],
  ["https://example.org\\@evil.org", null],
  ["https://exam ple.org", null],
  ["https://example.org/a b", null],
  ["https://example.org:99999", null],
  ["ftp://example.org", null],
  ["javascript:alert(1)", null],
  ["https://", null],
  ["", null],
];
for (const [given, clean] of addresses) {
  test(`the address ${JSON.stringify(given)} is ${clean === null ? "refused" : `linked as ${clean}`}`, () =>
    assert.equal(cleanWebAddress(given), clean));
}

test("a path is encoded name by name, and one that is empty or leaves its folder is refused", () => {
  const rows: readonly (readonly [path: string, encoded: string | null])[] = [
    ["a/b c.md", "a/b%20c.md"],
    ["a'(b)*!.md", "a%27%28b%29%2A%21.md"],
    ["ä/~x_-.y", "%C3%A4/~x_-.y"],
    ["a%2Fb", "a%252Fb"],
    [".../a", ".../a"],
    ["/a", null],
    ["a/", null],
    ["a/../b", null],
    ["./a", null],
    ["", null],
    ["a\ud800", null],
  ];
  for (const [path, encoded] of rows) assert.equal(encodePath(path), encoded, path);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { relativeHref } from "../../../lib/documents/templates/relative-href.ts";
import { hostileTexts } from "./hostile.ts";

test("an address is relative to the folder of the document", () => {
  assert.equal(relativeHref("artifacts/passes/0001/pass.json", "artifacts"), "passes/0001/pass.json");
  assert.equal(relativeHref("STATE.md", "artifacts"), "../STATE.md");
  assert.equal(relativeHref("artifacts", "artifacts"), "../artifacts");
  assert.equal(relativeHref("artifacts/x/", ""), "artifacts/x");
});

test("each segment is percent-encoded", () => {
  assert.equal(relativeHref("a b/c#d?e%f(g)'ü.txt"), "a%20b/c%23d%3Fe%25f%28g%29%27%C3%BC.txt");
});

test("a path that leaves the folder has no address", () => {
  for (const path of ["", "/", "/etc/passwd", "../x", "a/../b", "./a", "a//b"])
    assert.equal(relativeHref(path), null, path);
});

test("no text gives an address with a scheme, a host or a mark", () => {
  for (const hostile of hostileTexts)
    assert.match(relativeHref(hostile) ?? "none", /^[A-Za-z0-9._%-]+(\/[A-Za-z0-9._%-]+)*$/);
});

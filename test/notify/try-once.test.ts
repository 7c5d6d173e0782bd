import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRedirect } from "../../lib/notify/try-once.ts";

const judge = (from: string, status: number, location: string | null, method: "GET" | "POST" = "POST") => {
  const redirect = judgeRedirect({ url: new URL(from), method }, { status, location, retryAfter: null });
  return redirect?.kind === "to" ? redirect.url.href : (redirect?.problem ?? null);
};
const elsewhere = "redirects to another host, port or scheme, which is not followed";

test("only the statuses that redirect do", () => {
  for (const status of [200, 300, 304, 305, 400]) assert.equal(judge("https://a.example/", status, "/b"), null);
});

test("a redirect to the same host and port is followed, and http may become https", () => {
  assert.equal(judge("https://a.example/x", 307, "/b?c"), "https://a.example/b?c");
  assert.equal(judge("https://a.example/x", 308, "https://A.example:443/b"), "https://a.example/b");
  assert.equal(judge("http://a.example/x", 307, "https://a.example/b"), "https://a.example/b");
  assert.equal(judge("http://a.example:81/x", 307, "https://a.example:81/b"), "https://a.example:81/b");
});

test("another host, port or a weaker scheme is not followed", () => {
  for (const location of [
    "https://b.example/",
    "https://a.example.evil.example/",
    "//b.example/",
    "https://a.example:444/",
    "http://a.example/",
    "ftp://a.example/",
    "file:///etc/passwd",
  ]) {
    assert.equal(judge("https://a.example/", 307, location), elsewhere, location);
  }
  assert.equal(judge("http://a.example:81/", 307, "https://a.example/"), elsewhere);
});

test("a redirect without a place, to no URL, or with a password is refused", () => {
  assert.equal(judge("https://a.example/", 307, null), "answered 307 without a redirect target");
  assert.equal(judge("https://a.example/", 302, "https://"), "answered 302 without a redirect target");
  assert.equal(judge("https://a.example/", 307, "https://me:pw@a.example/"), "redirects to a URL with a password");
});

test("a GET stays one with every status; a POST only with 307 and 308", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    assert.equal(judge("https://a.example/", status, "/b", "GET"), "https://a.example/b");
  }
  for (const status of [301, 302, 303]) {
    assert.match(judge("https://a.example/", status, "/b") ?? "", /would turn the POST into a GET$/);
  }
});

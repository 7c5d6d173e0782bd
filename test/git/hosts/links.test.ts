import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { branchFileUrl, commitUrl, editFileUrl, fileUrl } from "../../../lib/git/hosts/links.ts";
import type { HostKind } from "../../../lib/rules/verdict-event.ts";
import { hostKinds } from "../../../lib/rules/words.ts";

const sha = "0123456789abcdef0123456789abcdef01234567";
const web = "https://h.example/o/r";

test("each kind of host has its own form of address", () => {
  const forms = hostKinds.map((kind) => [
    kind,
    fileUrl(web, kind, sha, "tasks/T-1/EVIDENCE.md"),
    branchFileUrl(web, kind, "main", "tasks/T-1/EVIDENCE.md"),
    commitUrl(web, kind, sha),
  ]);
  const path = "tasks/T-1/EVIDENCE.md";
  assert.deepEqual(forms, [
    ["github", `${web}/blob/${sha}/${path}`, `${web}/blob/main/${path}`, `${web}/commit/${sha}`],
    ["gitlab", `${web}/-/blob/${sha}/${path}`, `${web}/-/blob/main/${path}`, `${web}/-/commit/${sha}`],
    ["gitea", `${web}/src/commit/${sha}/${path}`, `${web}/src/branch/main/${path}`, `${web}/commit/${sha}`],
    ["bitbucket", `${web}/src/${sha}/${path}`, `${web}/src/main/${path}`, `${web}/commits/${sha}`],
  ]);
});

test("the page that edits a file of a branch is each host's own, and Bitbucket's is the file", () => {
  assert.deepEqual(
    hostKinds.map((kind) => editFileUrl(web, kind, "main", "tasks/T 1/DECISIONS.md")),
    ["edit/main", "-/edit/main", "_edit/main", "src/main"].map((part) => `${web}/${part}/tasks/T%201/DECISIONS.md`),
  );
  assert.equal(editFileUrl(web, "github", "main", "../a"), null);
});

test("a slash in a branch's name stays, but where the host cannot tell it from one of the path", () => {
  assert.equal(branchFileUrl(web, "github", "agent/T 1", "a"), `${web}/blob/agent/T%201/a`);
  assert.equal(branchFileUrl(web, "bitbucket", "agent/T-1", "a"), null);
});

test("names are percent-encoded, one by one", () => {
  const page = (path: string) => fileUrl(web, "github", sha, path)?.slice(`${web}/blob/${sha}/`.length) ?? null;
  assert.deepEqual(["a b/ü", "a#b?c", "%2e%2e/x", "a(b)'\"<c>", "-._~", "a:b@c", "a\\b\nc"].map(page), [
    "a%20b/%C3%BC",
    "a%23b%3Fc",
    "%252e%252e/x",
    "a%28b%29%27%22%3Cc%3E",
    "-._~",
    "a%3Ab%40c",
    "a%5Cb%0Ac",
  ]);
  assert.deepEqual(["", "/a", "a/", "a//b", "../a", "a/./b", "a/..", "\ud800"].map(page), Array(8).fill(null));
});

test("only whole names of commits make a link", () => {
  const links = [sha.slice(0, 12), sha.toUpperCase(), "HEAD", "main", `${sha}/..`, "", sha, sha.padEnd(64, "0")].map(
    (commit) => [fileUrl(web, "github", commit, "a") !== null, commitUrl(web, "github", commit) !== null],
  );
  assert.deepEqual(links, [...Array(6).fill([false, false]), [true, true], [true, true]]);
});

test("only an https or http address of a repository is added to", () => {
  const bases: readonly (readonly [string, string | null])[] = [
    ["https://h.example/o/r/", "https://h.example/o/r"],
    ["HTTP://H.example:80/o/r", "http://h.example/o/r"],
    ["https://[::1]:3000/o/r", "https://[::1]:3000/o/r"],
    ["https://h.example", "https://h.example"],
    ["https://h.example/a%2Fb/%c3%bc", "https://h.example/a%2Fb/%C3%BC"],
    ["javascript:alert(1)", null],
    ["data:text/html,x", null],
    ["ftp://h.example/o/r", null],
    ["//h.example/o/r", null],
    ["h.example/o/r", null],
    ["", null],
    ["https://me:pw@h.example/o/r", null],
    ["https://h.example/o/r?x", null],
    ["https://h.example/o/r#x", null],
    ["https://h.example/o/../r", null],
    ["https://h.example/%2e%2e/r", null],
    ["https://h.example//o/r", null],
    ["https://h.example/a%0ab", null],
    ["https://h.example/a%zz", null],
    ["https://h.example/a\tb", null],
    ["https://h.example:99999/o", null],
    ['https://h"x/o', null],
    ["https://h'x/o", null],
    ["https://h\\x/o", null],
  ];
  assert.deepEqual(
    bases.map(([base]) => [base, commitUrl(base, "github", sha)?.replace(`/commit/${sha}`, "") ?? null]),
    bases,
  );
});

test("no parts make a link with another scheme, host, user, query or fragment", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(..."a./%:@?#\\\"'<> ()[]") }));
  const kinds = fc.constantFrom<HostKind>(...hostKinds);
  fc.assert(
    fc.property(kinds, text, text, text, (kind, base, branch, path) => {
      const links = [`https://h.example/${base}`, base].flatMap((each) => [
        fileUrl(each, kind, sha, path),
        branchFileUrl(each, kind, branch, path),
        commitUrl(each, kind, sha),
        fileUrl(web, kind, sha, path),
        branchFileUrl(web, kind, branch, path),
      ]);
      for (const link of links) {
        if (link === null) continue;
        const { protocol, username, password, search, hash, href } = new URL(link);
        assert.deepEqual(
          [protocol.replace("s", ""), username, password, search, hash, href],
          ["http:", "", "", "", "", link],
        );
        assert.match(link, /^[A-Za-z0-9._~%/:[\]-]+$/);
      }
    }),
    { numRuns: 300 },
  );
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findPushTarget, showUrl } from "../../lib/git/push-target.ts";
import { isPlainUrl } from "../../lib/text/repo-url.ts";

describe("the target of a push", () => {
  const of = (repo: readonly (readonly [string, string])[]) => {
    const found = findPushTarget({ own: [], repo }, "refs/heads/work");
    return found.kind === "target" ? `${found.target.remote} ${found.target.url} ${found.target.isNew}` : found.why;
  };

  it("is what git push would take, but no branch of another name", () => {
    const origin = ["remote.origin.url", "https://o/x"] as const;
    const fork = ["remote.fork.url", "git@h:x"] as const;
    const merge = ["branch.work.merge", "refs/heads/work"] as const;
    assert.deepEqual(
      [
        of([]),
        of([origin]),
        of([origin, ["branch.work.remote", "origin"], merge]),
        of([origin, fork, ["branch.work.remote", "origin"], merge, ["remote.pushdefault", "fork"]]),
        of([origin, fork, ["branch.work.pushremote", "fork"]]),
        of([origin, ["branch.work.remote", "origin"], ["branch.work.merge", "refs/heads/main"]]),
        of([["branch.work.remote", "."]]),
        of([["remote.origin.url", "ext::sh -c x"]]),
      ],
      [
        "there is no remote origin",
        "origin https://o/x true",
        "origin https://o/x false",
        "fork git@h:x false",
        "fork git@h:x true",
        "the upstream of work has another name, refs/heads/main",
        "there is no remote .",
        "the remote origin has a URL that cannot be pushed to: ext::sh -c x",
      ],
    );
  });

  it("is no program, no option and nothing unknown", () => {
    const plain = ["https://h/x", "HTTP://h/x", "ssh://h/x", "git@h:x", "file:///x", "/x", "../x", "git://h/x", "C:x"];
    const strange = [
      "",
      "ext::sh",
      "::x",
      "foo::https://h",
      "--upload-pack=x",
      "ftp://h/x",
      "persistent-https://h",
      "a\nb",
      "fd::7",
    ];
    assert.deepEqual([plain.filter((url) => !isPlainUrl(url)), strange.filter(isPlainUrl)], [[], []]);
    assert.equal(showUrl("https://a:b@c@h/x@y"), "https://h/x@y");
  });
});

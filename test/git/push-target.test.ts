import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { findPushTarget, requireRemote, rewriteUrl, showUrl } from "../../lib/git/push-target.ts";
import { isPlainUrl } from "../../lib/text/repo-url.ts";
import { withFolder } from "../store/temporary-folder.ts";

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

test("a remote on the command line is a URL, or a path of something that is there", () =>
  withFolder((folder) => {
    mkdirSync(join(folder, "real.git"));
    symlinkSync("real.git", join(folder, "link.git"));
    for (const url of ["https://h/x", "SSH://h/x", "host:x", "git@h:a/b"])
      assert.equal(requireRemote(url, folder), url);
    for (const path of ["real.git", "./link.git", join(folder, "real.git")])
      assert.equal(requireRemote(path, folder), join(folder, "real.git"));
    assert.throws(() => requireRemote("ext::sh -c true", folder), /this is not the URL of a repository: ext::sh/);
    assert.throws(() => requireRemote("gone.git", folder), /there is no repository at this path/);
    const known = (path: string) => path === join(folder, "gone.git");
    assert.equal(requireRemote("gone.git", folder, known), join(folder, "gone.git"));
  }));

test("a URL is rewritten by the longest prefix of the person's settings, for a push by those for pushes first", () => {
  const own = [
    ["url.https://short/.insteadof", "gh:"],
    ["url.https://long/.insteadof", "gh:team/"],
    ["url.ssh://push/.pushinsteadof", "gh:"],
    ["url.https://none/.insteadof", ""],
  ] as const;
  const both = ["pushinsteadof", "insteadof"] as const;
  assert.equal(rewriteUrl("gh:team/x", own, ["insteadof"]), "https://long/x");
  assert.equal(rewriteUrl("gh:me/x", own, ["insteadof"]), "https://short/me/x");
  assert.equal(rewriteUrl("gh:team/x", own, both), "ssh://push/team/x");
  assert.equal(rewriteUrl("other", own, both), "other");
});

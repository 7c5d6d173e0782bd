import assert from "node:assert/strict";
import { test } from "node:test";
import { copyEnvironment, toCopy } from "../../../lib/checks/proof/copy-paths.ts";

test("every absolute path of the repo in a word is that of the copy", () => {
  const cases = [
    ["/my/repo", "/copy"],
    ["/my/repo/a b.sh", "/copy/a b.sh"],
    ["--config=/my/repo/jest.config.js", "--config=/copy/jest.config.js"],
    ["-I/my/repo/include", "-I/copy/include"],
    ["cd /my/repo && ls '/my/repo/src'; cat /my/repo.", "cd /copy && ls '/copy/src'; cat /copy."],
    ["/bin:/my/repo/bin:/usr/bin", "/bin:/copy/bin:/usr/bin"],
    ["file:///my/repo/a.js", "file:///copy/a.js"],
    ["/my/repo2", "/my/repo2"],
    ["/my/repo.old/x", "/my/repo.old/x"],
    ["/my/repo-2/x", "/my/repo-2/x"],
    ["/on/my/repo", "/on/my/repo"],
    ["../my/repo", "../my/repo"],
    ["/my", "/my"],
  ] as const;
  for (const [word, expected] of cases) assert.equal(toCopy(word, "/my/repo", "/copy"), expected);
  assert.equal(toCopy("/a+b (c)/$d/x", "/a+b (c)/$d", "/c$&"), "/c$&/x");
});

test("temporary files are the copy's own, and git finds no repository above it", () => {
  const env = { PATH: "/my/repo/bin:/bin", TMPDIR: "/tmp", NODE_OPTIONS: "--require /my/repo/setup.cjs" };
  assert.deepEqual(copyEnvironment(env, "/my/repo", "/runner/repo", "/own"), {
    PATH: "/runner/repo/bin:/bin",
    NODE_OPTIONS: "--require /runner/repo/setup.cjs",
    TMPDIR: "/own",
    TMP: "/own",
    TEMP: "/own",
    GIT_CEILING_DIRECTORIES: "/runner",
  });
});

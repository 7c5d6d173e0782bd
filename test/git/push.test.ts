import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pushUrl } from "../../lib/git/push.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, write } from "./git-repo.ts";
import { type GitWorld, makeGitWorld } from "./git-world.ts";
import { committed, push } from "./push-world.ts";

describe("pushing the branch", () => {
  it("pushes to the upstream, and notes where it stands", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      await committed(world);
      const { pushed, codes } = await push(world);
      assert.deepEqual([pushed, codes, world.remoteFiles()], [true, [], { a: "ours\n" }]);
      assert.match(world.git("status", "-sb"), /^## main\.\.\.origin\/main\n$/);
      assert.deepEqual((await push(world)).pushed, true);
    }));

  it("pushes a branch without upstream to the same name on origin, which becomes its upstream", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      world.git("switch", "-q", "-c", "agent/T-1");
      await committed(world);
      assert.equal((await push(world)).pushed, true);
      assert.match(world.git("status", "-sb"), /^## agent\/T-1\.\.\.origin\/agent\/T-1\n$/);
      assert.deepEqual([world.remoteFiles("agent/T-1"), world.remoteFiles()], [{ a: "ours\n" }, { a: "1\n" }]);
    }));

  it("gives up after three times, and takes a refusal of the remote as final", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      await committed(world);
      world.others({ b: "b\n" });
      const hook = join(world.remote, "hooks/update");
      mkdirSync(join(world.remote, "hooks"), { recursive: true });
      writeFileSync(hook, "#!/bin/sh\necho no agents here\nexit 1\n");
      chmodSync(hook, 0o755);
      const refused = await push(world);
      assert.deepEqual(refused.codes, ["TP_PUSH_FAILED"]);
      assert.match(refused.said, /hook declined\) \(no agents here/);
      assert.equal(refused.findings[0]?.fix, "do what the remote asks for, then push");
      assert.equal(world.git("rev-parse", "HEAD~"), git(world.remote, "rev-parse", "main"));
      // Somebody else is always faster: the branch moves as soon as it was fetched.
      writeFileSync(hook, `#!/bin/sh\nexit 0\n`);
      const race = join(world.remote, "hooks/pre-receive");
      writeFileSync(
        race,
        `#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/main $(git commit-tree -p main -m x main^{tree} </dev/null)\n`,
      );
      chmodSync(race, 0o755);
      git(world.remote, "config", "user.name", "x");
      git(world.remote, "config", "user.email", "x@example.org");
      const behind = await push(world);
      assert.deepEqual([behind.pushed, behind.codes], [false, ["TP_PUSH_BEHIND"]], behind.said);
      assert.match(behind.said, /others pushed first, 3 times in a row$/);
    }));

  it("does not push without a branch, while a merge is in progress, or to a URL that a pass set", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      const [, ...rest] = [await committed(world)];
      assert.deepEqual(rest, []);
      assert.equal(await pushUrl(world.repo, gitEnv), world.remote);
      world.git("config", "remote.origin.pushurl", `https://me:secret@example.org/x`);
      const other = await push(world);
      assert.deepEqual(other.codes, ["TP_PUSH_URL"]);
      assert.match(other.said, /is https:\/\/example\.org\/x, but before a model ran it was .*remote\.git$/);
      assert.match((await push(world, { expected: { url: "", file: "PIN" } })).said, /it was none$/);
      world.git("config", "remote.origin.pushurl", `ext::${world.trap}`);
      assert.deepEqual((await push(world)).codes, ["TP_PUSH_REMOTE"]);
      assert.equal(await pushUrl(world.repo, gitEnv), "");
      writeFileSync(join(world.repo, ".git/MERGE_HEAD"), "");
      assert.deepEqual((await push(world)).codes, ["TP_GIT_BUSY"]);
      rmSync(join(world.repo, ".git/MERGE_HEAD"));
      world.git("checkout", "-q", "--detach");
      assert.deepEqual((await push(world)).codes, ["TP_PUSH_BRANCH"]);
      assert.deepEqual([await pushUrl(world.repo, gitEnv), await pushUrl(folder, gitEnv)], [null, null]);
      assert.deepEqual((await push(world, { repo: folder })).findings, []);
      assert.deepEqual([world.sprung(), world.remoteFiles()], [false, { a: "1\n" }]);
    }));

  it("runs no program that .git/config names, and follows none of its ways elsewhere", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      git(folder, "init", "-q", "--bare", join(folder, "evil.git"));
      await committed(world);
      world.others({ b: "b\n" });
      mkdirSync(join(world.repo, ".git/hooks"), { recursive: true });
      for (const hook of [
        "pre-push",
        "reference-transaction",
        "pre-auto-gc",
        "post-rewrite",
        "post-checkout",
        "post-index-change",
      ])
        symlinkSync(world.trap, join(world.repo, ".git/hooks", hook));
      for (const key of [
        "remote.origin.receivepack",
        "remote.origin.uploadpack",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "core.fsmonitor",
        "gpg.program",
        "credential.helper",
        "core.askPass",
        "uploadpack.packObjectsHook",
      ])
        world.git("config", key, world.trap);
      world.git("config", "push.gpgSign", "true");
      world.git("config", "remote.origin.vcs", "ext");
      world.git("config", `url.${join(folder, "evil.git")}.pushInsteadOf`, world.remote);
      world.git("config", `url.ext::${world.trap}.insteadOf`, world.remote);
      const end = await push(world);
      assert.deepEqual([end.pushed, end.codes], [true, []], end.said);
      assert.deepEqual([world.sprung(), world.remoteFiles()], [false, { a: "ours\n", b: "b\n" }]);
      assert.equal(git(join(folder, "evil.git"), "branch"), "");
    }));

  it("pushes from a clone that is cut off, and says what is wrong where the remote is gone", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      write(world.repo, { a: "2\n" });
      world.git("commit", "-q", "-a", "-m", "second");
      world.git("push", "-q");
      const repo = join(folder, "shallow");
      git(folder, "clone", "-q", "--depth=1", `file://${world.remote}`, repo);
      const shallow: GitWorld = { ...world, repo, git: (...args) => git(repo, ...args) };
      write(repo, { c: "c\n" });
      git(repo, "add", "-A");
      git(repo, "commit", "-q", "-m", "x\n\nTask-Phase-Task: T-1");
      world.others({ b: "b\n" });
      const expected = { url: `file://${world.remote}`, file: "PIN" };
      assert.deepEqual((await push(shallow, { expected })).codes, []);
      assert.deepEqual(world.remoteFiles(), { a: "2\n", b: "b\n", c: "c\n" });
      git(repo, "remote", "set-url", "origin", join(folder, "gone"));
      const end = await push(shallow, { expected: { url: join(folder, "gone"), file: "PIN" } });
      assert.deepEqual(end.codes, ["TP_PUSH_FAILED"]);
      assert.match(end.findings[0]?.fix ?? "", /core\.sshCommand/);
      assert.match(end.said, /does not appear to be a git repository/);
    }));
});

import assert from "node:assert/strict";
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { GitSetting } from "../../lib/git/git-settings.ts";
import { askRemote, findPushedCopies, remoteOf } from "../../lib/git/remote.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

const url = "https://me:pw@github.com/o/r.git";
const page = "tasks/T-1/EVIDENCE.md";

/** A repository whose remote is somewhere on the network; what was pushed is what its tracking refs say. */
function makeClone(
  folder: string,
  ...settings: string[]
): { repo: string; head(): string; pushed(ref?: string): void } {
  const repo = join(folder, "repo");
  makeRepo(repo, { [page]: "proof\n", code: "1\n" });
  git(repo, "remote", "add", "origin", url);
  for (const setting of settings) git(repo, "config", ...setting.split("="));
  return {
    repo,
    head: () => git(repo, "rev-parse", "HEAD").trim(),
    pushed: (ref = "origin/main") => void git(repo, "update-ref", `refs/remotes/${ref}`, "HEAD"),
  };
}

const look = (folder: string, leaveOut: string[] = []) => askRemote(folder, leaveOut, gitEnv);

describe("the known state of the remote", () => {
  it("is nothing without git, and no remote where there is none", () =>
    withFolder(async (folder) => {
      assert.equal(await look(folder), null);
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "1\n" });
      const commit = git(repo, "rev-parse", "HEAD").trim();
      assert.deepEqual(await look(repo), { commit, branch: "main", dirty: false, url: null, pushed: null });
      git(folder, "init", "-q", "fresh");
      git(join(folder, "fresh"), "remote", "add", "origin", url);
      const fresh = { commit: null, branch: "main", dirty: false, url, pushed: null };
      assert.deepEqual(await look(join(folder, "fresh")), fresh);
    }));

  it("says whether a branch of the remote holds the commit", () =>
    withFolder(async (folder) => {
      const { repo, head, pushed } = makeClone(folder);
      assert.deepEqual(await look(repo), { commit: head(), branch: "main", dirty: false, url, pushed: false });
      pushed("other/main");
      assert.equal((await look(repo))?.pushed, false);
      pushed("origin/topic/x");
      write(repo, { code: "2\n" });
      assert.deepEqual(await look(join(repo, "tasks")), {
        commit: head(),
        branch: "main",
        dirty: false,
        url,
        pushed: true,
      });
      git(repo, "commit", "-qam", "second");
      assert.equal((await look(repo))?.pushed, false);
      git(repo, "switch", "-q", "--detach", "HEAD~1");
      const { branch, ...rest } = (await look(repo)) ?? { branch: "" };
      assert.deepEqual([branch, rest], [null, { commit: head(), dirty: false, url, pushed: true }]);
    }));

  it("counts as dirty the code alone: what the fingerprint is taken of", () =>
    withFolder(async (folder) => {
      const { repo } = makeClone(folder);
      const leaveOut = ["tasks/T-1", "tasks/T-2", "tasks/.task-phase", "tasks/BOARD.md"].map((path) =>
        join(repo, path),
      );
      const dirty = async () => (await look(repo, leaveOut))?.dirty;
      write(repo, {
        [page]: "changed\n",
        "tasks/T-2/STATE.md": "new\n",
        "tasks/.task-phase/locks/x": "",
        "tasks/BOARD.md": "board\n",
      });
      assert.equal(await dirty(), false);
      for (const path of ["tasks/T-10/x", "tasks/task-phase.yaml", "new file\nof two lines"]) {
        write(repo, { [path]: "x\n" });
        assert.equal(await dirty(), true, path);
        rmSync(join(repo, path));
      }
      write(repo, { code: "2\n" });
      assert.equal(await dirty(), true);
      git(repo, "commit", "-qm", "code", "code");
      assert.equal(await dirty(), false);
      rmSync(join(repo, "code"));
      assert.equal(await dirty(), true);
    }));

  it("is nothing where git cannot read its own files, and not a failure", () =>
    withFolder(async (folder) => {
      const { repo } = makeClone(folder);
      writeFileSync(join(repo, ".git", "config"), "[broken\n");
      assert.deepEqual([await look(repo), await findPushedCopies([join(repo, page)], gitEnv)], [null, null]);
    }));

  it("runs no program that a pass wrote into the settings", () =>
    withFolder(async (folder) => {
      const { repo } = makeClone(folder);
      const trap = `touch ${join(folder, "sprung")}; cat`;
      for (const key of ["filter.x.clean", "core.fsmonitor", "core.sshCommand", "diff.external"]) {
        git(repo, "config", key, trap);
      }
      write(repo, { ".git/info/attributes": "* filter=x\n", code: "3\n" });
      assert.equal((await look(repo))?.dirty, true);
      await findPushedCopies([join(repo, page)], gitEnv);
      assert.throws(() => renameSync(join(folder, "sprung"), join(folder, "x")), /ENOENT/);
    }));
});

describe("the remote of a branch", () => {
  const of = (settings: Record<string, string>, branch: string | null = "topic", own: GitSetting[] = []) =>
    remoteOf({ own, repo: Object.entries(settings) }, branch);
  const two = { "remote.origin.url": "git@h.example:o/r", "remote.fork.url": "git@h.example:me/r" };

  it("is the one that it is pushed to, else origin", () => {
    const origin = { name: "origin", url: "git@h.example:o/r" };
    const fork = { name: "fork", url: "git@h.example:me/r" };
    assert.deepEqual(of(two), origin);
    assert.deepEqual(of({ ...two, "branch.topic.remote": "fork" }), fork);
    assert.deepEqual(of({ ...two, "branch.topic.pushremote": "fork", "branch.topic.remote": "origin" }), fork);
    assert.deepEqual(of({ ...two, "remote.pushdefault": "fork" }), fork);
    assert.deepEqual(of({ ...two, "remote.pushdefault": "fork" }, null), fork);
    assert.deepEqual(of({ ...two, "branch.topic.remote": "fork" }, null), origin);
    assert.deepEqual(of({ ...two, "branch.topic.remote": "gone" }), origin);
    assert.deepEqual(of({ ...two, "remote.origin.pushurl": "git@h.example:push/r" })?.url, "git@h.example:push/r");
    assert.equal(of({ "remote.fork.url": "git@h.example:me/r" }), null);
  });

  it("is rewritten as the person's own settings say, and not as the repository's do", () => {
    const own: GitSetting[] = [
      ["url.https://short.example/.insteadof", "gh:"],
      ["url.https://long.example/.insteadof", "gh:o/"],
      ["url.git@push.example:.pushinsteadof", "https://pull.example/"],
      ["url.https://mirror.example/.insteadof", "https://pull.example/o/"],
      ["url.https://all.example/.insteadof", ""],
    ];
    const rewritten = (text: string) => of({ "remote.origin.url": text }, "topic", own)?.url;
    assert.equal(rewritten("gh:x/r"), "https://short.example/x/r");
    assert.equal(rewritten("gh:o/r"), "https://long.example/r");
    assert.equal(rewritten("https://pull.example/o/r"), "git@push.example:o/r");
    assert.equal(rewritten("https://else.example/o/r"), "https://else.example/o/r");
    assert.equal(of({ "remote.origin.url": "gh:o/r", "url.https://evil.example/.insteadof": "gh:" })?.url, "gh:o/r");
  });
});

describe("the copies that the remote has", () => {
  const copies = async (repo: string, ...files: string[]) =>
    await findPushedCopies(
      (files.length === 0 ? [page] : files).map((file) => join(repo, file)),
      gitEnv,
    );
  const commitOf = async (repo: string) => (await copies(repo))?.files[0]?.commit ?? null;

  it("are none without git, without a remote, and of no file", () =>
    withFolder(async (folder) => {
      assert.equal(await copies(folder), null);
      assert.equal(await findPushedCopies([], gitEnv), null);
      const repo = join(folder, "repo");
      makeRepo(repo, { [page]: "proof\n" });
      const files = [{ path: page, commit: null }];
      assert.deepEqual(await copies(repo), { url: null, branch: "main", files });
    }));

  it("are those with exactly the bytes on disk, at the newest commit of the branch there", () =>
    withFolder(async (folder) => {
      const { repo, head, pushed } = makeClone(folder);
      assert.equal(await commitOf(repo), null);
      pushed();
      assert.deepEqual(await copies(repo), { url, branch: "main", files: [{ path: page, commit: head() }] });
      const first = head();
      write(repo, { [page]: "more\n" });
      assert.equal(await commitOf(repo), null);
      git(repo, "commit", "-qam", "not pushed");
      assert.equal(await commitOf(repo), null);
      git(repo, "reset", "-q", "--hard", first);
      git(repo, "commit", "-q", "--allow-empty", "-m", "diverged");
      assert.equal(await commitOf(repo), first);
      rmSync(join(repo, page));
      symlinkSync("elsewhere", join(repo, page));
      assert.equal(await commitOf(repo), null);
    }));

  it("are asked for all at once, whatever the files are called", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      const names = ["a b.md", "ü/*.md", "-x", "new\nline", "last"];
      makeRepo(repo, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
      git(repo, "remote", "add", "origin", url);
      git(repo, "update-ref", "refs/remotes/origin/main", "HEAD");
      write(repo, { "-x": "changed\n", untracked: "u\n" });
      const found = await copies(repo, ...names, "untracked");
      const commit = git(repo, "rev-parse", "HEAD").trim();
      assert.deepEqual(
        found?.files.map((file) => [file.path, file.commit]),
        [
          ["a b.md", commit],
          ["ü/*.md", commit],
          ["-x", null],
          ["new\nline", null],
          ["last", commit],
          ["untracked", null],
        ],
      );
    }));

  it("are looked for on the branch that is followed too, and with no branch at what is checked out", () =>
    withFolder(async (folder) => {
      const { repo, head, pushed } = makeClone(folder);
      git(repo, "switch", "-q", "-c", "agent/T-1");
      pushed();
      assert.equal(await commitOf(repo), null);
      git(repo, "branch", "-q", "-u", "origin/main");
      assert.equal(await commitOf(repo), head());
      git(repo, "switch", "-q", "--detach");
      assert.deepEqual([(await copies(repo))?.branch, await commitOf(repo)], [null, head()]);
      git(repo, "commit", "-q", "--allow-empty", "-m", "nowhere else");
      assert.equal(await commitOf(repo), null);
    }));

  it("are found in a clone that is cut off, and with the longer names of SHA-256", () =>
    withFolder(async (folder) => {
      const { repo } = makeClone(folder);
      git(repo, "commit", "-q", "--allow-empty", "-m", "second");
      const shallow = join(folder, "shallow");
      git(folder, "clone", "-q", "--depth=1", `file://${repo}`, shallow);
      git(shallow, "remote", "set-url", "origin", url);
      assert.equal(await commitOf(shallow), git(repo, "rev-parse", "HEAD").trim());
      assert.equal((await look(shallow))?.pushed, true);
      const long = join(folder, "long");
      git(folder, "init", "-q", "--object-format=sha256", long);
      write(long, { [page]: "proof\n" });
      git(long, "add", "-A");
      git(long, "commit", "-q", "-m", "first");
      git(long, "remote", "add", "origin", url);
      git(long, "update-ref", "refs/remotes/origin/main", "HEAD");
      assert.match((await commitOf(long)) ?? "", /^[0-9a-f]{64}$/);
    }));

  it("are not fetched where the clone lacks them", () =>
    withFolder(async (folder) => {
      const { repo } = makeClone(folder);
      git(repo, "config", "uploadpack.allowFilter", "true");
      git(repo, "config", "uploadpack.allowAnySHA1InWant", "true");
      const partial = join(folder, "partial");
      git(folder, "clone", "-q", "--filter=blob:none", "--no-checkout", `file://${repo}`, partial);
      write(partial, { [page]: "proof\n" });
      const before = git(partial, "count-objects", "-v");
      await commitOf(partial);
      assert.equal(git(partial, "count-objects", "-v"), before);
    }));
});

import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commitPaths } from "../../lib/git/commit.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, makeRepo, write } from "./git-repo.ts";
import { checkedNow, commitRequest, filesOf, makeGitWorld } from "./git-world.ts";

describe("choosing the paths of a commit", () => {
  it("commits all of a folder that is not ignored, but no runtime file", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, {
        ".gitignore": "*.log\n",
        "tasks/T-1/STATE.md": "1",
        "tasks/T-1/x": "x",
      });
      write(repo, {
        "tasks/T-1/STATE.md": "2",
        "tasks/T-1/artifacts/a.md": "a",
        "tasks/T-1/a.log": "l",
        "tasks/T-1/.tp-0123456789abcdef.tmp": "t",
        "tasks/.task-phase/locks/T-1.lock": "",
        "tasks/T-1/.task-phase/x": "x",
        "tasks/T-2/STATE.md": "o",
      });
      rmSync(join(repo, "tasks/T-1/x"));
      const folders = [join(repo, "tasks/T-1"), join(folder, "elsewhere")];
      await commitPaths({ ...commitRequest(repo, scratch, ["tasks/.task-phase/locks/T-1.lock"]), folders });
      assert.deepEqual(filesOf(repo, "HEAD"), {
        ".gitignore": "*.log\n",
        "tasks/T-1/STATE.md": "2",
        "tasks/T-1/artifacts/a.md": "a",
      });
      assert.equal((await commitPaths({ ...commitRequest(repo, scratch, []), folders })).sha, null);
    }));
  for (const [rules, committed] of [
    ["*.jsonl\n.env\n", ["tasks/T-1/STATE.md", "tasks/T-1/artifacts/journal.jsonl"]],
    ["tasks/T-1/artifacts\nother*\n", ["tasks/T-1/STATE.md", "tasks/T-1/artifacts/journal.jsonl"]],
    ["tasks/\n", []],
    ["tasks/T-1\n", []],
  ] as const)
    it(`commits what is always kept if a person ignores ${rules.split("\n")[0]}, unless it is the whole folder`, () =>
      withFolder(async (folder) => {
        const { repo, scratch } = makeGitWorld(folder, { ".gitignore": rules });
        write(repo, {
          "tasks/T-1/STATE.md": "1",
          "tasks/T-1/artifacts/journal.jsonl": "j",
          "tasks/T-1/artifacts/.env": "e",
          "tasks/T-1/other.jsonl": "o",
        });
        const folders = [join(repo, "tasks/T-1")];
        await commitPaths({ ...commitRequest(repo, scratch, []), folders, always: ["STATE.md", "artifacts"] });
        assert.deepEqual(Object.keys(filesOf(repo, "HEAD")), [".gitignore", ...committed]);
      }));
  it("leaves out ignored paths, nested repositories and paths with a filter or of git-lfs, and names them", () =>
    withFolder(async (folder) => {
      const { repo, scratch, trap, sprung, ...world } = makeGitWorld(folder, {
        ".gitignore": "ignored\n",
        ".gitattributes": "*.bin filter=x=y\n*.txt filter=nobody\n*.psd filter=lfs\n",
      });
      for (const key of ["filter.x=y.clean", "commit.gpgSign", "gpg.program"])
        world.git("config", key, key === "commit.gpgSign" ? "true" : trap);
      mkdirSync(join(repo, ".git/hooks"), { recursive: true });
      for (const hook of ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"])
        symlinkSync(trap, join(repo, ".git/hooks", hook));
      makeRepo(join(repo, "sub"), { x: "x" });
      write(repo, { ignored: "i", "a.bin": "b", "a.psd": "p", "a.txt": "t" });
      const paths = ["ignored", "a.bin", "a.psd", "a.txt", "sub/x", "sub"];
      const end = await commitPaths(commitRequest(repo, scratch, paths));
      assert.deepEqual(Object.keys(filesOf(repo, "HEAD")), [".gitattributes", ".gitignore", "a.txt"]);
      assert.deepEqual(
        end.findings.map(({ severity, code, message }) => [severity, code, message]),
        [
          ["error", "TP_GIT_LEFT_OUT", "not committed: sub/x: in a repository of its own"],
          ["error", "TP_GIT_LEFT_OUT", "not committed: sub: a folder"],
          [
            "error",
            "TP_GIT_LEFT_OUT",
            "not committed: a.bin, a.psd: a filter program of git's settings, such as git-lfs, applies; the runner runs none",
          ],
        ],
      );
      assert.equal(sprung(), false);
    }));
  it("keeps what a sparse checkout hides, and says so, but takes a file off that somebody deleted", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { a: "1", "lib/x": "x", "lib/y": "y", flagged: "f" });
      git(repo, "update-index", "--assume-unchanged", "flagged");
      rmSync(join(repo, "flagged"));
      git(repo, "config", "core.sparseCheckout", "true");
      git(repo, "update-index", "--skip-worktree", "lib/x");
      rmSync(join(repo, "lib"), { recursive: true });
      const paths = ["a", "lib/x", "lib/y", "flagged"];
      const { findings } = await commitPaths(commitRequest(repo, scratch, paths));
      assert.deepEqual(filesOf(repo, "HEAD"), { a: "1", "lib/x": "x" });
      assert.deepEqual(
        findings.map(({ severity, code, message }) => `${severity} ${code} ${message}`),
        [
          "error TP_GIT_LEFT_OUT not committed: lib/x: a sparse checkout hides it, so it stays as it is in the commit below",
        ],
      );
      // Without one, the mark is a person's, who keeps their own edit of a file out of git.
      git(repo, "config", "core.sparseCheckout", "false");
      const removed = await commitPaths(commitRequest(repo, scratch, ["lib/x"]));
      assert.deepEqual([removed.findings, filesOf(repo, "HEAD")], [[], { a: "1" }]);
    }));

  it("takes what the index has of ignored paths, without what looks like secrets", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { ".gitignore": "gen/\n.env\n" });
      write(repo, { "gen/forced.txt": "f", "gen/loose.txt": "l", "gen/old.txt": "o", ".env": "TOKEN=x" });
      git(repo, "add", "--force", "gen/old.txt");
      git(repo, "commit", "-qm", "old");
      git(repo, "rm", "-q", "--cached", "gen/old.txt");
      git(repo, "add", "--force", "gen/forced.txt", ".env");
      const paths = ["gen/forced.txt", "gen/loose.txt", "gen/old.txt", ".env"];
      const { findings } = await commitPaths(commitRequest(repo, scratch, paths));
      assert.deepEqual(Object.keys(filesOf(repo, "HEAD")), [".gitignore", "gen/forced.txt"]);
      assert.deepEqual(
        findings.map(({ severity, code, message }) => [severity, code, message]),
        [["warning", "TP_GIT_LEFT_OUT", "not committed: .env: git ignores it, and it is named like a file of secrets"]],
      );
      assert.equal(git(repo, "status", "--porcelain"), "A  .env\n");
    }));
});

describe("the content of a commit", () => {
  const attributes = `*.bat text eol=crlf
*.id ident
*.utf16 working-tree-encoding=UTF-16LE
*.txt text
*.raw -text
`;

  it("is what was checked, byte by byte: a path of which git would store other bytes is an error", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { ".gitattributes": attributes, "tasks/T-1/STATE.md": "1\n" });
      const utf16 = Buffer.from("hello\n", "utf16le");
      write(repo, { "a.bat": "x\r\n", "a.id": "$Id: forged $\n", "a.txt": "x\r\n", "b.txt": "x\n", "a.raw": "x\r\n" });
      write(repo, { "new.bat": "x\n", "b.id": "$Id$\n", plain: "x\r\n", "tasks/T-1/log.txt": "x\r\n" });
      writeFileSync(join(repo, "a.utf16"), utf16);
      const paths = ["a.bat", "a.id", "a.txt", "a.utf16", "a.raw", "b.txt", "b.id", "new.bat", "plain"];
      const request = { ...commitRequest(repo, scratch, paths), folders: [join(repo, "tasks/T-1")] };
      const checked = await checkedNow(repo, paths, null);
      const end = await commitPaths({ ...request, checked });
      const { ".gitattributes": _, ...stored } = filesOf(repo, "HEAD");
      assert.deepEqual(stored, {
        "a.raw": "x\r\n",
        "b.id": "$Id$\n",
        "b.txt": "x\n",
        "new.bat": "x\n",
        plain: "x\r\n",
        "tasks/T-1/STATE.md": "1\n",
        "tasks/T-1/log.txt": "x\n",
      });
      assert.deepEqual(
        end.findings.map(({ severity, code, message }) => [severity, code, message.replace(/[0-9a-f]{12}/, "SHA")]),
        [
          [
            "error",
            "TP_GIT_LEFT_OUT",
            "not committed: a.bat, a.id, a.txt, a.utf16: because of attributes or core.autocrlf, git would store bytes other than those that were checked",
          ],
          [
            "error",
            "TP_GIT_UNCHECKED",
            "the commit SHA does not contain what was checked: a.bat, a.id, a.txt, a.utf16",
          ],
        ],
      );
      // A person commits them, and git turns the line endings; the other two are no longer what was checked.
      git(repo, "add", "-A");
      git(repo, "commit", "-q", "-m", "by hand");
      const later = await commitPaths({ ...commitRequest(repo, scratch, []), checked });
      assert.match(later.findings[0]?.message ?? "", /does not contain what was checked: a\.id, a\.utf16$/);
    }));
});

describe("a link in a commit", () => {
  it("is named if it leads out of the repository", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { "in/a": "1" });
      const links = { "in/up": "../in/a", "in/out": "../../x", absolute: "/etc/hosts", inside: join(repo, "in/a") };
      for (const [path, target] of Object.entries(links)) symlinkSync(target, join(repo, path));
      const end = await commitPaths(commitRequest(repo, scratch, Object.keys(links)));
      assert.deepEqual(
        end.findings.map(({ severity, code, message }) => [severity, code, message]),
        [["warning", "TP_GIT_LINK_OUT", "committed links that point out of the repository: in/out, absolute"]],
      );
      assert.equal(git(repo, "cat-file", "-p", "HEAD:in/out"), "../../x");
    }));
});

import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  findGitDir,
  findGitPlace,
  findGitTop,
  findLostGit,
  findOuterGit,
  findRepository,
} from "../../lib/git/place.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { write } from "./git-repo.ts";

/** What git takes for a repository: a HEAD and a folder of objects. */
function bare(folder: string): string {
  mkdirSync(join(folder, "objects"), { recursive: true });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
  return folder;
}

describe("the repository of a folder", () => {
  it("is that of the folder or of the nearest one above, and has one real path", () =>
    withFolder((folder) => {
      const top = join(folder, "repo");
      const gitDir = bare(join(top, ".git"));
      write(top, { "a/b/file": "x", "a/empty/.git/HEAD": "no objects" });
      symlinkSync(top, join(folder, "link"));
      const place = { top, gitDir, commonDir: gitDir };
      for (const at of [top, join(top, "a/b"), join(top, "a/empty"), join(top, "a/none"), join(folder, "link/a")])
        assert.deepEqual(findGitPlace(at), place, at);
      assert.equal(findGitTop(join(folder, "link/a")), join(folder, "link"));
      assert.deepEqual([findGitTop(folder), findGitPlace(folder), findGitDir(folder)], [null, null, null]);
    }));

  it("is where a .git file leads, if a repository is there", () =>
    withFolder((folder) => {
      const gitDir = bare(join(folder, "main/.git"));
      const linked = join(gitDir, "worktrees/w");
      write(linked, { HEAD: "x", commondir: "../..\r\n" });
      const markers: Readonly<Record<string, string | null>> = {
        "gitdir: ../main/.git\n": gitDir,
        [`gitdir: ${linked}\r\n`]: linked,
        "gitdir: ../main": null,
        "gitdir:../main/.git": null,
        "gitdir: ": null,
        "": null,
      };
      for (const [text, expected] of Object.entries(markers)) {
        write(folder, { "w/.git": text });
        assert.equal(findGitDir(join(folder, "w")), expected, JSON.stringify(text));
      }
      write(folder, { "w/.git": `gitdir: ${linked}\n` });
      assert.deepEqual(findGitPlace(join(folder, "w")), { top: join(folder, "w"), gitDir: linked, commonDir: gitDir });
      rmSync(join(linked, "commondir"));
      assert.equal(findGitDir(join(folder, "w")), null);
    }));

  it("is lost where a .git file leads to none, and is not missed beside one that is there", () =>
    withFolder((folder) => {
      write(folder, { "w/.git": "gitdir: ../gone/.git/worktrees/w\n", "w/a/file": "x", "plain/file": "x" });
      const marker = join(folder, "w/.git");
      const message = ".git leads to no git repository: gitdir: ../gone/.git/worktrees/w";
      assert.deepEqual(
        [findLostGit(join(folder, "w/a"))?.file, findLostGit(join(folder, "w"))?.message],
        [marker, message],
      );
      assert.equal(findLostGit(join(folder, "plain")), null);
      bare(join(folder, "gone/.git/worktrees/w"));
      assert.equal(findLostGit(join(folder, "w")), null);
      write(folder, { "torn/.git/config": "", "torn/a/file": "x" });
      assert.match(findLostGit(join(folder, "torn/a"))?.message ?? "", /^\.git is a folder, but no git repository: /);
      bare(join(folder, "torn/.git"));
      assert.equal(findLostGit(join(folder, "torn/a")), null);
    }));

  it("may be a bare one, which is its own top, and never one above", () =>
    withFolder((folder) => {
      const store = bare(join(folder, "store"));
      assert.deepEqual(findRepository(store), { top: store, gitDir: store, commonDir: store });
      const gitDir = bare(join(folder, "repo/.git"));
      assert.deepEqual(findRepository(join(folder, "repo")), { top: join(folder, "repo"), gitDir, commonDir: gitDir });
      mkdirSync(join(folder, "repo/in"));
      assert.deepEqual([findRepository(join(folder, "repo/in")), findRepository(join(folder, "none"))], [null, null]);
    }));
});

describe("the git folder outside of a repo", () => {
  const settings = (text: string) => ({ config: `[core]\n${text}\n` });

  it("is that of a submodule, if it names this very working tree", () =>
    withFolder((folder) => {
      const gitDir = bare(join(folder, ".git/modules/sub"));
      const repo = join(folder, "sub dir");
      write(repo, { ".git": "gitdir: ../.git/modules/sub\n" });
      const texts: Readonly<Record<string, string[]>> = {
        "\tworktree = ../../../sub dir": [gitDir],
        '\tworktree = "../../../sub dir"': [gitDir],
        [`worktree=${repo}\r`]: [gitDir],
        "\tworktree = ../../../other": [],
        "\tworktree =": [],
        "\tbare = false": [],
      };
      for (const [text, expected] of Object.entries(texts)) {
        write(gitDir, settings(text));
        assert.deepEqual(findOuterGit(repo), expected, text);
      }
    }));

  it("is the common one of a linked working tree, if that leads back", () =>
    withFolder((folder) => {
      const common = bare(join(folder, "main/.git"));
      const linked = join(common, "worktrees/w");
      const repo = join(folder, "w");
      write(linked, { HEAD: "x", commondir: "../..\n", gitdir: `${repo}/.git\n` });
      write(repo, { ".git": `gitdir: ${linked}\n` });
      assert.deepEqual(findOuterGit(repo), [common]);
      write(linked, { gitdir: `${folder}/other/.git\n` });
      assert.deepEqual(findOuterGit(repo), []);
      const forged = join(folder, "forged");
      write(forged, { HEAD: "x", commondir: join(folder, "main/.git"), gitdir: `${repo}/.git\n` });
      write(repo, { ".git": `gitdir: ${forged}\n` });
      assert.deepEqual([findOuterGit(repo), findOuterGit(join(folder, "main")), findOuterGit(folder)], [[], [], []]);
    }));
});

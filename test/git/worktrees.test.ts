import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkedOutIn } from "../../lib/git/worktrees.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { write } from "./git-repo.ts";

const ref = "refs/heads/work";
const plain = "[core]\n\tbare = false\n";

/** The files of a git folder, and the working tree that has the branch, relative to the folder. */
const cases: Readonly<Record<string, [files: Record<string, string>, found: string | null]>> = {
  "is the only one": [{ "repo/.git/HEAD": `ref: ${ref}\n` }, "repo"],
  "is none, where another branch is checked out": [{ "repo/.git/HEAD": "ref: refs/heads/work2\n" }, null],
  "is none, where the commit is checked out": [{ "repo/.git/HEAD": `${"a".repeat(40)}\n` }, null],
  "comes back to it after a rebase": [
    { "repo/.git/HEAD": "a", "repo/.git/rebase-merge/head-name": `${ref}\n` },
    "repo",
  ],
  "comes back to it after a rebase by patches": [
    { "repo/.git/HEAD": "a", "repo/.git/rebase-apply/head-name": `${ref}\n` },
    "repo",
  ],
  "comes back to it after a bisect": [{ "repo/.git/HEAD": "a", "repo/.git/BISECT_START": "work\n" }, "repo"],
  "is a linked one": [
    {
      "repo/.git/HEAD": "ref: refs/heads/main\n",
      "repo/.git/worktrees/x/HEAD": "ref: refs/heads/x\n",
      "repo/.git/worktrees/w/HEAD": `ref: ${ref}\r\n`,
      "repo/.git/worktrees/w/gitdir": "/elsewhere/w/.git\n",
    },
    "/elsewhere/w",
  ],
  "is a linked one that says nothing of its place": [
    { "repo/.git/HEAD": "x", "repo/.git/worktrees/w/HEAD": `ref: ${ref}\n` },
    "repo/.git/worktrees/w",
  ],
  "is none of a bare repository, whatever its HEAD says": [
    { "repo/.git/HEAD": `ref: ${ref}\n`, "repo/.git/config": "[core]\n\tBare = TRUE\n" },
    null,
  ],
};

for (const [name, [files, found]] of Object.entries(cases)) {
  test(`the working tree of a branch ${name}`, () =>
    withFolder((folder) => {
      const gitDir = join(folder, "repo/.git");
      write(folder, { "repo/.git/config": plain, ...files });
      const expected = found === null || found.startsWith("/") ? found : join(folder, found);
      assert.equal(checkedOutIn({ top: join(folder, "repo"), gitDir, commonDir: gitDir }, ref), expected);
    }));
}

test("the working tree of a branch is the main one, asked from a linked one", () =>
  withFolder((folder) => {
    write(folder, { "repo/.git/HEAD": `ref: ${ref}`, "odd.git/HEAD": `ref: ${ref}` });
    const asked = (common: string) =>
      checkedOutIn({ top: "/w", gitDir: join(folder, common, "worktrees/w"), commonDir: join(folder, common) }, ref);
    assert.deepEqual([asked("repo/.git"), asked("odd.git")], [join(folder, "repo"), join(folder, "odd.git")]);
  }));

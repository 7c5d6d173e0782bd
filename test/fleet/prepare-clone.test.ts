import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findMissingSubmodules } from "../../lib/fleet/prepare-clone.ts";
import { findGitPlace, type GitPlace } from "../../lib/git/place.ts";
import { git, gitEnv, makeRepo } from "../git/git-repo.ts";
import { withFolder } from "../store/temporary-folder.ts";

test("a submodule that a person has here and a clone has not is named, with what fetches it", () =>
  withFolder(async (folder) => {
    const [repo, clone] = [join(folder, "repo"), join(folder, "clone")] as const;
    makeRepo(join(folder, "lib"), { "a.txt": "one\n" });
    makeRepo(repo, { "b.txt": "two\n" });
    for (const path of ["libs/a b", "unused"])
      git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(folder, "lib"), path);
    git(repo, "commit", "-q", "-m", "submodules");
    git(repo, "submodule", "--quiet", "deinit", "-f", "unused");
    git(folder, "clone", "-q", repo, clone);
    const [tree, made] = [findGitPlace(repo), findGitPlace(clone)] as [GitPlace, GitPlace];
    const find = async () => await findMissingSubmodules(tree, made, gitEnv);
    const [finding, ...more] = await find();
    assert.equal(finding?.message, "the submodule libs/a b of your working tree is empty in the clone of the task");
    assert.equal(finding.fix, "in task-phase.yaml: fleet: { prepare: [[git, submodule, update, --init]] }");
    assert.deepEqual(more, []);
    mkdirSync(join(clone, "libs/a b"), { recursive: true });
    writeFileSync(join(clone, "libs/a b/a.txt"), "one\n");
    assert.deepEqual(await find(), []);
  }));

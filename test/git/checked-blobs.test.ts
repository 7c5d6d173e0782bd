import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commitPaths } from "../../lib/git/commit.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { write } from "./git-repo.ts";
import { checkedNow, commitRequest, makeGitWorld } from "./git-world.ts";

describe("the content of a commit", () => {
  it("is an error where the disk changed after the checks, or a commit of the agent holds something else", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1", b: "1", c: "1", link: "1" });
      const { repo, scratch } = world;
      const since = world.git("rev-parse", "HEAD").trim();
      const said = ({ findings }: { findings: readonly { message: string }[] }) =>
        findings.map(({ message }) => message.replace(/[0-9a-f]{12}/, "SHA"));
      write(repo, { b: "evil" });
      world.git("commit", "-qam", "the agent's own");
      write(repo, { a: "2", b: "1" });
      rmSync(join(repo, "link"));
      symlinkSync("a", join(repo, "link"));
      const checked = await checkedNow(repo, ["a", "link"], since);
      assert.deepEqual(said(await commitPaths({ ...commitRequest(repo, scratch, ["a", "link"]), checked })), [
        "the commit SHA does not contain what was checked: b",
      ]);
      assert.deepEqual(said(await commitPaths({ ...commitRequest(repo, scratch, []), checked })), [
        "the commit SHA does not contain what was checked: b",
      ]);
      assert.deepEqual(
        await commitPaths({ ...commitRequest(repo, scratch, []), checked: { ...checked, left: ["b"] } }),
        { sha: null, findings: [], unproven: [] },
      );
      const whole = await commitPaths({ ...commitRequest(repo, scratch, ["b"]), checked });
      assert.deepEqual(said(whole), []);
      write(repo, { a: "3" });
      rmSync(join(repo, "c"));
      assert.deepEqual(said(await commitPaths({ ...commitRequest(repo, scratch, ["a", "c"]), checked })), [
        "the commit SHA does not contain what was checked: a, c",
      ]);
    }));

  it("is compared with the commit before it, or with nothing, if it is not known where the task began", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1", b: "1" });
      const { repo, scratch } = world;
      const saidOf = async () => {
        const checked = await checkedNow(repo, [], null);
        const { findings } = await commitPaths({ ...commitRequest(repo, scratch, []), checked });
        return findings.map(({ message }) => message.replace(/[0-9a-f]{12}/, "SHA"));
      };
      write(repo, { b: "2" });
      assert.deepEqual(await saidOf(), ["the commit SHA does not contain what was checked: b"]);
      write(repo, { b: "1", a: "evil" });
      world.git("commit", "-qam", "the agent's own");
      write(repo, { a: "1", b: "2" });
      assert.deepEqual(await saidOf(), ["the commit SHA does not contain what was checked: a"]);
    }));
});

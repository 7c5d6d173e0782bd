import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { blobName } from "../../lib/git/objects.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { findUnproven } from "../../lib/git/unproven.ts";
import { makeGitRepo } from "../history/git-maker.ts";
import { gitEnv } from "./git-repo.ts";

const blob = (text: string, mode = "100644") => ({ mode, oid: blobName(Buffer.from(text), 40) });
const digest = "ab".repeat(32);
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${digest}\nsize 3\n`;

test("a commit is proven path by path: bytes, modes, what is missing and what is more", async (t) => {
  const repo = makeGitRepo(t, [
    {
      files: {
        same: "1",
        bytes: "2",
        mode: ["100755", "1"],
        more: "1",
        "tasks/T-1/STATE.md": "1",
        "in/a": "1",
        ".gitattributes": "*.lfs filter=lfs\n",
        "good.lfs": pointer,
        "bad.lfs": "bytes",
      },
    },
  ]);
  repo.git("config", "filter.lfs.clean", "false");
  const place = findGitPlace(repo.folder) ?? assert.fail();
  const [commit = ""] = repo.commits;
  const tree = new Map([
    ["same", blob("1")],
    ["bytes", blob("1")],
    ["mode", blob("1")],
    ["missing", blob("1")],
    ["in/a", blob("1")],
    [".gitattributes", blob("*.lfs filter=lfs\n")],
    ["good.lfs", blob("abc")],
    ["bad.lfs", blob("abc")],
  ]);
  const entries = new Map(["good.lfs", "bad.lfs", "more"].map((path) => [path, `file 644 ${digest}`]));
  const leaveOut = [join(repo.folder, "tasks"), "/elsewhere"];
  // The rules count as they are on disk, where this repository has none.
  repo.git("checkout", "-q", "HEAD", "--", ".gitattributes");
  const unproven = (at: string | null, folder = repo.folder, proven = tree) =>
    findUnproven(place, folder, at, { tree: proven, entries, leaveOut }, gitEnv);
  assert.deepEqual(await unproven(commit), ["bad.lfs", "bytes", "missing", "mode", "more"]);
  assert.deepEqual(await unproven(commit, join(repo.folder, "in"), new Map([["a", blob("1")]])), []);
  assert.deepEqual(await unproven(null, join(repo.folder, "in"), new Map([["a", blob("1")]])), ["a"]);
});

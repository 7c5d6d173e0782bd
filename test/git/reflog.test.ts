import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { listBetween, movesSince } from "../../lib/git/reflog.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

const [a, b, c] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [string, string, string];
const line = (from: string, to: string, message: string) => `${from} ${to} Ann <a@x> 1 +0000\t${message}\n`;

test("the moves of HEAD are those since it was last on a commit, oldest first", () =>
  withFolder((folder) => {
    const log = [line(a, b, "commit: one"), line(b, a, "reset"), line(a, c, "commit: two"), `${c} ${b} Ann 1 +0000\n`];
    write(folder, { "logs/HEAD": ["broken\n", ...log].join("") });
    const place = { top: "/", gitDir: folder, commonDir: folder };
    const since = (commit: string) => movesSince(place, commit);
    const last = { from: c, to: b, message: "" };
    assert.deepEqual(since(a), [{ from: a, to: c, message: "commit: two" }, last]);
    assert.deepEqual(since(c), [last]);
    assert.deepEqual([since(b), since("d".repeat(40))], [[], []]);
    assert.deepEqual(movesSince(place, a, 2).length, 2);
    assert.equal(movesSince(place, b, 1).length, 3, "it came back to where it was");
    assert.deepEqual(movesSince(place, c, 1), [last], "git has forgotten some");
    const nowhere = join(folder, "none");
    assert.deepEqual(movesSince({ top: "/", gitDir: nowhere, commonDir: nowhere }, a), []);
  }));

test("what differs between two commits is named from the repo, and nothing beside it", () =>
  withFolder(async (folder) => {
    makeRepo(folder, { "in/a b": "1", beside: "1", "inner/x": "1", "in/same": "1" });
    const from = git(folder, "rev-parse", "HEAD").trim();
    write(folder, { "in/a b": "2", beside: "2", "inner/x": "2", "in/neu ü": "1" });
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", "second");
    const to = git(folder, "rev-parse", "HEAD").trim();
    const place = findGitPlace(folder) ?? assert.fail();
    const between = (repo: string) => listBetween(place, repo, { from, to }, gitEnv);
    assert.deepEqual(await between(join(folder, "in")), ["a b", "neu ü"]);
    assert.deepEqual(await between(folder), ["beside", "in/a b", "in/neu ü", "inner/x"]);
  }));

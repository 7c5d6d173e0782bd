import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { HeldOutCheck } from "../../lib/documents/contract.ts";
import { digestHeldOut } from "../../lib/task/held-out.ts";
import { heldOutFolder, heldOutNow, judgeHeldOut, pinHeldOut } from "../../lib/task/held-out-pins.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import type { TaskSession } from "../../lib/task/session.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

const check = (name: string, folder: string) => ({ name, folder }) as HeldOutCheck;

function arrange(t: TestContext) {
  const folder = makeFolder(t);
  write(folder, { "repo/src/a": "1", "tasks/T-1/STATE.md": "", "secret/test.js": "1", "secret-2/test.js": "2" });
  return { folder, repo: join(folder, "repo"), place: placeOf(join(folder, "tasks/T-1")) };
}

test("a held-out folder lies outside of what the agent sees, and is there", (t) => {
  const { folder, repo, place } = arrange(t);
  symlinkSync("repo/src", join(folder, "link"));
  const said = (path: string) => {
    const [finding] = judgeHeldOut(place, repo, [check("hidden", path)]);
    return finding?.message.replace("the folder of the held-out check hidden ", "").replaceAll(folder, "") ?? null;
  };
  assert.equal(said("../../secret"), null);
  assert.equal(said(join(folder, "secret")), null);
  const inside = (root: string, path: string) => `is inside /${root}, where the agent can see it: ${path}`;
  assert.equal(said("../../repo/src"), inside("repo", "../../repo/src"));
  assert.equal(said("../../link"), inside("repo", "../../link"));
  assert.equal(said("tests"), inside("tasks", "tests"));
  assert.equal(said("../../repo"), inside("repo", "../../repo"));
  assert.equal(said("../.."), "contains /repo, where the agent works: ../..");
  for (const path of ["../../none", "../../secret/test.js"])
    assert.equal(said(path), `is not a readable folder, or has more than 20,000 files: ${path}`);
});

test("held-out folders are pinned by name, or all that is wrong is told at once", (t) => {
  const { folder, repo, place } = arrange(t);
  const checks = [check("one", "../../secret"), check("two", "../../secret-2")];
  assert.deepEqual(pinHeldOut(place, repo, checks), {
    one: digestHeldOut(join(folder, "secret")),
    two: digestHeldOut(join(folder, "secret-2")),
  });
  const act = () => pinHeldOut(place, repo, [...checks, check("three", "../../none"), check("four", "../../repo")]);
  assert.throws(act, (error) => {
    assert.ok(error instanceof TaskPhaseError);
    assert.deepEqual([error.exitName, error.findings.length], ["config", 2]);
    return true;
  });
});

test("a held-out check runs if its files are still those of pass 1", (t) => {
  const { folder, repo, place } = arrange(t);
  const checks = [check("one", "../../secret"), check("two", "../../secret-2")];
  const session = { place, history: { heldOut: pinHeldOut(place, repo, checks) } } as unknown as TaskSession;
  const { checks: found, problem } = heldOutNow(session, checks);
  assert.deepEqual([problem, found.map((one) => one.folder)], [null, checks.map((one) => heldOutFolder(place, one))]);
  assert.deepEqual(
    found.map(({ digest }) => digest),
    Object.values(session.history.heldOut),
  );
  write(folder, { "secret/test.js": "changed" });
  mkdirSync(join(folder, "secret-2/empty"));
  assert.deepEqual(heldOutNow(session, checks), {
    checks: [],
    problem: "the held-out files of one are not those of pass 1",
  });
  const unpinned = { place, history: { heldOut: {} } } as unknown as TaskSession;
  assert.match(heldOutNow(unpinned, checks).problem ?? "", /of one, two are not those/);
});

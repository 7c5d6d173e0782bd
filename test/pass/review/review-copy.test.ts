import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { test } from "node:test";
import { contentBounds } from "../../../lib/git/content-bounds.ts";
import { takeFingerprint } from "../../../lib/git/fingerprint.ts";
import { type CopyPlan, copyRepo, copyTask, isTooBig, planCopy } from "../../../lib/pass/review/review-copy.ts";
import { planReview } from "../../../lib/pass/review/review-pass.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { removeReviewCopies, reviewFolder } from "../../../lib/task/records/work-folder.ts";
import type { TaskPhaseError } from "../../../lib/text/errors.ts";
import { makeWorld, type World } from "../../cli/arrange.ts";

async function planOf(world: World): Promise<CopyPlan> {
  return planCopy(world.path("repo"), await takeFingerprint(world.path("repo"), [], world.env));
}

function list(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

test("a copy holds what the fingerprint counts: no .git, nothing ignored, no task", async (t) => {
  const world = makeWorld(t);
  const repo = world.initRepo({ "a.sh": "one\n", ".gitignore": "*.log\n", "deep/in/b.txt": "two\n" });
  chmodSync(world.path("repo/a.sh"), 0o755);
  world.write("repo/x.log", "ignored\n");
  world.write("repo/new.txt", "untracked\n");
  world.write("repo/tasks/T-1/README.md", "a task\n");
  const plan = planCopy(repo, await takeFingerprint(repo, [world.path("repo/tasks/T-1")], world.env));
  assert.deepEqual([plan.bytes, isTooBig(plan)], [4 + 6 + 4 + 10, false]);
  await copyRepo(plan, world.path("copy"));
  assert.deepEqual(list(world.path("copy")), [".gitignore", "a.sh", "deep", "deep/in", "deep/in/b.txt", "new.txt"]);
  assert.equal(statSync(world.path("copy/a.sh")).mode & 0o777, 0o755);
  world.write("copy/a.sh", "changed\n");
  assert.equal(world.read("repo/a.sh"), "one\n");
});

test("links stay links only where they cannot lead out of the copy", async (t) => {
  const world = makeWorld(t);
  mkdirSync(world.path("repo/a/b"), { recursive: true });
  world.write("repo/file.txt", "real\n");
  for (const [path, target] of [
    ["near", "file.txt"],
    ["a/up", "../file.txt"],
    ["gone", "nothing.txt"],
    ["absolute", world.path("repo/file.txt")],
    ["out", "../secret.txt"],
    ["a/out", "../../secret.txt"],
    ["top", "."],
    ["a/b/root", "../.."],
    // Its words stay inside; the link in them does not.
    ["a/b/sly", "root/../secret.txt"],
  ] as const)
    symlinkSync(target, world.path("repo", path));
  await copyRepo(await planOf(world), world.path("copy"));
  const kinds = ["near", "a/up", "gone", "top", "a/b/root", "absolute", "out", "a/out", "a/b/sly"].map((path) => {
    const copied = world.path("copy", path);
    return [path, lstatSync(copied).isSymbolicLink() ? readlinkSync(copied) : world.read(`copy/${path}`)];
  });
  const said = (target: string) => `a link to ${target}, which is not part of this copy\n`;
  assert.deepEqual(kinds, [
    ["near", "file.txt"],
    ["a/up", "../file.txt"],
    ["gone", "nothing.txt"],
    ["top", "."],
    ["a/b/root", "../.."],
    ["absolute", said(world.path("repo/file.txt"))],
    ["out", said("../secret.txt")],
    ["a/out", said("../../secret.txt")],
    ["a/b/sly", said("root/../secret.txt")],
  ]);
});

test("a pipe is reported, and never waited for", async (t) => {
  const world = makeWorld(t);
  mkdirSync(world.path("repo"));
  execFileSync("mkfifo", [world.path("repo/pipe")]);
  await copyRepo(await planOf(world), world.path("copy"));
  assert.equal(world.read("copy/pipe"), "a pipe, a socket or a device\n");
});

test("a repo that changes while it is copied is reported, and no reviewer sees the mixture", async (t) => {
  const world = makeWorld(t);
  world.write("repo/a.txt", "one\n");
  const plan = await planOf(world);
  world.write("repo/a.txt", "two\n");
  await assert.rejects(copyRepo(plan, world.path("copy")), (error: TaskPhaseError) => {
    assert.deepEqual([error.exitName, error.findings[0]?.code], ["locked", "TP_REVIEW_MOVED"]);
    assert.match(error.message, /a\.txt changed while it was copied/);
    return true;
  });
});

test("a repo that is too big for copies is known before any is made", () => {
  const plan = { repo: "/r", contents: new Map(), bytes: 0 };
  assert.equal(isTooBig({ ...plan, bytes: contentBounds.bytes }), false);
  assert.equal(isTooBig({ ...plan, bytes: contentBounds.bytes + 1 }), true);
  const many = Array.from(
    { length: contentBounds.files + 1 },
    (_, at) => [`${at}`, { entry: "", from: "repo" }] as const,
  );
  assert.equal(isTooBig({ ...plan, contents: new Map(many) }), true);
});

test("a repo that is too big for copies is a config error that names the key", (t) => {
  const world = makeWorld(t);
  truncateSync(world.write("repo/huge.bin", ""), contentBounds.bytes + 1);
  world.write("tasks/T-1/README.md", "a task\n");
  const session = { place: placeOf(world.path("tasks/T-1")) };
  const fingerprint = { hash: "", entries: new Map([["huge.bin", `file 644 ${"0".repeat(64)}`]]) };
  assert.throws(
    () => planReview(session, world.path("repo"), fingerprint),
    (error: TaskPhaseError) => {
      const [finding] = error.findings;
      assert.deepEqual([error.exitName, finding?.code], ["config", "TP_REVIEW_COPY"]);
      assert.match(finding?.message ?? "", /: 1 files with 1025 MiB; at most 200000 files and 1024 MiB$/);
      assert.match(finding?.fix ?? "", /^remove `review` from the front matter/);
      return true;
    },
  );
});

test("of the task a reviewer gets what people and agents wrote, and the proof; no record of the runner", (t) => {
  const world = makeWorld(t);
  for (const name of ["README.md", "STATE.md", "log.txt", "artifacts/proof/run.txt", "artifacts/journal.jsonl"])
    world.write(`T-1/${name}`, `${name}\n`);
  world.write("T-1/artifacts/passes/0001/prompt.md", "a prompt\n");
  symlinkSync("/etc/passwd", world.path("T-1/TASKS.md"));
  copyTask(placeOf(world.path("T-1")), world.path("copy"));
  assert.deepEqual(list(world.path("copy")), [
    "README.md",
    "STATE.md",
    "artifacts",
    "artifacts/proof",
    "artifacts/proof/run.txt",
  ]);
});

test("leavings of an earlier round are removed, even without any rights on them", (t) => {
  const world = makeWorld(t);
  const folder = reviewFolder(world.folder, 7);
  world.write("review-7/tests/repo/a.txt", "a\n");
  world.write("reviewed.json", "kept\n");
  chmodSync(world.path("review-7/tests/repo"), 0o000);
  assert.deepEqual(removeReviewCopies(world.folder), []);
  assert.deepEqual(
    [world.exists("review-7"), world.exists("reviewed.json"), folder],
    [false, true, world.path("review-7")],
  );
});

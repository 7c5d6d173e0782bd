import assert from "node:assert/strict";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { readCode } from "../../lib/checks/read-code.ts";
import { machineFault } from "../../lib/store/error-code.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { makeWorld } from "../cli/arrange.ts";
import { refusing } from "../store/refused-calls.ts";

/** A repo with a repo in it, and a git that fails `ls-files` as often as asked, with these words. */
function makeCase(t: TestContext) {
  const world = makeWorld(t);
  const repo = world.initRepo({ "a.txt": "a\n", "tasks/T-1/STATE.md": "" });
  world.initRepo({ "b.txt": "b\n", ".gitignore": "kept\n" }, "repo/inner");
  world.write("repo/inner/kept", "ignored\n");
  const real = (process.env.PATH ?? "").split(":").find((folder) => existsSync(`${folder}/git`));
  world.write(
    "bin/git",
    `#!/bin/sh
case "$* " in *" ls-files "*)
  if [ -s "${world.folder}/fails" ]; then
    sed -i 1d "${world.folder}/fails"
    cat "${world.folder}/words" >&2
    exit 128
  fi;;
esac
exec "${real}/git" "$@"
`,
  );
  chmodSync(world.path("bin/git"), 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${world.path("bin")}:${path}`;
  t.after(() => {
    process.env.PATH = path;
  });
  return {
    world,
    read: async (fails: number, words = "fatal: bad object HEAD") => {
      world.write("fails", "x\n".repeat(fails));
      world.write("words", `${words}\n`);
      // So that git is asked.
      world.git("repo", "commit", "-q", "--allow-empty", "-m", "more");
      rmSync(world.path("repo/.git/index"));
      world.git("repo", "reset", "-q");
      return await readCode(repo, placeOf(world.path("repo/tasks/T-1")), "model");
    },
  };
}

const errorOf = async (act: Promise<unknown>): Promise<string> => {
  const error = await act.then(
    () => assert.fail("nothing was thrown"),
    (thrown: unknown) => thrown,
  );
  // What is thrown bare gets its words from the command line.
  const known = machineFault(error) ?? error;
  assert.ok(known instanceof TaskPhaseError, String(error));
  return `${known.exitName} ${known.findings[0]?.code} ${known.message}`;
};

test("git that cannot read the repo once is asked again, and one that never can is tampering", async (t) => {
  const { read } = makeCase(t);
  const whole = await read(0);
  assert.equal(whole.problem, null);
  assert.ok(whole.fingerprint.entries.has("inner/b.txt") && !whole.fingerprint.entries.has("inner/kept"));
  assert.deepEqual(await read(1), whole);
  const broken = await read(100);
  assert.equal(broken.fingerprint.hash, "unreadable");
  assert.match(broken.problem?.detail ?? "", /^git ls-files failed in the repository at \S+: fatal: bad object HEAD$/);
  assert.deepEqual([broken.problem?.path, broken.problem?.guard], [".git", "git"]);
});

test("git that the machine failed is an error, however often it comes", async (t) => {
  const { world, read } = makeCase(t);
  for (const [words, said] of [
    ["fatal: cannot read: Input/output error", "the disk reports an error (EIO)"],
    ["fatal: write error: No space left on device", "the disk is full (ENOSPC)"],
    ["fatal: Disk quota exceeded", "the disk quota is used up (EDQUOT)"],
    ["fatal: write error: File too large", "the file would be larger than allowed (EFBIG)"],
    ['error: open("a"): Too many open files', "too many files are open (EMFILE)"],
    ["fatal: Out of memory, malloc failed", "the machine has no memory left (ENOMEM)"],
  ] as const) {
    const message = `failure TP_DISK cannot run git ls-files in ${world.path("repo")}: ${said}`;
    assert.equal(await errorOf(read(1, words)), message);
  }
  assert.equal(
    await errorOf(read(1, "fatal: unable to create thread: Resource temporarily unavailable")),
    `failure TP_MACHINE git ls-files failed in ${world.path("repo")}: the machine has too many processes (EAGAIN)`,
  );
});

test("a disk that fails while the code is read is an error, and no fact about the code", async (t) => {
  const { read } = makeCase(t);
  const whole = await read(0);
  for (const [call, code, what] of [
    ["mkdtempSync", "ENOSPC", /task-phase-git-/],
    ["symlinkSync", "EDQUOT", /./],
    ["statSync", "EIO", /repo\/\.git\/HEAD$/],
    ["statSync", "EIO", /repo\/inner\/\.git\/HEAD$/],
    ["lstatSync", "EIO", /repo\/inner\/b\.txt$/],
    ["openSync", "EMFILE", /repo\/a\.txt$/],
    ["realpathSync", "EIO", /repo$/],
  ] as const) {
    const error = await refusing(call, code, what, () => errorOf(read(0)));
    assert.match(error, new RegExp(`^failure TP_DISK .*\\(${code}\\)$`), `${call} ${code}`);
  }
  assert.deepEqual(await read(0), whole);
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs, { existsSync, statfsSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { makeTaskWorld } from "../cli/task-world.ts";

const tmpfs = 0x01021994;
const memory = "/dev/shm";
const skip =
  process.platform !== "linux" || !existsSync(memory) || statfsSync(memory).type !== tmpfs
    ? "no tmpfs here"
    : spawnSync("python3", ["--version"]).status !== 0
      ? "no python3, which can map a file"
      : false;

/** Passes, and then, if asked, changes a file of the repo as no time of it shows on a tmpfs. */
const check = `import mmap, os
good = open("good.txt").read() == "good\\n"
if os.path.exists("../map"):
    with open("good.txt", "r+b") as file:
        before = os.stat("good.txt")
        mapped = mmap.mmap(file.fileno(), 0)
        # What was read first is written without a page fault, at which the kernel would set the times.
        assert mapped[0:4] == b"good"
        mapped[0:4] = b"evil"
        mapped.flush()
        mapped.close()
    after = os.stat("good.txt")
    assert (before.st_mtime_ns, before.st_ctime_ns) == (after.st_mtime_ns, after.st_ctime_ns)
raise SystemExit(0 if good else 1)
`;

for (const [where, type, reason] of [
  // The look right after the checks finds it, and they run again.
  ["tmpfs", tmpfs, /^validator tests failed/],
  // Only the last look reads what no time shows.
  ["a file system whose times are trusted", 0xef53, /^the code moved since the accepted verify → review/],
] as const) {
  test(`done does not rest on bytes that a check changed by a shared mapping, on ${where}`, { skip }, async (t) => {
    const [before, statfs] = [process.env.TMPDIR, fs.statfsSync];
    process.env.TMPDIR = memory;
    assert.equal(tmpdir(), memory);
    fs.statfsSync = ((path: string) => Object.assign(statfs(path), { type })) as typeof fs.statfsSync;
    syncBuiltinESMExports();
    t.after(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      fs.statfsSync = statfs;
      syncBuiltinESMExports();
    });
    const world = makeTaskWorld(t);
    const task = await world.taskAt("a", "verify", {
      repo: { "good.txt": "good\n", "check.py": check },
      contract: ["validators: [{ name: tests, command: [python3, check.py], timeout: 30s }]", "proof: { fresh: 0 }"],
    });
    // Without git every file is read anyway.
    world.initRepo({}, "cases/a/repo");
    const propose = (phase: string) =>
      task.propose({ task: { "STATE.md": task.state().replace(/^- Phase: \w+$/m, `- Phase: ${phase}`) } });
    propose("review");
    assert.equal((await task.pass()).to, "review");
    task.propose({
      task: {
        "STATE.md": task
          .state()
          .replace(/^- Phase: \w+$/m, "- Phase: done")
          .replace("Candidate done: no", "Candidate done: yes"),
      },
    });
    world.write("cases/a/map", "");
    const report = await task.pass();
    assert.deepEqual([report.verdict, report.to], ["redirected", "repair"], report.reason);
    assert.match(report.reason, reason);
    assert.equal(world.read("cases/a/repo/good.txt"), "evil\n");
  });
}

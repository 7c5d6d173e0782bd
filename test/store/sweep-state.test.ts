import assert from "node:assert/strict";
import { existsSync, lutimesSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tryLock } from "../../lib/store/lock.ts";
import { sweepState } from "../../lib/store/sweep-state.ts";
import { withFolder } from "./temporary-folder.ts";

const left = ".tp-0123456789abcdef.tmp";
const old = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);

test("old temporary files of killed runs go from every folder of the state folder, once a day", () =>
  withFolder((home) => {
    const folders = ["tasks/a", "tasks/a/copies/blobs", "roots/b", "roots/b/changelog", "repos", "copies", "."];
    const put = (name: string, time = old): string => {
      const path = join(home, name);
      writeFileSync(path, "x");
      utimesSync(path, time, time);
      return path;
    };
    for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
    const stale = folders.map((folder) => put(join(folder, left)));
    const kept = [
      put("tasks/a/.tp-fedcba9876543210.tmp", new Date()),
      put("tasks/a/current.json"),
      put("tasks/a/.tp-x.tmp"),
    ];
    mkdirSync(join(home, "elsewhere"));
    const foreign = put(join("elsewhere", left));
    const link = join(home, "tasks/a/.tp-00000000000000ff.tmp");
    symlinkSync("/etc/hostname", link);
    lutimesSync(link, old, old);
    kept.push(link);
    symlinkSync(join(home, "elsewhere"), join(home, "tasks", "linked"));

    // Somebody else is at it, or was today.
    put("sweep.lock");
    const lock = tryLock(join(home, "sweep.lock"));
    sweepState(home);
    lock?.release();
    put("sweep.lock", new Date());
    sweepState(home);
    assert.deepEqual(
      stale.filter((path) => !existsSync(path)),
      [],
    );

    put("sweep.lock");
    sweepState(home);
    assert.deepEqual(
      stale.filter((path) => existsSync(path)),
      [],
    );
    assert.deepEqual(
      [...kept, foreign].filter((path) => !existsSync(path)),
      [],
    );
  }));

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { tryLock } from "../../lib/store/lock.ts";
import { openPrivateFolder, stateHome, sweepState } from "../../lib/store/state-home.ts";
import { isRoot, withFolder } from "./temporary-folder.ts";

describe("stateHome", () => {
  it("follows XDG_STATE_HOME where that is absolute, else stands under the home folder", () => {
    assert.deepEqual(
      [{ XDG_STATE_HOME: "/x" }, { XDG_STATE_HOME: "x" }, { XDG_STATE_HOME: "" }, {}].map((env) =>
        stateHome(env, "/home/a"),
      ),
      ["/x/task-phase", ...Array(3).fill("/home/a/.local/state/task-phase")],
    );
  });
});

describe("openPrivateFolder", () => {
  it("makes every missing folder for this user alone, whatever the umask", () =>
    withFolder((folder) => {
      openPrivateFolder(join(folder, "a", "b"));
      openPrivateFolder(join(folder, "a", "b"));
      assert.deepEqual(
        [join(folder, "a"), join(folder, "a", "b")].map((path) => statSync(path).mode & 0o777),
        [0o700, 0o700],
      );
    }));

  it("takes the rights of others away", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      mkdirSync(path);
      chmodSync(path, 0o777);
      openPrivateFolder(path);
      assert.equal(statSync(path).mode & 0o777, 0o700);
    }));

  it("refuses a link, a file and a path through a file", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "real"));
      symlinkSync("real", join(folder, "link"));
      writeFileSync(join(folder, "file"), "");
      assert.throws(() => openPrivateFolder(join(folder, "link")), { message: /there is a link$/ });
      assert.throws(() => openPrivateFolder(join(folder, "file")), { message: /it is not a folder$/ });
      assert.throws(() => openPrivateFolder(join(folder, "file", "in")), { message: /ENOTDIR/ });
    }));

  it("refuses a folder of another user", { skip: !isRoot }, () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      mkdirSync(path);
      execFileSync("chown", ["65534", path]);
      assert.throws(() => openPrivateFolder(path), { message: /it belongs to user 65534, not to 0$/ });
    }),
  );
});

const left = ".tp-0123456789abcdef.tmp";
const old = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);

test("old temporary files of killed runs go from every folder of the state folder, once a day", () =>
  withFolder((home) => {
    const folders = [
      "tasks/a",
      "tasks/a/copies/blobs",
      "roots/b",
      "roots/b/changelog",
      "roots/b/loops/c",
      "repos",
      "copies",
      ".",
    ];
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

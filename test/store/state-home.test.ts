import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openPrivateFolder, stateHome } from "../../lib/store/state-home.ts";
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

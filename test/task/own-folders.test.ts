import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requireOwnFolders, requireWritable } from "../../lib/task/own-folders.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { write } from "../git/git-repo.ts";
import { isRoot, withFolder } from "../store/temporary-folder.ts";

test("the runner's folders may be missing, and are nothing but folders", () =>
  withFolder((folder) => {
    for (const name of ["none", "real", "file", "link"]) mkdirSync(join(folder, name));
    mkdirSync(join(folder, "real/artifacts/passes"), { recursive: true });
    write(folder, { "file/artifacts/passes": "x" });
    symlinkSync(join(folder, "real/artifacts"), join(folder, "link/artifacts"));
    const asked = (name: string) => () => requireOwnFolders(placeOf(join(folder, name)));
    for (const name of ["none", "real"]) assert.doesNotThrow(asked(name));
    assert.throws(asked("file"), /^TaskPhaseError: this is not a folder; a folder is expected$/);
    assert.throws(asked("link"), /^TaskPhaseError: this is a symbolic link; a folder is expected$/);
  }));

test("a task folder without write permission is refused before a model is paid for", { skip: isRoot }, () =>
  withFolder((folder) => {
    const place = placeOf(join(folder, "T-1"));
    mkdirSync(place.artifacts, { recursive: true });
    const asked = () => requireWritable(place);
    assert.doesNotThrow(asked);
    for (const [path, mode] of [
      [place.taskDir, 0o500],
      [place.artifacts, 0o600],
    ] as const) {
      chmodSync(path, mode);
      assert.throws(asked, /the task folder cannot be written to: permission is denied/);
      chmodSync(path, 0o700);
    }
  }),
);

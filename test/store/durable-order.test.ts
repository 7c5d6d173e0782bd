import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { appendDurably } from "../../lib/store/append-file.ts";
import { makeFolder } from "../../lib/store/folder.ts";
import { isLocked, tryLock } from "../../lib/store/lock.ts";
import { createFile, putFile } from "../../lib/store/put-file.ts";
import { makeEntry, saveTree } from "../../lib/store/replace-entry.ts";
import { openSnapshotStore } from "../../lib/store/snapshot.ts";
import { copyFile } from "../../lib/store/temporary-file.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { recordDisk } from "./recorded-disk.ts";
import { isDiskError } from "./refused-calls.ts";
import { withFolder } from "./temporary-folder.ts";

const temporary = ".tp-*.tmp";
const failWith = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

describe("the order in which a write becomes durable", () => {
  it("of a whole file: its bytes, then its name, then the folder", () =>
    withFolder((folder) => {
      const calls = recordDisk(folder, () => putFile(join(folder, "a"), "new"));
      assert.deepEqual(calls, [
        `open ${temporary}`,
        `write ${temporary}`,
        `fsync ${temporary}`,
        `rename ${temporary} a`,
        "fsync .",
      ]);
    }));

  it("of a whole file whose bytes wait in another folder: the folder that gets the name is the durable one", () =>
    withFolder((folder) => {
      for (const name of ["task", "state"]) mkdirSync(join(folder, name));
      const path = join(folder, "task", "a");
      const calls = recordDisk(folder, () => putFile(path, "new", { temporaryIn: join(folder, "state") }));
      assert.deepEqual(calls.slice(2), [`fsync state/${temporary}`, `rename state/${temporary} task/a`, "fsync task"]);
    }));

  it("of a file that nobody else made: a link, which never replaces anything, in place of the rename", () =>
    withFolder((folder) => {
      const calls = recordDisk(folder, () => createFile(join(folder, "a"), "new"));
      assert.deepEqual(calls.slice(2), [`fsync ${temporary}`, `link ${temporary} a`, `unlink ${temporary}`, "fsync ."]);
    }));

  it("of such a file on a disk without hard links: its bytes, then the folder", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      const noLinks = (call: string): void => {
        if (call.startsWith("link")) failWith("EPERM");
      };
      const calls = recordDisk(folder, () => assert.equal(createFile(path, "new"), true), noLinks);
      assert.deepEqual(calls.slice(3), [
        `link ${temporary} a`,
        "open a",
        "write a",
        "fsync a",
        `unlink ${temporary}`,
        "fsync .",
      ]);
      assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["new", ["a"]]);
    }));

  it("of folders: each in the one above, from the top down", () =>
    withFolder((folder) => {
      const calls = recordDisk(folder, () => makeFolder(join(folder, "a", "b")));
      assert.deepEqual(calls, ["mkdir a", "fsync .", "mkdir a/b", "fsync a"]);
    }));

  it("of an addition: the bytes, and the folder only if the file is new", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      assert.deepEqual(
        [1, 2].map(() => recordDisk(folder, () => appendDurably(path, "x"))),
        [
          ["open a", "write a", "fsync a", "fsync ."],
          ["open a", "write a", "fsync a"],
        ],
      );
    }));

  it("of an addition that the disk refused: the file is cut back, and that is durable too", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      writeFileSync(path, "old");
      let refused = false;
      const calls = recordDisk(
        folder,
        () => assert.throws(() => appendDurably(path, "more"), isDiskError),
        (call) => {
          if (call !== "fsync a" || refused) return;
          refused = true;
          failWith("EIO");
        },
      );
      assert.deepEqual(calls, ["open a", "write a", "fsync a", "ftruncate a", "fsync a"]);
      assert.equal(readFileSync(path, "utf8"), "old");
    }));

  it("of a copy: as of a whole file", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, "from"), "bytes");
      const [from, to] = ["from", "to"].map((name) => Buffer.from(join(folder, name)));
      assert.ok(from !== undefined && to !== undefined);
      const expect = { sha256: sha256("bytes"), mode: 0o644 };
      const calls = recordDisk(folder, () => assert.equal(copyFile(from, to, expect), true));
      assert.deepEqual(calls, [
        `open ${temporary}`,
        `write ${temporary}`,
        `fsync ${temporary}`,
        `rename ${temporary} to`,
        "fsync .",
      ]);
    }));

  it("of what is kept aside: bytes, then the folder", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "kept"));
      writeFileSync(join(folder, "a"), "bytes");
      const calls = recordDisk(folder, () => saveTree(Buffer.from(join(folder, "a")), join(folder, "kept", "a"), null));
      assert.deepEqual(calls, ["open kept/a", "write kept/a", "fsync kept/a", "fsync kept"]);
    }));

  it("of a folder or a link that is made again: the folder that it is in", () =>
    withFolder((folder) => {
      const made = recordDisk(folder, () => {
        makeEntry(Buffer.from(join(folder, "a")), { type: "folder", mode: 0o755 });
        makeEntry(Buffer.from(join(folder, "a", "link")), { type: "link", mode: 0, target: "x" });
      });
      assert.deepEqual(made, ["mkdir a", "chmod a", "fsync .", "symlink a/link", "fsync a"]);
    }));

  it("of a snapshot: each copy, and the folder of those that the pool had", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "work"));
      writeFileSync(join(folder, "work", "a"), "bytes");
      const digest = sha256("bytes");
      const record = (name: string): readonly string[] => {
        const store = openSnapshotStore(join(folder, name), { pool: join(folder, "pool") });
        return recordDisk(folder, () => store.record([join(folder, "work")], { skip: () => false }));
      };
      const folders = (name: string): string[] => [`mkdir ${name}`, "fsync .", `mkdir ${name}/blobs`, `fsync ${name}`];
      assert.deepEqual(record("first"), [
        ...folders("first"),
        "mkdir pool",
        "fsync .",
        `open first/blobs/${temporary}`,
        `write first/blobs/${temporary}`,
        `fsync first/blobs/${temporary}`,
        `rename first/blobs/${temporary} first/blobs/${digest}`,
        "fsync first/blobs",
        `link first/blobs/${digest} pool/${digest}`,
      ]);
      assert.deepEqual(record("second"), [
        ...folders("second"),
        `link pool/${digest} second/blobs/${digest}`,
        "fsync second/blobs",
      ]);
    }));
});

describe("a disk that refuses", () => {
  it("to make a folder durable fails the write, unless its file system knows no such thing", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      const put = (code: string): readonly string[] =>
        recordDisk(
          folder,
          () => putFile(path, code),
          (call) => {
            if (call === "fsync .") failWith(code);
          },
        );
      for (const code of ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EISDIR", "EBADF"]) {
        put(code);
        assert.equal(readFileSync(path, "utf8"), code);
      }
      assert.throws(() => put("EIO"), isDiskError);
    }));

  for (const step of [`open ${temporary}`, `write ${temporary}`, `fsync ${temporary}`, `rename ${temporary} a`]) {
    it(`at "${step}" leaves the old file whole and nothing beside it`, () =>
      withFolder((folder) => {
        const path = join(folder, "a");
        writeFileSync(path, "old");
        const put = (): void => putFile(path, "new");
        assert.throws(
          () => recordDisk(folder, put, (call) => (call === step ? failWith("EIO") : undefined)),
          isDiskError,
        );
        assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["old", ["a"]]);
      }));
  }

  for (const step of ["write a", "fsync a"]) {
    it(`at "${step}" of a file made in place, without hard links, leaves none`, () =>
      withFolder((folder) => {
        const make = (): unknown => createFile(join(folder, "a"), "new");
        const refuse = (call: string): void => {
          if (call.startsWith("link")) failWith("ENOTSUP");
          if (call === step) failWith("EIO");
        };
        assert.throws(() => recordDisk(folder, make, refuse), isDiskError);
        assert.deepEqual(readdirSync(folder), []);
      }));
  }

  it("hard links for a reason of its own fails the write", () =>
    withFolder((folder) => {
      const make = (): unknown => createFile(join(folder, "a"), "new");
      const refuse = (call: string): void => {
        if (call.startsWith("link")) failWith("EIO");
      };
      assert.throws(() => recordDisk(folder, make, refuse), isDiskError);
      assert.deepEqual(readdirSync(folder), []);
    }));

  it("a name that another took in between leaves the file of the other", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      const another = (call: string): void => {
        if (call.startsWith("link")) writeFileSync(path, "theirs");
      };
      recordDisk(folder, () => assert.equal(createFile(path, "new"), false), another);
      assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["theirs", ["a"]]);
    }));

  it("hard links, if another was faster: the file of the other is left", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      const another = (call: string): void => {
        if (call.startsWith("link")) {
          symlinkSync("nowhere", path);
          failWith("EPERM");
        }
      };
      recordDisk(folder, () => assert.equal(createFile(path, "new"), false), another);
      rmSync(path);
      assert.deepEqual(readdirSync(folder), []);
    }));
});

describe("the store", { skip: process.platform !== "linux" }, () => {
  it("leaves no descriptor open, also where the disk refuses", () =>
    withFolder((folder) => {
      const open = (): number => readdirSync("/proc/self/fd").length;
      const at = (name: string): string => join(folder, name);
      const work = (): void => {
        rmSync(at("work"), { recursive: true, force: true });
        makeFolder(at("work/kept"));
        putFile(at("work/a"), "bytes");
        createFile(at("work/b"), "bytes");
        appendDurably(at("work/a"), "more");
        saveTree(Buffer.from(at("work/a")), at("work/kept/a"), null);
        const store = openSnapshotStore(at("work/copies"));
        const manifest = store.record([at("work/a")], { skip: () => false });
        putFile(at("work/a"), "changed");
        for (const change of store.compare(manifest, { skip: () => false })) store.restore(change, null);
        const lock = tryLock(at("work/lock"));
        try {
          assert.equal(tryLock(at("work/lock")), null);
          assert.equal(isLocked(at("work/lock")), true);
        } finally {
          lock?.release();
        }
      };
      work();
      const before = open();
      const calls = recordDisk(folder, work);
      assert.equal(open(), before);
      for (const index of calls.keys()) {
        let left = index;
        const refuse = (): void => {
          if (left === 0) failWith("EIO");
          left -= 1;
        };
        try {
          recordDisk(folder, work, refuse);
        } catch {
          // Most calls fail the work; those that do not must leave nothing open either.
        }
        assert.equal(open(), before, calls[index]);
      }
    }));
});

import assert from "node:assert/strict";
import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as v from "valibot";
import { readCacheFile, writeCacheFile } from "../../lib/store/cache-file.ts";
import { storeError } from "../../lib/store/error-code.ts";
import { leadsToFolder, makeFolder, realOr, realOrNull, statEntry, syncFolder } from "../../lib/store/folder.ts";
import { hashFile, hashLooked } from "../../lib/store/hash-file.ts";
import { createFile, putFile } from "../../lib/store/put-file.ts";
import { openRegularFile, readJsonFile, readRegularFile } from "../../lib/store/read-file.ts";
import { inWritableFolder, removeEntry, saveTree } from "../../lib/store/replace-entry.ts";
import { listSetIds } from "../../lib/store/set-id.ts";
import { openSnapshotStore } from "../../lib/store/snapshot.ts";
import { openPrivateFolder } from "../../lib/store/state-home.ts";
import { hasDebris, removeDebris } from "../../lib/store/temporary-file.ts";
import { listFolder, listReadable, walkTree } from "../../lib/store/walk.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { recordDisk } from "./recorded-disk.ts";
import { isDiskError, refusing } from "./refused-calls.ts";
import { withFolder } from "./temporary-folder.ts";

const all = { skip: () => false };
const debris = ".tp-0123456789abcdef.tmp";

/** The message of the TP_DISK error that it throws; what else is thrown goes on. */
function diskProblem(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (isDiskError(error)) return error.message;
    throw error;
  }
}

describe("a look", () => {
  test("that the system refuses is an error, and no missing file", () =>
    withFolder((folder) => {
      const look = (code: string) => refusing("lstatSync", code, /file$/, () => statEntry(join(folder, "file")));
      assert.throws(() => look("EACCES"), { code: "EACCES" });
      assert.equal(look("ENOTDIR"), null);
      const open = () => refusing("lstatSync", "EACCES", /file$/, () => openPrivateFolder(join(folder, "file")));
      assert.match(diskProblem(open) ?? "", /^cannot look at .*file: permission is denied \(EACCES\)$/);
    }));

  test("for a folder finds one, also behind a link, and nothing else", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, "file"), "");
      symlinkSync(".", join(folder, "link"));
      symlinkSync("file", join(folder, "other"));
      assert.deepEqual(
        [".", "link", "file", "other", "gone"].map((name) => leadsToFolder(join(folder, name))),
        [true, true, false, false, false],
      );
    }));

  test("through links ends where they lead, or at the path itself", () =>
    withFolder((folder) => {
      symlinkSync(folder, join(folder, "here"));
      symlinkSync("nowhere", join(folder, "gone"));
      assert.deepEqual(
        [realOrNull(join(folder, "here")), realOr(join(folder, "here"))],
        [realOr(folder), realOr(folder)],
      );
      assert.deepEqual([realOrNull(join(folder, "gone")), realOr(join(folder, "gone"))], [null, join(folder, "gone")]);
    }));
});

describe("making a folder", () => {
  test("goes on if another process was faster, and tells anything else in its place", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "ready"));
      const make = (code: string, meanwhile: (path: string) => void) => {
        const path = join(folder, code, "b");
        const test = (named: string) => {
          if (named !== path) return false;
          meanwhile(path);
          return true;
        };
        return refusing("mkdirSync", code, { test }, () => diskProblem(() => makeFolder(path)));
      };
      assert.equal(
        make("EEXIST", (path) => renameSync(join(folder, "ready"), path)),
        null,
      );
      assert.equal(make("EROFS", () => {})?.replace(/.*: /, ""), "the file system is read-only (EROFS)");
      rmSync(join(folder, "EEXIST"), { recursive: true });
      const message = make("EEXIST", (path) => writeFileSync(path, ""));
      assert.equal(message?.replace(/.*: /, ""), "a part of the path is not a folder (ENOTDIR)");
    }));

  test("is durable where folders can be synced, and goes on where they cannot", () =>
    withFolder((folder) => {
      for (const code of ["EINVAL", "ENOTSUP", "EPERM"]) refusing("fsyncSync", code, /./, () => syncFolder(folder));
      assert.throws(() => refusing("fsyncSync", "EIO", /./, () => syncFolder(folder)), { code: "EIO" });
    }));
});

describe("a file that cannot be read", () => {
  test("is named as such by every reader", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      writeFileSync(path, "bytes");
      const looked = lstatSync(path);
      const readers = [
        ["lstatSync", () => openRegularFile(path)],
        ["openSync", () => openRegularFile(path)],
        ["fstatSync", () => openRegularFile(path)],
        ["readSync", () => readRegularFile(path, 10)],
        ["readSync", () => hashFile(path)],
        ["readSync", () => hashLooked(path, looked)],
      ] as const;
      for (const [call, read] of readers)
        assert.deepEqual(
          refusing(call, "EACCES", /./, () => read()),
          { kind: "unreadable", code: "EACCES" },
        );
      assert.equal(hashFile(path).kind, "file");
    }));

  test("by a fault of the machine is an error to every reader, and no fact; a cache may be missing", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      writeFileSync(path, "bytes");
      const readers = [
        ["lstatSync", () => readRegularFile(path, 10)],
        ["openSync", () => openRegularFile(path)],
        ["fstatSync", () => hashFile(path)],
        ["readSync", () => hashFile(path)],
      ] as const;
      for (const [call, read] of readers)
        for (const [code, words] of [
          ["EIO", "the disk reports an error"],
          ["EMFILE", "too many files are open"],
          ["Unknown system error -122", "the disk quota is used up"],
        ] as const)
          assert.equal(
            refusing(call, code, /./, () => diskProblem(() => read()))?.replace(/ \(\w+\)$/, ""),
            `cannot read ${path}: ${words}`,
          );
      const cache = { path: join(folder, "cache"), key: [1], mostBytes: 200 };
      assert.equal(writeCacheFile(cache, ["bytes"]), true);
      assert.equal(
        refusing("readSync", "EIO", /./, () => readCacheFile(cache)),
        null,
      );
      assert.equal(readCacheFile(cache)?.toString(), "bytes");
    }));

  test("is kept as a text that names the failure", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, "file"), "bytes");
      const keep = () => saveTree(Buffer.from(join(folder, "file")), join(folder, "kept"), null);
      refusing("openSync", "EACCES", /\/file$/, keep);
      assert.equal(readFileSync(join(folder, "kept"), "utf8"), "a file that could not be read\n");
      assert.equal(keep(), join(folder, "kept.2"));
      assert.equal(readFileSync(join(folder, "kept.2"), "utf8"), "bytes");
    }));

  test("is recorded without a digest if this user may not, and is an error otherwise", () =>
    withFolder((folder) => {
      const path = join(folder, "task/file");
      mkdirSync(join(folder, "task"));
      writeFileSync(path, "bytes");
      const store = openSnapshotStore(join(folder, "store"));
      const entry = (code: string) =>
        refusing("openSync", code, /task\/file$/, () => store.record([join(folder, "task")], all)).entries[path];
      for (const code of ["EACCES", "EPERM"]) assert.equal(entry(code)?.sha256, undefined);
      assert.match(diskProblem(() => entry("EIO")) ?? "", /^cannot read .*task\/file/);
    }));
});

describe("a folder that cannot be read", () => {
  test("has no contents to anybody if this user may not, and is an error otherwise", () =>
    withFolder((folder) => {
      const task = join(folder, "task");
      mkdirSync(task);
      writeFileSync(join(task, "file"), "bytes");
      const store = openSnapshotStore(join(folder, "store"));
      const record = (code: string) =>
        Object.keys(refusing("readdirSync", code, /task$/, () => store.record([task], all)).entries).filter((path) =>
          path.startsWith(task),
        );
      for (const code of ["EACCES", "EPERM"]) assert.deepEqual(record(code), [task]);
      assert.match(diskProblem(() => record("EIO")) ?? "", /^cannot read .*task: the disk reports an error/);
    }));

  test("is none, is passed over, or is in the list itself, as each walk promises", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "a/.git"), { recursive: true });
      writeFileSync(join(folder, "a/file"), "");
      writeFileSync(join(folder, "a/.git/file"), "");
      const path = Buffer.from(join(folder, "a"));
      const list = (code: string) => refusing("readdirSync", code, /\/a$/, () => listFolder(path).length);
      assert.deepEqual([list("ENOENT"), list("ENOTDIR")], [0, 0]);
      assert.throws(() => list("EACCES"), { code: "EACCES" });
      assert.deepEqual(
        refusing("readdirSync", "EACCES", /\/a$/, () => listReadable(String(path))),
        [],
      );
      const walk = () => walkTree(Buffer.from(folder)).map(String);
      assert.deepEqual(refusing("readdirSync", "EACCES", /\/a$/, walk), ["a"]);
      assert.deepEqual(walk(), ["a/file"]);
    }));
});

describe("a change in a folder without rights", () => {
  const refused = (code: string) => Object.assign(new Error(code), { code });

  /** How often it was done, and the mode of the folder in the second turn and afterwards. */
  function change(folder: string, mode: number, error: Error) {
    const path = join(folder, "locked");
    mkdirSync(path, { recursive: true });
    chmodSync(path, mode);
    const seen: number[] = [];
    const act = () => {
      seen.push(statSync(path).mode & 0o7777);
      if (seen.length === 1) throw error;
    };
    let thrown: unknown = null;
    try {
      inWritableFolder(Buffer.from(path), act);
    } catch (problem) {
      thrown = problem;
    }
    return [...seen, statSync(path).mode & 0o7777, thrown === null ? "done" : thrown === error ? "thrown" : "other"];
  }

  test("is done with the rights of a moment, which are taken away again", () =>
    withFolder((folder) => {
      const inside = Object.assign(new Error("outer"), { cause: refused("EACCES") });
      for (const error of [refused("EACCES"), refused("EPERM"), inside])
        assert.deepEqual(change(folder, 0o555, error), [0o555, 0o755, 0o555, "done"]);
    }));

  test("is an error if rights are not what is missing", () =>
    withFolder((folder) => {
      assert.deepEqual(change(folder, 0o555, refused("EIO")), [0o555, 0o555, "thrown"]);
      assert.deepEqual(change(folder, 0o755, refused("EACCES")), [0o755, 0o755, "thrown"]);
      assert.deepEqual(change(folder, 0o355, refused("EPERM")), [0o355, 0o355, "thrown"]);
    }));

  test("removes a whole folder, whatever the rights of those in it", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "a/b"), { recursive: true });
      writeFileSync(join(folder, "a/b/file"), "");
      chmodSync(join(folder, "a/b"), 0o000);
      removeEntry(Buffer.from(join(folder, "a")));
      removeEntry(Buffer.from(join(folder, "a")));
      assert.deepEqual(readdirSync(folder), []);
    }));
});

describe("no call is made twice", () => {
  test("a file that is there is not made again, and its owner not set to what it is", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      assert.equal(createFile(path, "one"), true);
      assert.deepEqual(
        recordDisk(folder, () => assert.equal(createFile(path, "two"), false)),
        [],
      );
      const given: string[] = [];
      const test = (descriptor: string) => given.push(descriptor) > 0;
      refusing("fchownSync", "EPERM", { test }, () => putFile(path, "three"));
      assert.deepEqual([given, readFileSync(path, "utf8")], [[], "three"]);
    }));

  test("bytes that are kept are not copied again, and what is as it was is not put back", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      writeFileSync(path, "bytes");
      const store = openSnapshotStore(join(folder, "store"));
      const manifest = store.record([path], all);
      const blob = join("store", "blobs", sha256("bytes"));
      const calls = recordDisk(folder, () => store.record([path], all));
      assert.deepEqual(
        calls.filter((call) => call.includes("blobs/")),
        [],
      );
      assert.ok(existsSync(join(folder, blob)));
      writeFileSync(path, "other");
      const [change] = store.compare(manifest, all);
      writeFileSync(path, "bytes");
      store.restore(change ?? assert.fail(), join(folder, "kept"));
      assert.equal(existsSync(join(folder, "kept")), false);
    }));

  test("an error that says what the disk refused is passed on as it is", () => {
    const first = storeError("write", "/a", Object.assign(new Error("full"), { code: "ENOSPC" }));
    assert.equal(storeError("keep", "/b", first), first);
    assert.match(first.message, /^cannot write \/a: the disk is full \(ENOSPC\)$/);
  });
});

test("JSON is read whole and of its shape, or reported with what is wrong", () =>
  withFolder((folder) => {
    const path = join(folder, "a.json");
    const read = (text: string) => {
      writeFileSync(path, text);
      return readJsonFile(path, v.object({ a: v.number() }), 20);
    };
    assert.deepEqual(readJsonFile(path, v.number(), 20), { kind: "missing" });
    assert.deepEqual(read('{"a":1}'), { kind: "read", value: { a: 1 } });
    assert.equal(read('{"a":"1"}').kind, "wrong");
    const problem = (kind: string) => ({
      kind: "wrong",
      problem: `expected a regular file that can be read, found ${kind}`,
    });
    assert.deepEqual(read(" ".repeat(21)), problem("too big"));
    assert.deepEqual(readJsonFile(folder, v.number(), 20), problem("folder"));
  }));

describe("half-written files", () => {
  test("are seen in a folder, and in nothing else", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "a"));
      assert.equal(hasDebris(join(folder, "a")), false);
      writeFileSync(join(folder, "a", debris), "");
      symlinkSync("a", join(folder, "link"));
      assert.deepEqual(
        ["a", "link", "gone", join("a", debris)].map((name) => hasDebris(join(folder, name))),
        [true, false, false, false],
      );
    }));

  test("are removed from a folder, and nothing from one that is gone", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, debris), "");
      mkdirSync(join(folder, ".tp-fedcba9876543210.tmp"));
      removeDebris(folder);
      removeDebris(join(folder, "gone"));
      assert.deepEqual(readdirSync(folder), [".tp-fedcba9876543210.tmp"]);
      const clean = () => refusing("readdirSync", "EIO", /./, () => removeDebris(folder));
      assert.match(diskProblem(clean) ?? "", /^cannot clean /);
    }));
});

describe("a disk that lies", () => {
  /** Runs with this call in the place of the disk's own. */
  const instead = (name: "writeSync" | "readSync", call: (...values: never[]) => number, act: () => unknown) => {
    const before = fs[name];
    Reflect.set(fs, name, call);
    syncBuiltinESMExports();
    try {
      return diskProblem(act);
    } finally {
      Reflect.set(fs, name, before);
      syncBuiltinESMExports();
    }
  };

  test("about what it wrote puts no file in place", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      putFile(path, "old");
      const put = () => putFile(path, "newer");
      const whole = instead("writeSync", (_fd: number, bytes: Buffer) => bytes.length, put);
      assert.match(whole ?? "", /expected 5 bytes after writing, found 0/);
      assert.match(instead("writeSync", () => 0, put) ?? "", /the system wrote nothing/);
      assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["old", ["file"]]);
    }));

  test("about a file at each look is reported as a changing file", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      writeFileSync(path, "bytes");
      const read = fs.readSync as (...values: unknown[]) => number;
      let looks = 0;
      const other = (...values: [number, Buffer, ...unknown[]]) => {
        const count = read(...values);
        looks += 1;
        values[1].writeUInt8(looks % 256, values[2] as number);
        return count;
      };
      const store = openSnapshotStore(join(folder, "store"));
      const record = () => store.record([path], all);
      assert.match(
        instead("readSync", other as never, record) ?? "",
        /^cannot copy .*it changes while it is being read/,
      );
      assert.deepEqual(readdirSync(join(folder, "store/blobs")), []);
    }));
});

test("a small tree is looked through in one go, and a large one lets others come in between", async () => {
  for (const [folders, others] of [
    [10, false],
    [70, true],
  ] as const) {
    await withFolder(async (folder) => {
      for (let at = 0; at < folders; at += 1) mkdirSync(join(folder, String(at)));
      let cameIn = false;
      setImmediate(() => {
        cameIn = true;
      });
      await listSetIds([folder]);
      assert.equal(cameIn, others, `${folders} folders`);
    });
  }
});

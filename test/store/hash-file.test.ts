import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hashFile, hashLooked } from "../../lib/store/hash-file.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { countOpenFiles } from "./open-files.ts";
import { refusing } from "./refused-calls.ts";
import { withFolder } from "./temporary-folder.ts";

const chunk = 1 << 18;

test("a file of any size has the digest of its bytes, and each piece is seen once", () =>
  withFolder((folder) => {
    for (const size of [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk]) {
      const path = join(folder, "file");
      const bytes = Buffer.alloc(size, "abc\r\n");
      writeFileSync(path, bytes);
      const pieces: Buffer[] = [];
      const hashed = hashFile(path, (piece) => pieces.push(Buffer.from(piece)));
      const looked = hashLooked(path, lstatSync(path));
      assert.deepEqual([hashed.kind, looked.kind, Buffer.concat(pieces).equals(bytes)], ["file", "file", true]);
      for (const one of [hashed, looked])
        assert.deepEqual(one.kind === "file" && [one.sha256, one.size], [sha256(bytes), size]);
    }
  }));

test("a part of a file has the digest of that part, which may be cut off by the end of the file", () =>
  withFolder((folder) => {
    const path = join(folder, "file");
    writeFileSync(path, "0123456789");
    const part = (from: number, length: number) => {
      const hashed = hashFile(path, undefined, { from, length });
      return hashed.kind === "file" ? [hashed.sha256, hashed.size] : hashed.kind;
    };
    assert.deepEqual(part(2, 3), [sha256("234"), 3]);
    assert.deepEqual(part(8, 5), [sha256("89"), 2]);
    assert.deepEqual(
      [part(0, 0), part(20, 1)],
      [
        [sha256(""), 0],
        [sha256(""), 0],
      ],
    );
  }));

test("a file that grew since it was looked at is read to its end", () =>
  withFolder((folder) => {
    const path = join(folder, "file");
    writeFileSync(path, "a");
    const before = lstatSync(path);
    truncateSync(path, chunk + 1);
    const hashed = hashLooked(path, before);
    assert.equal(hashed.kind === "file" && hashed.size, chunk + 1);
  }));

test("hashing leaves no file open, even if the read fails", () =>
  withFolder((folder) => {
    writeFileSync(join(folder, "file"), "a");
    const stats = lstatSync(join(folder, "file"));
    const before = countOpenFiles();
    for (let time = 0; time < 20; time += 1) hashLooked(join(folder, "file"), stats);
    refusing("readSync", "EACCES", /^/, () => {
      for (let time = 0; time < 20; time += 1) assert.equal(hashLooked(join(folder, "file"), stats).kind, "unreadable");
    });
    assert(countOpenFiles() < before + 10);
  }));

test("anything but a file is named, and nothing is followed or waited for", () =>
  withFolder((folder) => {
    writeFileSync(join(folder, "file"), "x");
    symlinkSync("file", join(folder, "link"));
    mkdirSync(join(folder, "folder"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    // It was a file when it was looked at.
    const looked = lstatSync(join(folder, "file"));
    for (const [name, kind] of [
      ["none", "missing"],
      ["link", "link"],
      ["folder", "folder"],
      ["pipe", "special"],
    ] as const)
      for (const hash of [hashFile, (path: string) => hashLooked(path, looked)])
        assert.equal(hash(join(folder, name)).kind, kind, name);
  }));

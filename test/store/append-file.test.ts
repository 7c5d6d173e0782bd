import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { appendDurably, syncFile } from "../../lib/store/append-file.ts";
import { recordDisk } from "./recorded-disk.ts";
import { isDiskError, refusing } from "./refused-calls.ts";
import { isRoot, withFolder } from "./temporary-folder.ts";

test("a failed open or sync of a file is an error", () =>
  withFolder((folder) => {
    const path = join(folder, "log");
    assert.throws(() => syncFile(path), isDiskError);
    writeFileSync(path, "one\n");
    assert.throws(() => refusing("fsyncSync", "EIO", /./, () => syncFile(path)), isDiskError);
    syncFile(path);
  }));

describe("appendDurably", () => {
  it("makes the file and then adds to its end", () =>
    withFolder((folder) => {
      const path = join(folder, "log");
      appendDurably(path, "one\n");
      appendDurably(path, Buffer.from("two\n"));
      assert.equal(readFileSync(path, "utf8"), "one\ntwo\n");
    }));

  it("refuses a link, a folder and a pipe, and touches nothing", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, "target"), "as it was");
      symlinkSync("target", join(folder, "link"));
      mkdirSync(join(folder, "folder"));
      execFileSync("mkfifo", [join(folder, "pipe")]);
      for (const name of ["link", "folder", "pipe", "none/log"]) {
        assert.throws(() => appendDurably(join(folder, name), "x"), isDiskError, name);
      }
      // A pipe that somebody reads can be opened.
      const reader = openSync(join(folder, "pipe"), constants.O_RDWR | constants.O_NONBLOCK);
      assert.throws(() => appendDurably(join(folder, "pipe"), "x"), /it is not a regular file/);
      closeSync(reader);
      assert.equal(readFileSync(join(folder, "target"), "utf8"), "as it was");
    }));

  it("leaves what another process wrote in between, if the disk is full then", () =>
    withFolder((folder) => {
      const path = join(folder, "log");
      const append = () => assert.throws(() => appendDurably(path, "one\n"), isDiskError);
      recordDisk(folder, append, (call) => {
        if (call === "open log") execFileSync("sh", ["-c", `printf theirs > "$1"`, "sh", path]);
        if (call === "write log") throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      });
      assert.equal(readFileSync(path, "utf8"), "theirs");
    }));

  it("takes back what a full disk took only in part", { skip: !isRoot }, (test) =>
    withFolder((folder) => {
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
      } catch {
        test.skip("no mounts here");
        return;
      }
      try {
        const path = join(folder, "log");
        appendDurably(path, "kept\n");
        assert.throws(() => appendDurably(path, "x".repeat(100_000)), isDiskError);
        assert.equal(readFileSync(path, "utf8"), "kept\n");
        assert.throws(() => appendDurably(join(folder, "new"), "x".repeat(100_000)), isDiskError);
        assert.deepEqual(readdirSync(folder), ["log"]);
      } finally {
        execFileSync("umount", [folder]);
      }
    }),
  );
});

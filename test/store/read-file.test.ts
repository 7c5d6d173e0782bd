import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readRegularFile } from "../../lib/store/read-file.ts";
import { isRoot, withFolder } from "./temporary-folder.ts";

describe("readRegularFile", () => {
  it("gives the bytes and the mode", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      writeFileSync(path, Buffer.from([0, 255, 10]));
      chmodSync(path, 0o640);
      assert.deepEqual(readRegularFile(path, 3), { kind: "file", bytes: Buffer.from([0, 255, 10]), mode: 0o640 });
      assert.deepEqual(readRegularFile(Buffer.from(path), 2), { kind: "too_big", size: 3 });
    }));

  it("names what is no file, and follows no link", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "folder"));
      writeFileSync(join(folder, "file"), "x");
      symlinkSync("file", join(folder, "link"));
      const kinds = ["none", "file/below", "folder", "link", "link/below"].map(
        (name) => readRegularFile(join(folder, name), 10).kind,
      );
      assert.deepEqual(kinds, ["missing", "missing", "folder", "link", "missing"]);
    }));

  it("does not wait at a pipe, and does not let go who waits at its other end", () =>
    withFolder(async (folder) => {
      const path = join(folder, "pipe");
      execFileSync("mkfifo", [path]);
      const writer = spawn("sh", ["-c", `echo x > '${path}'`]);
      let ended = false;
      writer.on("exit", () => {
        ended = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 60));
      assert.deepEqual(readRegularFile(path, 10), { kind: "special" });
      await new Promise((resolve) => setTimeout(resolve, 40));
      assert.equal(ended, false);
      writer.kill("SIGKILL");
    }));

  it("names a socket and a device as special", () =>
    withFolder(async (folder) => {
      const path = join(folder, "socket");
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      assert.deepEqual(
        [readRegularFile(path, 10), readRegularFile("/dev/null", 10)],
        [{ kind: "special" }, { kind: "special" }],
      );
      await new Promise((resolve) => server.close(resolve));
    }));

  it("does not read a file that is too big, be it sparse", () =>
    withFolder((folder) => {
      const path = join(folder, "sparse");
      writeFileSync(path, "");
      truncateSync(path, 2 ** 40);
      assert.deepEqual(readRegularFile(path, 1 << 20), { kind: "too_big", size: 2 ** 40 });
    }));

  it("reads a file that says its size is zero, up to the bound", () => {
    const read = readRegularFile("/proc/self/status", 1 << 16);
    assert.ok(read.kind === "file" && read.bytes.length > 100);
    assert.equal(readRegularFile("/proc/self/status", 10).kind, "too_big");
  });

  it("says why it may not read", { skip: isRoot }, () =>
    withFolder((folder) => {
      const path = join(folder, "secret");
      writeFileSync(path, "x", { mode: 0 });
      assert.deepEqual(readRegularFile(path, 10), { kind: "unreadable", code: "EACCES" });
    }),
  );

  it("says why a path cannot be one", () => {
    assert.deepEqual(readRegularFile(`/${"x".repeat(5000)}`, 10), { kind: "unreadable", code: "ENAMETOOLONG" });
  });
});

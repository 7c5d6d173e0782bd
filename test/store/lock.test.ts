import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isLocked, tryLock } from "../../lib/store/lock.ts";
import { countOpenFiles } from "./open-files.ts";
import { refusing } from "./refused-calls.ts";
import { withFolder } from "./temporary-folder.ts";

const lockModule = new URL("../../lib/store/lock.js", import.meta.url).href;

const noRoot = process.geteuid?.() === 0 ? false : "only root becomes another user";

/** A process that takes the lock, says so, and holds it until it is killed. */
async function holder(path: string): Promise<{ kill: () => Promise<void> }> {
  const script = `import { tryLock } from ${JSON.stringify(lockModule)};
    process.stdout.write(tryLock(${JSON.stringify(path)}) === null ? "refused" : "held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  assert.equal(said.toString(), "held");
  return {
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe("tryLock", () => {
  it("lets in one holder at a time, in one process too, and leaves the file there", () =>
    withFolder((folder) => {
      const path = join(folder, "lock");
      const first = tryLock(path);
      assert.deepEqual([first !== null, tryLock(path), isLocked(path)], [true, null, true]);
      first?.release();
      first?.release();
      assert.deepEqual([isLocked(path), existsSync(path)], [false, true]);
      const second = tryLock(path);
      assert.notEqual(second, null);
      second?.release();
    }));

  it("is refused while another process holds it, and is free as soon as that one is killed", () =>
    withFolder(async (folder) => {
      const path = join(folder, "lock");
      const other = await holder(path);
      assert.deepEqual([tryLock(path), isLocked(path)], [null, true]);
      await other.kill();
      assert.equal(isLocked(path), false);
      const ours = tryLock(path);
      assert.notEqual(ours, null);
      ours?.release();
    }));

  it("is not kept by a child that goes on living", () =>
    withFolder(async (folder) => {
      const path = join(folder, "lock");
      const ours = tryLock(path);
      const child = spawn("sleep", ["30"], { stdio: "ignore" });
      ours?.release();
      assert.equal(isLocked(path), false);
      child.kill("SIGKILL");
      await once(child, "exit");
    }));

  it("is not fooled by a lock file that was put in the place of a held one", () =>
    withFolder((folder) => {
      const path = join(folder, "lock");
      const held = tryLock(path);
      renameSync(path, join(folder, "moved"));
      const other = tryLock(path);
      assert.deepEqual([other !== null, isLocked(join(folder, "moved"))], [true, true]);
      held?.release();
      other?.release();
    }));

  it("takes the lock of the file at the path, even if it is replaced meanwhile", () =>
    withFolder((folder) => {
      const path = join(folder, "lock");
      writeFileSync(path, "");
      writeFileSync(join(folder, "other"), "");
      const other = statSync(join(folder, "other")).ino;
      let looks = 0;
      // The second look at it comes once it is locked.
      const replace = () => {
        looks += 1;
        if (looks === 2) renameSync(join(folder, "other"), path);
        return false;
      };
      const held = refusing("fstatSync", "EACCES", { test: replace }, () => tryLock(path));
      assert.deepEqual([held !== null, statSync(path).ino, isLocked(path)], [true, other, true]);
      held?.release();
    }));

  it("refuses a link, a pipe and a folder in the place", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, "target"), "");
      symlinkSync("target", join(folder, "link"));
      mkdirSync(join(folder, "folder"));
      execFileSync("mkfifo", [join(folder, "pipe")]);
      const before = countOpenFiles();
      for (const name of ["link", "folder", ...Array.from({ length: 20 }, () => "pipe"), "none/lock"]) {
        assert.throws(() => tryLock(join(folder, name)), { message: new RegExp(`cannot open the lock .*${name}`) });
      }
      assert(countOpenFiles() < before + 10, "what is no lock file is closed");
      assert.throws(() => isLocked(join(folder, "link")), { message: /cannot open the lock/ });
    }));
});

describe("isLocked", () => {
  it("makes nothing where there is nothing", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, "file"), "");
      const paths = ["lock", "none/lock", "file/lock"].map((name) => join(folder, name));
      assert.deepEqual(paths.map(isLocked), [false, false, false], "nor where no folder can be made");
      assert.deepEqual(paths.map(existsSync), [false, false, false]);
    }));

  it(
    "sees the lock of another user, who takes one too where the umask shares files with a group",
    { skip: noRoot },
    () =>
      withFolder(async (folder) => {
        chmodSync(folder, 0o777);
        const path = join(folder, "lock");
        const before = process.umask(0o022);
        try {
          const held = tryLock(path);
          assert.equal(asStranger(path), "true EACCES");
          held?.release();
          assert.equal(asStranger(path), "false EACCES");
          process.umask(0o002);
          const shared = tryLock(join(folder, "shared"));
          assert.equal(asStranger(join(folder, "shared")), "true refused");
          shared?.release();
          assert.equal(asStranger(join(folder, "shared")), "false held");
        } finally {
          process.umask(before);
        }
      }),
  );
});

/** What `isLocked` and `tryLock` say to another user of the group of root, in a process of its own. */
function asStranger(path: string): string {
  const script = `import { isLocked, tryLock } from ${JSON.stringify(lockModule)};
    process.setgroups([]); process.setgid(0); process.setuid(12345);
    const locked = isLocked(${JSON.stringify(path)});
    let took; try { took = tryLock(${JSON.stringify(path)}) === null ? "refused" : "held"; } catch (e) { took = e.cause.code; }
    process.stdout.write(locked + " " + took); process.exit();`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
}

it("a lack of descriptors for the native part is the machine's fault", () =>
  withFolder((folder) => {
    const script = `import { closeSync, openSync } from "node:fs";
      import { tryLock } from ${JSON.stringify(lockModule)};
      const opened = [];
      try { for (;;) opened.push(openSync("/dev/null")); } catch {}
      closeSync(opened.pop());
      try { tryLock(${JSON.stringify(join(folder, "lock"))}); } catch (error) {
        for (const descriptor of opened) closeSync(descriptor);
        process.stdout.write(error.message);
      }`;
    const node = [process.execPath, "--input-type=module", "-e", script];
    const said = execFileSync("/bin/sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...node], { encoding: "utf8" });
    assert.match(said, /^cannot open \S+fs-native-extensions\.node: too many files are open \(EMFILE\)$/);
  }));

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { makeFolder } from "../../lib/store/folder.ts";
import { createFile, editFile, putFile, putOver } from "../../lib/store/put-file.ts";
import { removeDebris } from "../../lib/store/temporary-file.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { type Fault, recordDisk } from "./recorded-disk.ts";
import { isDiskError, refusing } from "./refused-calls.ts";
import { isRoot, withFolder } from "./temporary-folder.ts";

const mode = (path: string): number => statSync(path).mode & 0o7777;

/** A disk of 64 KiB; root only. */
async function withTinyDisk(run: (folder: string) => void): Promise<void> {
  await withFolder((folder) => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
    try {
      run(folder);
    } finally {
      execFileSync("umount", [folder]);
    }
  });
}

function canMount(): boolean {
  if (!isRoot || process.platform !== "linux") return false;
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("putFile", () => {
  it("makes its name durable at once, or hands its folder to those that are synced later", () =>
    withFolder((folder) => {
      const handed: string[] = [];
      const syncs = { add: (path: string) => handed.push(path), sync: () => undefined };
      const syncedBy = (act: () => void) => recordDisk(folder, act).filter((call) => call === "fsync .").length;
      const later = syncedBy(() => putFile(join(folder, "file"), "x", { syncs }));
      const atOnce = syncedBy(() => putFile(join(folder, "file"), "x"));
      assert.deepEqual([handed, atOnce - later], [[folder], 1]);
    }));

  it("puts pieces together, and nothing in the place if one of them cannot be made", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      putFile(path, [Buffer.from("one "), Buffer.alloc(0), Buffer.from("two")]);
      assert.equal(readFileSync(path, "utf8"), "one two");
      function* torn() {
        yield Buffer.from("three");
        throw new Error("no more");
      }
      assert.throws(() => putFile(path, torn()));
      assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["one two", ["file"]]);
      putFile(path, []);
      assert.equal(readFileSync(path, "utf8"), "");
    }));

  it("puts any bytes in place and leaves nothing else in the folder", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
          putFile(path, bytes);
          assert.deepEqual(new Uint8Array(readFileSync(path)), bytes);
          assert.deepEqual(readdirSync(folder), ["a"]);
        }),
        { numRuns: 30 },
      );
      putFile(path, "é\n");
      assert.equal(readFileSync(path, "utf8"), "é\n");
    }));

  it("keeps the mode of the file that was there, and takes a given one exactly", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      writeFileSync(path, "old");
      chmodSync(path, 0o751);
      putFile(path, "new");
      assert.equal(mode(path), 0o751);
      putFile(path, "new", { mode: 0o666 });
      assert.equal(mode(path), 0o666);
      putFile(join(folder, "b"), "new", { mode: 0o777 });
      assert.equal(mode(join(folder, "b")), 0o777);
      putFile(join(folder, "c"), "new");
      assert.equal(mode(join(folder, "c")), 0o666 & ~process.umask());
    }));

  it("replaces a link instead of writing through it, and leaves another name of the file alone", () =>
    withFolder((folder) => {
      const [outside, link, other] = [join(folder, "outside"), join(folder, "link"), join(folder, "other")];
      writeFileSync(outside, "old");
      symlinkSync(outside, link);
      linkSync(outside, other);
      putFile(link, "new");
      putFile(other, "new");
      assert.equal(lstatSync(link).isFile(), true);
      assert.deepEqual(
        [outside, link, other].map((path) => readFileSync(path, "utf8")),
        ["old", "new", "new"],
      );
    }));

  it("fails with TP_DISK, the path and the reason, and leaves nothing behind", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "taken"));
      writeFileSync(join(folder, "taken", "x"), "");
      assert.throws(() => putFile(join(folder, "taken"), "x"), isDiskError);
      assert.throws(
        () => putFile(join(folder, "none", "a"), "x"),
        (error: Error) =>
          isDiskError(error) &&
          error.message.includes(join(folder, "none", "a")) &&
          error.message.endsWith("it does not exist (ENOENT)"),
      );
      assert.deepEqual(readdirSync(folder), ["taken"]);
    }));

  it("keeps the owner of a file that belongs to somebody else", { skip: !isRoot }, () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      writeFileSync(path, "old");
      execFileSync("chown", ["65534:65534", path]);
      putFile(path, "new");
      assert.deepEqual([statSync(path).uid, statSync(path).gid], [65534, 65534]);
    }),
  );

  it("keeps the old file whole on a disk that fills up", { skip: !canMount() }, () =>
    withTinyDisk((folder) => {
      const path = join(folder, "a");
      putFile(path, "old");
      for (const size of [61_441, 65_000, 100_000, 1_000_000]) {
        assert.throws(
          () => putFile(path, "x".repeat(size)),
          (error: Error) => isDiskError(error) && error.message.endsWith("the disk is full (ENOSPC)"),
        );
        assert.throws(() => createFile(join(folder, "b"), "x".repeat(size)), isDiskError);
        assert.deepEqual([readdirSync(folder), readFileSync(path, "utf8")], [["a"], "old"]);
      }
    }),
  );
});

describe("createFile", () => {
  it("makes a file only where nothing stands, be it a link to nowhere", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      symlinkSync(join(folder, "nowhere"), join(folder, "link"));
      assert.deepEqual(
        [createFile(path, "first"), createFile(path, "second"), createFile(join(folder, "link"), "x")],
        [true, false, false],
      );
      assert.equal(readFileSync(path, "utf8"), "first");
      assert.deepEqual([readdirSync(folder), existsSync(join(folder, "nowhere"))], [["a", "link"], false]);
    }));

  it("leaves a file that appears meanwhile, also if its own temporary file was taken for debris", () =>
    withFolder((folder) => {
      const path = join(folder, "a");
      const appears = {
        test: () => {
          writeFileSync(path, "theirs");
          return true;
        },
      };
      for (const code of ["EEXIST", "ENOENT"]) {
        rmSync(path, { force: true });
        assert.equal(
          refusing("linkSync", code, appears, () => createFile(path, "ours")),
          false,
          code,
        );
        assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["theirs", ["a"]]);
      }
    }));

  it("fails with TP_DISK where there is no folder", () =>
    withFolder((folder) => {
      assert.throws(() => createFile(join(folder, "none", "a"), "x"), isDiskError);
    }));
});

describe("putOver", () => {
  const asked = (folder: string, answer: (nth: number) => boolean) => {
    const seen: string[] = [];
    const path = join(folder, "file");
    const put = () =>
      putOver(path, "ours", (there) => {
        seen.push(`${there}`);
        return answer(seen.length);
      });
    return { path, seen, put, now: () => [readFileSync(path, "utf8"), readdirSync(folder)] };
  };

  it("asks about the bytes that are there, and leaves them if the answer is no", () =>
    withFolder((folder) => {
      const { path, seen, put, now } = asked(folder, (nth) => nth < 3);
      assert.deepEqual([put(), seen, now()], [true, ["null"], ["ours", ["file"]]], "there were none");
      writeFileSync(path, "theirs");
      assert.deepEqual([put(), seen, now()], [true, ["null", "theirs"], ["ours", ["file"]]]);
      assert.deepEqual([put(), seen, now()], [false, ["null", "theirs", "ours"], ["ours", ["file"]]]);
    }));

  for (const [title, link] of [
    ["asks again about what was written until they make way", true],
    ["does without on a file system without hard links", false],
  ] as const) {
    it(title, () =>
      withFolder((folder) => {
        for (const takes of [true, false]) {
          const { path, seen, put, now } = asked(folder, (nth) => nth === 1 || takes);
          writeFileSync(path, "theirs");
          const late: Fault = (call) => {
            if (call.startsWith("link ") && !link) throw Object.assign(new Error("none"), { code: "EPERM" });
            if (/^rename \.tp\S+ file$/.test(call) && seen.length === 1) appendFileSync(path, ", and more");
          };
          let placed = false;
          recordDisk(
            folder,
            () => {
              placed = put();
            },
            late,
          );
          assert.deepEqual(
            [placed, ...now()],
            [takes || !link, takes || !link ? "ours" : "theirs, and more", ["file"]],
          );
          assert.deepEqual(seen, link ? ["theirs", "theirs, and more"] : ["theirs"]);
        }
      }),
    );
  }

  it("loses nothing where the bytes cannot be kept", () =>
    withFolder((folder) => {
      const { path, put, now } = asked(folder, () => {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      });
      writeFileSync(path, "theirs");
      assert.throws(put, isDiskError);
      assert.deepEqual(now(), ["theirs", ["file"]]);
    }));

  it("puts the old file back if what was written to it meanwhile cannot be judged", () =>
    withFolder((folder) => {
      const { path, seen, put, now } = asked(folder, (nth) => {
        if (nth === 2) throw Object.assign(new Error("bad"), { code: "EIO" });
        return true;
      });
      writeFileSync(path, "theirs");
      const late: Fault = (call) => {
        if (/^rename \.tp\S+ file$/.test(call) && seen.length === 1) appendFileSync(path, ", and more");
      };
      recordDisk(folder, () => assert.throws(put, isDiskError), late);
      assert.deepEqual(now(), ["theirs, and more", ["file"]]);
    }));
});

describe("makeFolder", () => {
  it("makes what is missing, and nothing where it is there", () =>
    withFolder((folder) => {
      const path = join(folder, "a", "b", "c");
      makeFolder(path);
      makeFolder(path);
      assert.equal(statSync(path).isDirectory(), true);
    }));

  it("goes through a link to a folder, and fails at a file and at a link to nowhere", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, "real"));
      symlinkSync("real", join(folder, "link"));
      symlinkSync("nowhere", join(folder, "dangling"));
      writeFileSync(join(folder, "file"), "");
      makeFolder(join(folder, "link", "in"));
      assert.equal(statSync(join(folder, "real", "in")).isDirectory(), true);
      for (const bad of ["file", "file/in", "dangling", "dangling/in"]) {
        assert.throws(() => makeFolder(join(folder, bad)), isDiskError, bad);
      }
    }));
});

describe("removeDebris", () => {
  it("removes what a killed write left, and nothing else", () =>
    withFolder((folder) => {
      mkdirSync(join(folder, ".tp-0000000000000000.tmp"));
      for (const name of [".tp-0123456789abcdef.tmp", ".tp-0123.tmp", "x.tp-0123456789abcdef.tmp"])
        writeFileSync(join(folder, name), "");
      removeDebris(folder);
      removeDebris(join(folder, "none"));
      assert.deepEqual(readdirSync(folder).sort(), [
        ".tp-0000000000000000.tmp",
        ".tp-0123.tmp",
        "x.tp-0123456789abcdef.tmp",
      ]);
      assert.throws(() => removeDebris(join(folder, ".tp-0123.tmp")), isDiskError);
    }));
});

describe("editFile", () => {
  for (const [title, text] of [
    ["makes a file that is missing", null],
    ["changes one that is there", "theirs"],
    ["changes it again if somebody changed it meanwhile", "theirs"],
  ] as const) {
    it(title, () =>
      withFolder((folder) => {
        const path = join(folder, "file");
        if (text !== null) writeFileSync(path, text);
        const made: string[] = [];
        const change = (before: Buffer | null) => {
          made.push(`${before}`);
          if (title.includes("again") && made.length < 3) appendFileSync(path, "+");
          return `${before}, ours`;
        };
        editFile(path, () => (text === null ? null : readFileSync(path)), change);
        const last = title.includes("again") ? "theirs++" : `${text}`;
        assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], [`${last}, ours`, ["file"]]);
        assert.equal(made.at(-1), last);
      }),
    );
  }

  it("gives up on a file that changes at every try, and leaves it as it is", () =>
    withFolder((folder) => {
      const path = join(folder, "file");
      writeFileSync(path, "");
      let tries = 0;
      const change = () => {
        tries += 1;
        appendFileSync(path, "+");
        return "ours";
      };
      assert.throws(
        () => editFile(path, () => readFileSync(path), change),
        (error) => error instanceof TaskPhaseError && /it changes while it is being written/.test(error.message),
      );
      assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], ["+".repeat(tries), ["file"]]);
    }));
});

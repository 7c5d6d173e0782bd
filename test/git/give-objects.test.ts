import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dropOlder, giveObjects } from "../../lib/git/give-objects.ts";
import { recordDisk } from "../store/recorded-disk.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { write } from "./git-repo.ts";

describe("giving objects from one folder to another", () => {
  const files = { "ab/cd": "loose", "pack/p.pack": "p", "pack/p.idx": "i", "pack/p.keep": "", "pack/tmp_x": "half" };

  it("takes what git named, leaves what is there, and skips anything else", () =>
    withFolder((folder) => {
      const [from, to] = [join(folder, "from"), join(folder, "to")];
      write(from, { ...files, "info/alternates": "x", "abc/d": "x", "ef/01": "new" });
      write(to, { "ef/01": "old" });
      giveObjects(from, to);
      const given = readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      assert.deepEqual(given.map(({ name }) => name).sort(), ["01", "cd", "p.idx", "p.keep", "p.pack"]);
      assert.equal(readFileSync(join(to, "ef/01"), "utf8"), "old");
      assert.equal(statSync(join(to, "ab/cd")).ino, statSync(join(from, "ab/cd")).ino);
      giveObjects(from, to);
    }));

  it("makes a folder again that a clean-up of the repository takes away between", () =>
    withFolder((folder) => {
      const [from, to] = [join(folder, "from"), join(folder, "to")];
      write(from, files);
      mkdirSync(to);
      let isTaken = false;
      const act = () => giveObjects(from, to);
      recordDisk(folder, act, (call) => {
        if (isTaken || !call.startsWith("link ")) return;
        isTaken = true;
        rmdirSync(join(to, "ab"));
      });
      assert.equal(isTaken, true);
      assert.equal(readFileSync(join(to, "ab/cd"), "utf8"), "loose");
    }));

  it("copies for a group that shares the repository, since a link would keep the group of its maker", () =>
    withFolder((folder) => {
      const [from, to] = [join(folder, "from"), join(folder, "to")];
      write(from, files);
      mkdirSync(to);
      chmodSync(to, 0o2770);
      giveObjects(from, to);
      assert.equal(statSync(join(to, "ab")).mode & 0o7777, 0o2770);
      const given = statSync(join(to, "ab/cd"));
      assert.deepEqual([given.mode & 0o777, readFileSync(join(to, "ab/cd"), "utf8")], [0o440, "loose"]);
      assert.notEqual(given.ino, statSync(join(from, "ab/cd")).ino);
      assert.deepEqual(readdirSync(join(to, "ab")), ["cd"]);
    }));

  it("says where it could not write", () =>
    withFolder((folder) => {
      write(folder, files);
      assert.throws(() => giveObjects(folder, join(folder, "none")), /cannot write objects into .*none/);
    }));
});

describe("dropping old objects", () => {
  it("takes out older ones alone, and the folder with the last", () =>
    withFolder((folder) => {
      const objects = join(folder, "objects");
      const age = (name: string, seconds: number) => utimesSync(join(objects, name), seconds, seconds);
      write(objects, { "ab/old": "1", "ab/new": "1" });
      age("ab/old", 1000);
      age("ab/new", 3000);
      dropOlder(objects, new Date(1_000_000));
      assert.deepEqual(readdirSync(join(objects, "ab")).sort(), ["new", "old"]);
      dropOlder(objects, new Date(2_000_000));
      assert.deepEqual(readdirSync(join(objects, "ab")), ["new"]);
      dropOlder(objects, new Date(4_000_000));
      assert.equal(existsSync(objects), false);
      dropOlder(objects, new Date(4_000_000));
    }));
});

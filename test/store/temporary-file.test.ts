import assert from "node:assert/strict";
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  copyFile,
  hasDebris,
  isDebris,
  removeDebris,
  removeQuietly,
  temporaryIn,
  writeTemporary,
  writeWhole,
} from "../../lib/store/temporary-file.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { write } from "../git/git-repo.ts";
import { withFolder } from "./temporary-folder.ts";

test("a half-written file is known by its name, and cleared away with nothing else", () =>
  withFolder((folder) => {
    const left = temporaryIn("");
    assert.deepEqual([left, ".tp-0123.tmp", `${left}x`, `x${left}`].map(isDebris), [true, false, false, false]);
    assert.notEqual(temporaryIn(folder), temporaryIn(folder));
    write(folder, { [left]: "half", mine: "1" });
    const named = temporaryIn(folder);
    mkdirSync(named);
    assert.deepEqual(
      [hasDebris(folder), hasDebris(join(folder, "mine")), hasDebris(join(folder, "none"))],
      [true, false, false],
    );
    removeDebris(folder);
    assert.deepEqual(readdirSync(folder).sort(), [named.slice(folder.length + 1), "mine"]);
    removeDebris(join(folder, "none"));
    assert.throws(() => removeDebris(join(folder, "mine")), /cannot clean .*mine: a part of the path is not a folder/);
    removeQuietly(join(folder, "none"));
  }));

test("a temporary file has the data in pieces and the mode, and none is left of one that failed", () =>
  withFolder((folder) => {
    const options = { mode: 0o640, owner: statSync(folder), durable: true };
    const path = writeTemporary(folder, [Buffer.from("a"), Buffer.from("b")], options);
    assert.deepEqual([readFileSync(path, "utf8"), statSync(path).mode & 0o777], ["ab", 0o640]);
    const plain = writeTemporary(folder, "", { ...options, mode: null });
    assert.deepEqual([readFileSync(plain, "utf8"), statSync(plain).mode & 0o777], ["", 0o666 & ~process.umask()]);
    function* broken() {
      yield Buffer.from("a");
      throw new Error("no more");
    }
    assert.throws(() => writeTemporary(folder, broken(), options), /no more/);
    assert.equal(readdirSync(folder).length, 2);
    assert.throws(() => writeTemporary(join(folder, "none"), "x", options), /ENOENT/);
  }));

test("bytes are appended at the position of a file, or the write is an error", () =>
  withFolder((folder) => {
    const path = join(folder, "file");
    const append = openSync(path, "a");
    for (const text of ["one", "", "ü"]) writeWhole(append, text);
    closeSync(append);
    assert.equal(readFileSync(path, "utf8"), "oneü");
    const inside = openSync(path, "r+");
    assert.throws(() => writeWhole(inside, "x"), /^Error: expected 6 bytes after writing, found 5$/);
    closeSync(inside);
  }));

test("a copy has exactly the expected bytes and rights, or nothing is put in place", () =>
  withFolder((folder) => {
    write(folder, { from: "0123456789", to: "old" });
    chmodSync(join(folder, "from"), 0o600);
    const copy = (from: string, text: string, range: { from: number; length: number } | null = null) => {
      const expect = { sha256: sha256(text), mode: 0o751 };
      return copyFile(Buffer.from(join(folder, from)), Buffer.from(join(folder, "to")), expect, range);
    };
    symlinkSync("from", join(folder, "link"));
    assert.deepEqual([copy("from", "other"), copy("none", ""), copy("link", "0123456789")], [false, false, false]);
    assert.deepEqual([readFileSync(join(folder, "to"), "utf8"), readdirSync(folder).length], ["old", 3]);
    assert.equal(copy("from", "345", { from: 3, length: 3 }), true);
    assert.deepEqual(
      [readFileSync(join(folder, "to"), "utf8"), statSync(join(folder, "to")).mode & 0o777],
      ["345", 0o751],
    );
    assert.equal(readdirSync(folder).length, 3);
    const nowhere = Buffer.from(join(folder, "none/to"));
    assert.throws(
      () => copyFile(Buffer.from(join(folder, "from")), nowhere, { sha256: "", mode: 0o600 }),
      /cannot write .*none\/to: it does not exist/,
    );
  }));

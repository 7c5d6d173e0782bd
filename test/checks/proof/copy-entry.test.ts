import assert from "node:assert/strict";
import { readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeParents, writeFile, writeLink } from "../../../lib/checks/proof/copy-entry.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { countOpenFiles } from "../../store/open-files.ts";
import { refusing } from "../../store/refused-calls.ts";
import { withFolder } from "../../store/temporary-folder.ts";

const file = (text: string, executable = false) => ({ kind: "file", executable, digest: sha256(text) }) as const;
const link = (text: string) => ({ kind: "link", executable: false, digest: sha256(text) }) as const;
const at = (...parts: string[]) => Buffer.from(join(...parts));

test("a file is copied with its executable bit, and bytes other than the wanted ones are reported", () =>
  withFolder((folder) => {
    writeFileSync(join(folder, "from"), "text\n", { mode: 0o600 });
    const from = { path: at(folder, "from"), isBlob: false };
    assert.equal(writeFile(from, at(folder, "plain"), file("text\n")), 5);
    assert.equal(writeFile(from, at(folder, "run"), file("text\n", true)), 5);
    assert.deepEqual(
      ["plain", "run"].map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8)),
      ["644", "755"],
    );
    assert.equal(writeFile(from, at(folder, "other"), file("other\n")), "differs");
    assert.equal(writeFile({ ...from, path: at(folder, "none") }, at(folder, "gone"), file("text\n")), "differs");
  }));

test("copying leaves no file open, whatever becomes of it", () =>
  withFolder((folder) => {
    writeFileSync(join(folder, "from"), "text\n");
    const before = countOpenFiles();
    for (let time = 0; time < 20; time += 1) {
      const from = { path: at(folder, "from"), isBlob: false };
      writeFile(from, at(folder, `to${time}`), file(time % 2 === 0 ? "text\n" : "other\n"));
      assert.throws(() => writeFile(from, at(folder, `to${time}`), file("text\n")));
    }
    assert(countOpenFiles() < before + 10);
  }));

test("a text that is given is written instead of the file's own, whatever the digest", () =>
  withFolder((folder) => {
    const none = { path: at(folder, "none"), isBlob: false };
    assert.equal(writeFile(none, at(folder, "made"), file("text\n"), "größer\n"), 9);
    assert.equal(readFileSync(join(folder, "made"), "utf8"), "größer\n");
    assert.equal(writeFile(none, at(folder, "empty"), file("text\n"), ""), 0);
  }));

test("no file or link is written over another, and the error names the target", () =>
  withFolder((folder) => {
    writeFileSync(join(folder, "there"), "kept\n");
    symlinkSync("there", join(folder, "from"));
    const from = { path: at(folder, "from"), isBlob: false };
    assert.throws(() => writeFile(from, at(folder, "there"), file("kept\n")), /there/);
    assert.throws(() => writeLink(from, at(folder, "there"), "there", link("there")), /there/);
    assert.equal(readFileSync(join(folder, "there"), "utf8"), "kept\n");
  }));

test("a link that stays in the tree is made, and one that leaves it or says something else is not", () =>
  withFolder((folder) => {
    symlinkSync("../b", join(folder, "from"));
    writeFileSync(join(folder, "blob"), "../b");
    const from = { path: at(folder, "from"), isBlob: false };
    const blob = { path: at(folder, "blob"), isBlob: true };
    assert.equal(writeLink(from, at(folder, "one"), "a/one", link("../b")), 0);
    assert.equal(writeLink(blob, at(folder, "two"), "a/two", link("../b")), 0);
    assert.deepEqual([readlinkSync(join(folder, "one")), readlinkSync(join(folder, "two"))], ["../b", "../b"]);
    assert.equal(writeLink(from, at(folder, "out"), "out", link("../b")), "leaves");
    assert.equal(writeLink(from, at(folder, "other"), "a/other", link("../c")), "differs");
    assert.equal(writeLink({ ...blob, isBlob: false }, at(folder, "file"), "a/file", link("../b")), "differs");
    const none = { path: at(folder, "none"), isBlob: true };
    assert.equal(writeLink(none, at(folder, "none-made"), "a/none", link("../b")), "differs");
  }));

test("the folders above a file are made once, and never the root of the copy or above it", () =>
  withFolder((folder) => {
    const made = new Set<string>();
    const root = join(folder, "copy");
    const rootLength = Buffer.byteLength(root);
    makeParents(at(root, "a.txt"), rootLength, made);
    assert.deepEqual([...made], []);
    makeParents(at(root, "a/b/c.txt"), rootLength, made);
    assert.ok(statSync(join(root, "a/b")).isDirectory());
    refusing("mkdirSync", "EACCES", /./, () => makeParents(at(root, "a/b/d.txt"), rootLength, made));
    refusing("mkdirSync", "EEXIST", /./, () => makeParents(at(root, "e/f.txt"), rootLength, made));
    const full = () => refusing("mkdirSync", "ENOSPC", /./, () => makeParents(at(root, "g/h.txt"), rootLength, made));
    assert.throws(full, /g/);
  }));

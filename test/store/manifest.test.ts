import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  ancestorsOf,
  type ManifestEntry,
  passageAt,
  readEntry,
  readPassages,
  sameEntry,
  sameKind,
  scanRoots,
} from "../../lib/store/manifest.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { isRoot, withFolder } from "./temporary-folder.ts";

const file = (text: string, mode = 0o644): ManifestEntry => ({
  type: "file",
  mode,
  sha256: sha256(text),
  size: Buffer.byteLength(text),
});

describe("what is at a path", () => {
  test("is a file with its bytes, a folder, a link with its text, or something else", () =>
    withFolder((folder) => {
      const at = (name: string) => join(folder, name);
      writeFileSync(at("file"), "text\r\n");
      chmodSync(at("file"), 0o4750);
      mkdirSync(at("folder"));
      chmodSync(at("folder"), 0o711);
      symlinkSync("no\nwhere", at("link"));
      execFileSync("mkfifo", ["-m", "600", at("pipe")]);
      const entry = (name: string) => readEntry(Buffer.from(at(name)));
      assert.deepEqual(entry("file"), file("text\r\n", 0o4750));
      assert.deepEqual(entry("folder"), { type: "folder", mode: 0o711 });
      assert.deepEqual(entry("link"), { type: "link", mode: 0, target: "no\nwhere" });
      assert.deepEqual(entry("pipe"), { type: "special", mode: 0o600 });
      assert.equal(entry("none"), null);
      chmodSync(at("file"), 0o000);
      if (!isRoot) assert.deepEqual(entry("file"), { type: "file", mode: 0 });
    }));

  test("above a root counts as what it is alone", () =>
    withFolder((folder) => {
      writeFileSync(join(folder, "file"), "x");
      chmodSync(join(folder, "file"), 0o600);
      symlinkSync("file", join(folder, "link"));
      assert.deepEqual(passageAt(join(folder, "file")), { type: "file", mode: 0o600, passage: true });
      assert.deepEqual(passageAt(join(folder, "link")), { type: "link", mode: 0, target: "file", passage: true });
      assert.equal(passageAt(join(folder, "none")), null);
      const passages = readPassages([join(folder, "a/root"), join(folder, "link/root")]);
      assert.deepEqual([...passages.keys()], [...ancestorsOf(join(folder, "x")), join(folder, "link")]);
    }));
});

test("the folders above a path come from the top down, also for names that are no text", () => {
  assert.deepEqual(ancestorsOf("/a/b/c"), ["/a", "/a/b"]);
  assert.deepEqual(ancestorsOf("/a"), []);
  assert.deepEqual(ancestorsOf("///a%FF/b/c").at(-1)?.includes("b"), true);
});

describe("scanning roots", () => {
  test("takes all below them, once, and nothing that is skipped, blocked or behind a link", () =>
    withFolder((folder) => {
      for (const name of ["root/in/deep", "root/skipped", "other", "blocked"])
        mkdirSync(join(folder, name), { recursive: true });
      for (const name of ["root/in/deep/a", "root/skipped/b", "other/c", "blocked/d", "single"])
        writeFileSync(join(folder, name), name);
      symlinkSync("../other", join(folder, "root/link"));
      const roots = ["root", "root/in", "single", "blocked", "none"].map((name) => join(folder, name));
      const skip = (path: string) => path.endsWith("/skipped");
      const entries = scanRoots(roots, { skip }, (root) => root.endsWith("/blocked"));
      assert.deepEqual([...entries.keys()].map((path) => path.slice(folder.length + 1)).sort(), [
        "root",
        "root/in",
        "root/in/deep",
        "root/in/deep/a",
        "root/link",
        "single",
      ]);
      assert.deepEqual(entries.get(join(folder, "single")), file("single"));
    }));

  test("reads a remembered file again only if its stats changed, and any other one each time", (t) =>
    withFolder((folder) => {
      const [path, old] = [join(folder, "file"), new Date(1_000_000)];
      writeFileSync(path, "one");
      utimesSync(path, old, old);
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 10_000 });
      const scan = (remembers?: () => boolean) =>
        scanRoots([path], { skip: () => false, ...(remembers === undefined ? {} : { remembers }) }, () => false).get(
          path,
        );
      const first = scan(() => true);
      assert.equal(
        scan(() => true),
        first,
      );
      assert.notEqual(
        scan(() => false),
        first,
      );
      assert.notEqual(scan(), first);
      writeFileSync(path, "two");
      utimesSync(path, old, old);
      assert.deepEqual(
        scan(() => true),
        file("two"),
      );
    }));
});

test("entries are equal by kind, target, rights and bytes, and of one kind by the first two", () => {
  const link = (target: string): ManifestEntry => ({ type: "link", mode: 0, target });
  const pairs: readonly [ManifestEntry | null, ManifestEntry | null, boolean][] = [
    [file("a"), file("a"), true],
    [file("a"), file("b"), false],
    [file("a"), file("a", 0o600), false],
    [link("a"), link("a"), true],
    [link("a"), link("b"), false],
    [file("a"), { type: "folder", mode: 0o644 }, false],
    [null, null, true],
    [file("a"), null, false],
    [null, file("a"), false],
  ];
  for (const [left, right, same] of pairs) assert.equal(sameEntry(left, right), same);
  assert.equal(sameKind(file("a"), file("b", 0o600)), true);
  assert.equal(sameKind(link("a"), link("b")), false);
});

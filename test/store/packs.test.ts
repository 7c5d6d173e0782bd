import assert from "node:assert/strict";
import { readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPacks, readRef, saveText, splitRef } from "../../lib/store/packs.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { withFolder } from "./temporary-folder.ts";

test("copies are appended to one pack, and each is read back from its place", () =>
  withFolder((folder) => {
    writeFileSync(join(folder, "source"), "bytes");
    const packs = openPacks(folder, "owner");
    const { name, first, text } = packs.write(null, (pack) => ({
      name: pack.name,
      first: pack.addFile(Buffer.from(join(folder, "source")), sha256("bytes")),
      text: pack.keepText("ü"),
    }));
    assert.match(name, /^owner-[0-9a-f]{16}$/);
    assert.deepEqual([first, text], [`${name}:0`, `${name}:5`]);
    const again = packs.write(name, (pack) => [pack.end(), pack.keepText("more"), pack.name] as const);
    assert.deepEqual(again, [7, `${name}:7`, name]);
    assert.equal(packs.sizeOf(name), 11);
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    const read = (place: string, size: number) => packs.read(place, size)?.toString() ?? null;
    assert.deepEqual([read(`${name}:0`, 5), read(text, 2), read(again[1], 4)], ["bytes", "ü", "more"]);
    assert.deepEqual([read(`${name}:7`, 5), read("none:0", 1), packs.sizeOf("none")], [null, null, null]);
    symlinkSync(name, join(folder, "link"));
    assert.deepEqual([read("link:0", 5), packs.sizeOf("link")], [null, null]);
  }));

test("a copy of a file that has other bytes than expected has no place", () =>
  withFolder((folder) => {
    const packs = openPacks(folder, "owner");
    writeFileSync(join(folder, "source"), "bytes");
    const keep = (name: string) =>
      packs.write("pack", (pack) => pack.addFile(Buffer.from(join(folder, name)), sha256("other")));
    assert.deepEqual([keep("source"), keep("none")], [null, null]);
    const defect = new Error("the caller's");
    const act = () =>
      packs.write("pack", () => {
        throw defect;
      });
    assert.throws(act, (error) => error instanceof TaskPhaseError && error.cause === defect);
  }));

test("a copy is written out with its rights if all of its bytes are there", () =>
  withFolder((folder) => {
    const packs = openPacks(folder, "owner");
    const place = packs.write("pack", (pack) => pack.keepText("bytes"));
    const to = join(folder, "out");
    const expect = { sha256: sha256("bytes"), size: 5, mode: 0o750 };
    assert.equal(packs.copyOut(place, Buffer.from(to), { ...expect, sha256: sha256("other") }), false);
    assert.equal(packs.copyOut(place, Buffer.from(to), expect), true);
    assert.deepEqual([readFileSync(to, "utf8"), statSync(to).mode & 0o777], ["bytes", 0o750]);
    truncateSync(join(folder, "pack"), 4);
    assert.equal(packs.copyOut(place, Buffer.from(to), expect), false);
  }));

test("a text is named by its place and its digest, and gone once its bytes are others", () =>
  withFolder((folder) => {
    const packs = openPacks(folder, "owner");
    const ref = packs.write("pack", (pack) => {
      pack.keepText("before");
      return saveText(pack, "tü");
    });
    assert.deepEqual(splitRef(ref), { name: "pack", offset: 6, size: 3, sha256: sha256("tü") });
    assert.equal(readRef(packs, ref), "tü");
    writeFileSync(join(folder, "pack"), "beforeabc");
    assert.deepEqual([readRef(packs, ref), readRef(packs, ""), readRef(packs, "pack:0:3")], [null, null, null]);
  }));

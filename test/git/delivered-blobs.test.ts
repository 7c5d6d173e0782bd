import assert from "node:assert/strict";
import { lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { nameFile, nameLink, nameListed, pointsTo, saveBlob } from "../../lib/git/delivered-blobs.ts";
import { blobName } from "../../lib/git/objects.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { makeGitRepo } from "../history/git-maker.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { gitEnv, write } from "./git-repo.ts";

const named = (text: string) => blobName(Buffer.from(text), 40);

describe("the name that git has for listed bytes", () => {
  it("is that of the bytes on disk, and of no others", () =>
    withFolder((folder) => {
      write(folder, { file: "a\r\n", empty: "" });
      symlinkSync("file", join(folder, "link"));
      const at = (name: string) => Buffer.from(join(folder, name));
      assert.equal(nameFile(at("file"), sha256("a\r\n"), 40), named("a\r\n"));
      assert.equal(nameFile(at("file"), sha256("a\r\n"), 64)?.length, 64);
      assert.equal(nameFile(at("empty"), sha256(""), 40), named(""));
      assert.equal(nameLink(at("link"), sha256("file"), 40), named("file"));
      // A copy of a link may be a file with its text.
      assert.equal(nameLink(at("file"), sha256("a\r\n"), 40), named("a\r\n"));
      for (const name of ["file", "link", "none", "."]) {
        assert.equal(nameFile(at(name), sha256("other"), 40), null, name);
        assert.equal(nameLink(at(name), sha256("other"), 40), null, name);
      }
      assert.equal(nameFile(at("link"), sha256("a\r\n"), 40), null);
    }));

  it("is found once for equal bytes, whichever copy has them, and again after it was unknown", () =>
    withFolder((folder) => {
      const text = `${folder} only here`;
      const digest = sha256(text);
      const name = (file: string, kind = "file 644") =>
        nameListed(
          { entries: new Map(), fileOf: () => Buffer.from(join(folder, file)) },
          file,
          `${kind} ${digest}`,
          40,
        );
      assert.equal(name("a"), null);
      write(folder, { a: text });
      assert.equal(name("a"), named(text));
      assert.equal(name("gone"), named(text));
      symlinkSync(`${text}!`, join(folder, "link"));
      const link = { entries: new Map(), fileOf: () => Buffer.from(join(folder, "link")) };
      assert.equal(nameListed(link, "link", `link - ${sha256(`${text}!`)}`, 40), named(`${text}!`));
    }));
});

describe("what git wrote", () => {
  it("is kept under its digest, a link as a file with its text, and once", () =>
    withFolder((folder) => {
      write(folder, { out: "bytes" });
      symlinkSync("nowhere", join(folder, "link"));
      const blobs = join(folder, "blobs");
      const keep = (name: string, digest: string) =>
        saveBlob(blobs, { file: Buffer.from(join(folder, name)), isLink: name === "link", digest });
      keep("out", "d1");
      keep("link", "d2");
      assert.equal(readFileSync(join(blobs, "d1"), "utf8"), "bytes");
      assert.deepEqual(
        [lstatSync(join(blobs, "d2")).isFile(), readFileSync(join(blobs, "d2"), "utf8")],
        [true, "nowhere"],
      );
      assert.equal(statSync(join(blobs, "d2")).mode & 0o777, 0o600);
      keep("link", "d2");
      assert.throws(() => keep("out", "d3"), /cannot keep a copy at .*d3: it does not exist/);
    }));
});

describe("a pointer of git-lfs", () => {
  it("names these bytes, or it is none", async (t) => {
    const digest = "ab".repeat(32);
    const head = "version https://git-lfs.github.com/spec/v1\n";
    const files = {
      good: `${head}oid sha256:${digest}\nsize 3\n`,
      other: `${head}oid sha256:${"cd".repeat(32)}\nsize 3\n`,
      cut: `${head}oid sha256:${digest}`,
      plain: `oid sha256:${digest}\n`,
      long: `${head}oid sha256:${digest}\n${"x".repeat(1024)}`,
    };
    const repo = makeGitRepo(t, [{ files }]);
    const place = findGitPlace(repo.folder) ?? assert.fail();
    for (const name of [...Object.keys(files), ""]) {
      const oid = repo.git("rev-parse", `HEAD:${name}`).trim();
      assert.equal(await pointsTo(place, oid, `file 644 ${digest}`, gitEnv), name === "good", name);
    }
  });
});

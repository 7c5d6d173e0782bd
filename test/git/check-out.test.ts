import assert from "node:assert/strict";
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkOut } from "../../lib/git/check-out.ts";
import { listTree } from "../../lib/git/list-tree.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { makeGitRepo } from "../history/git-maker.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { gitEnv } from "./git-repo.ts";

test("a clone's files are written as the attributes say, and a missing blob is left out", async (t) => {
  const repo = makeGitRepo(t, [
    {
      files: {
        ".gitattributes": "*.bat text eol=crlf\n*.x filter=evil\n",
        "in/a.bat": "a\n",
        "b.x": "b\n",
        plain: "p\n",
        link: ["120000", "../out"],
        "ü \n": "odd",
      },
    },
  ]);
  repo.git("config", "filter.evil.smudge", "false");
  repo.git("config", "filter.evil.required", "true");
  repo.git("config", "core.autocrlf", "true");
  const place = findGitPlace(repo.folder) ?? assert.fail();
  const blobs = new Map(await listTree(place, "HEAD", gitEnv));
  await withFolder(async (folder) => {
    const options = { env: gitEnv, variables: {} };
    assert.deepEqual(await checkOut(place, new Map(), join(folder, "none"), options), new Map());
    blobs.set("missing", { mode: "100644", oid: "1".repeat(40) });
    const found = await checkOut(place, blobs, join(folder, "out"), options);
    const texts = Object.fromEntries(
      [...found].map(([path, { file, isLink, digest }]) => {
        const text = isLink ? readlinkSync(file, "utf8") : readFileSync(file, "utf8");
        assert.equal(digest, sha256(text));
        return [Buffer.from(path, "latin1").toString(), isLink ? ["link", text] : text];
      }),
    );
    const { ".gitattributes": _rules, ...rest } = texts;
    assert.deepEqual(rest, {
      "in/a.bat": "a\r\n",
      "b.x": "b\n",
      plain: "p\n",
      link: ["link", "../out"],
      "ü \n": "odd",
    });
  });
});

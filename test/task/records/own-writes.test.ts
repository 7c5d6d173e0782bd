import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { forgetOwnWrites, isOwnWrite, putOwnFile } from "../../../lib/task/records/own-writes.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { makeFolder } from "../../process/arrange.ts";

describe("the runner's own write while a pass runs", () => {
  const change = (path: string, text: string, type: "file" | "link" = "file") =>
    ({ path, change: "changed", was: null, now: { type, mode: 0o644, sha256: sha256(text) } }) as const;

  function arrange(t: TestContext) {
    const folder = makeFolder(t);
    const place = placeOf(join(folder, "T-1"));
    mkdirSync(place.artifacts, { recursive: true });
    return { folder, place, anchor: { folder } };
  }

  test("is known by its newest bytes alone", (t) => {
    const { place, anchor } = arrange(t);
    assert.equal(isOwnWrite(anchor, change(place.checkpoint, "one")), false);
    for (const text of ["one", "two"]) putOwnFile(place, anchor, place.checkpoint, text);
    assert.equal(readFileSync(place.checkpoint, "utf8"), "two");
    assert.deepEqual(
      [
        isOwnWrite(anchor, change(place.checkpoint, "two")),
        isOwnWrite(anchor, change(place.checkpoint, "one")),
        isOwnWrite(anchor, change(place.page, "two")),
        isOwnWrite(anchor, change(place.checkpoint, "two", "link")),
        isOwnWrite(anchor, { ...change(place.checkpoint, "two"), now: null }),
        isOwnWrite(anchor, { ...change(place.checkpoint, "two"), now: { type: "file", mode: 0 } }),
      ],
      [true, false, false, false, false, false],
    );
  });

  test("of several files is forgotten with the next pass", (t) => {
    const { place, anchor } = arrange(t);
    putOwnFile(place, anchor, place.checkpoint, "one");
    putOwnFile(place, anchor, place.page, "page");
    assert.equal(isOwnWrite(anchor, change(place.checkpoint, "one")), true);
    forgetOwnWrites(anchor);
    forgetOwnWrites(anchor);
    assert.equal(isOwnWrite(anchor, change(place.checkpoint, "one")), false);
  });

  test("follows no link in the place of artifacts/", (t) => {
    const { folder, anchor } = arrange(t);
    const place = placeOf(join(folder, "T-2"));
    mkdirSync(place.taskDir);
    symlinkSync(join(folder, "T-1/artifacts"), place.artifacts);
    assert.throws(() => putOwnFile(place, anchor, place.checkpoint, "x"), /artifacts\/ is not a folder/);
    assert.equal(existsSync(join(folder, "T-1/artifacts/checkpoint.json")), false);
  });
});

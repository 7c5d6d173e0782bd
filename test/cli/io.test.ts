import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { homeOf, readToEnd } from "../../lib/cli/io.ts";

const never = Number.POSITIVE_INFINITY;

test("everything up to the end is read, however late it begins", async () => {
  const stream = new PassThrough();
  const read = readToEnd(stream, { maxBytes: 10, silentMs: never });
  stream.write("ab");
  stream.end("c");
  assert.equal(String(await read), "abc");
});

test("a pipe that says nothing is given up, and does not keep the program alive", async () => {
  const stream = new PassThrough();
  assert.equal(await readToEnd(stream, { maxBytes: 10, silentMs: 1 }), null);
  assert.equal(stream.destroyed, true);
});

test("more than the limit is an error, and so is a stream that breaks", async () => {
  const long = new PassThrough();
  const tooMuch = readToEnd(long, { maxBytes: 2, silentMs: never });
  long.write("abc");
  await assert.rejects(tooMuch, /more than 2 bytes/);
  const broken = new PassThrough();
  const read = readToEnd(broken, { maxBytes: 2, silentMs: never });
  broken.destroy(Object.assign(new Error("x"), { code: "EIO" }));
  await assert.rejects(read, /reports EIO/);
});

test("a home that is empty or relative is not taken: the one that the system names is", () => {
  assert.equal(homeOf({ HOME: "/home/ada" }), "/home/ada");
  const kept = process.env.HOME;
  try {
    for (const HOME of ["", "here"]) {
      process.env.HOME = HOME;
      assert.equal(homeOf({ HOME }), userInfo().homedir);
    }
  } finally {
    if (kept === undefined) delete process.env.HOME;
    else process.env.HOME = kept;
  }
});

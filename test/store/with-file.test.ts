import assert from "node:assert/strict";
import { fstatSync, openSync } from "node:fs";
import { test } from "node:test";
import { withFile } from "../../lib/store/with-file.ts";

test("an open file is closed after its use, whether that succeeds or throws", () => {
  const [first, second] = [openSync("/dev/null", "r"), openSync("/dev/null", "r")];
  assert.equal(
    withFile(first, (file) => fstatSync(file).isFile()),
    false,
  );
  assert.throws(() =>
    withFile(second, () => {
      throw new Error("no room");
    }),
  );
  for (const file of [first, second]) assert.throws(() => fstatSync(file), { code: "EBADF" });
});

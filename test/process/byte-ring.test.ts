import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createByteRing } from "../../lib/process/capture.ts";

test("a ring keeps the last bytes, however the stream is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), fc.integer({ min: 1, max: 20 }), (pieces, capacity) => {
      const ring = createByteRing(capacity);
      for (const piece of pieces) ring.push(piece);
      const all = Buffer.concat(pieces);
      assert.deepEqual(Buffer.concat(ring.views()), all.subarray(Math.max(0, all.length - capacity)));
      assert.equal(ring.dropped(), Math.max(0, all.length - capacity));
    }),
  );
});

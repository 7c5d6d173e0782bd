import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseFullDisk } from "../../lib/store/full-disk.ts";

const said = "cc: error writing to out.o: No space left on device\n";
const roomy = { bsize: 4096, blocks: 1_000_000, bavail: 500_000, files: 1_000, ffree: 500 };

function judge(output: string, space: Partial<typeof roomy>, folders: readonly string[] = ["/copy"]): void {
  refuseFullDisk("run tests in", output, folders, () => ({ ...roomy, ...space }));
}

test("a program that says so on a full disk is no fact about the code", () => {
  const full = [{ bavail: 0 }, { bavail: 9_999 }, { ffree: 9 }, { blocks: 300, bavail: 255 }];
  for (const space of full)
    assert.throws(() => judge(said, space), {
      message: "cannot run tests in /copy: the disk is full (ENOSPC)",
      exitName: "failure",
    });
  assert.throws(() => judge("Error: ENOSPC: no space left on device, write", { bavail: 0 }), /the disk is full/);
});

test("the words alone, or a full disk alone, are not enough", () => {
  judge(said, {});
  judge(said, { files: 0, ffree: 0 });
  judge(said, { blocks: 100_000_000, bavail: 500_000, files: 60_000_000, ffree: 60_000 });
  judge("1 test failed", { bavail: 0 });
  judge(said, { bavail: 0 }, []);
  // Whoever removed the folder has no say.
  refuseFullDisk("run tests in", said, ["/gone"], () => {
    throw new Error("it is not there");
  });
});

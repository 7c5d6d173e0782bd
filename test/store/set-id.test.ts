import assert from "node:assert/strict";
import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clearSetIds, listSetIds } from "../../lib/store/set-id.ts";
import { makeFolder } from "../process/arrange.ts";
import { countOpenFiles } from "./open-files.ts";
import { refusing } from "./refused-calls.ts";

function write(path: string, mode: number): string {
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

const modeOf = (path: string) => statSync(path).mode & 0o7777;

test("files that got the bit are found, also deep and under another name, and lose it; the rest of their mode stays", async (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "a/b"), { recursive: true });
  chmodSync(join(folder, "a"), 0o2755);
  const old = write(join(folder, "old"), 0o4755);
  write(join(folder, "plain"), 0o755);
  const before = await listSetIds([folder]);
  const [suid, sgid] = [write(join(folder, "a/b/suid"), 0o4711), write(join(folder, "a/z"), 0o2755)];
  linkSync(suid, join(folder, "again"));
  symlinkSync(old, join(folder, "link"));
  const after = await listSetIds([folder]);
  assert.deepEqual(clearSetIds(before, after), { cleared: [suid, sgid, join(folder, "again")], left: [] });
  assert.deepEqual([suid, sgid, old, join(folder, "a")].map(modeOf), [0o711, 0o755, 0o4755, 0o2755]);
  assert.deepEqual(clearSetIds(before, await listSetIds([folder])), { cleared: [], left: [] });
});

test("clearing bits leaves no file open, even if it is refused", (t) => {
  const folder = makeFolder(t);
  const before = countOpenFiles();
  for (let time = 0; time < 20; time += 1) {
    const file = write(join(folder, "tool"), 0o4755);
    assert.deepEqual(clearSetIds(new Map(), new Map([[file, "1"]])).cleared, [file]);
    refusing("fchmodSync", "EPERM", /./, () =>
      assert.deepEqual(clearSetIds(new Map(), new Map([[file, "1"]])).left, [file]),
    );
  }
  assert(countOpenFiles() < before + 10);
});

test("a file that had the bit and got other bytes since is a new one", async (t) => {
  const file = write(join(makeFolder(t), "tool"), 0o4755);
  const before = await listSetIds([file]);
  writeFileSync(file, "#!/bin/sh\nid\n");
  chmodSync(file, 0o4755);
  assert.deepEqual(clearSetIds(before, await listSetIds([file, "/nowhere"])).cleared, [file]);
  assert.equal(modeOf(file), 0o755);
});

test("a file that is gone, or became a link, is named as left, and its target is not touched", (t) => {
  const folder = makeFolder(t);
  const target = write(join(folder, "target"), 0o4755);
  symlinkSync(target, join(folder, "link"));
  const after = new Map([
    [join(folder, "link"), "1"],
    [join(folder, "gone"), "2"],
  ]);
  const left = [join(folder, "gone"), join(folder, "link")];
  assert.deepEqual(clearSetIds(new Map(), after), { cleared: [], left });
  assert.equal(modeOf(target), 0o4755);
});

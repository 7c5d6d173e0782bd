import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import fs, { mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { watchFile } from "../../lib/store/watch-file.ts";
import { patienceMs } from "../patience.ts";
import { makeFolder } from "../process/arrange.ts";

/** A system whose watch does nothing by itself, and notes whether it is closed. */
function replaceWatch(t: TestContext) {
  const watcher = Object.assign(new EventEmitter(), { closed: 0, close: () => (watcher.closed += 1) });
  const watch = t.mock.method(fs, "watch", (_folder: string, _options: object, listener: () => void) =>
    watcher.on("change", listener),
  );
  syncBuiltinESMExports();
  t.after(() => {
    watch.mock.restore();
    syncBuiltinESMExports();
  });
  return watcher;
}

test("only a change of the watched file is reported", (t) => {
  const watcher = replaceWatch(t);
  let looks = 0;
  const end = watchFile("/tasks/one/CONTROL.md", () => (looks += 1));
  watcher.emit("change", "rename", "STATE.md");
  watcher.emit("change", "rename", "CONTROL.md");
  assert.equal(looks, 1);
  end();
  assert.equal(watcher.closed, 1);
});

test("a watch that the system ends is closed without an error", (t) => {
  const watcher = replaceWatch(t);
  watchFile("/tasks/one/CONTROL.md", () => assert.fail());
  watcher.emit("error", new Error("the folder is gone"));
  assert.equal(watcher.closed, 1);
});

test("a real file is watched on this system, and a missing folder is no error", async (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "in"));
  const file = join(folder, "in", "CONTROL.md");
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("no word of the file")), patienceMs);
    const end = watchFile(file, () => {
      clearTimeout(late);
      end();
      resolve();
    });
    writeFileSync(file, "- PAUSE\n");
  });
  watchFile(join(folder, "none", "CONTROL.md"), () => assert.fail())();
});

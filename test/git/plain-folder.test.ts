import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPlainFolder } from "../../lib/git/plain-folder.ts";
import { pidNamespace } from "../../lib/process/temporary-folder.ts";
import { endCommand } from "../../lib/store/at-end.ts";

const links = [["objects", "/nonexistent"]] as const;
/** Longer than the clock of any usual file system shows the same time. */
const tickMs = 30;

describe("the runner's folder for calls of git", () => {
  test("is used again by the next call, not by one at the same time, and goes with the command", () => {
    // Other tests of this process may have left as many as are kept.
    endCommand();
    const one = openPlainFolder("same", links, true);
    const other = openPlainFolder("same", links, true);
    assert.notEqual(one.path, other.path);
    assert.deepEqual(readdirSync(one.path).sort(), ["config", "info", "objects"]);
    one.close();
    const next = openPlainFolder("same", links, true);
    assert.equal(next.path, one.path);
    for (const each of [next, other]) each.close();
    assert.notEqual(openOnce("other settings"), one.path);
    endCommand();
    assert.deepEqual([one.path, other.path].filter(existsSync), []);
  });

  test("takes those of a killed command along when it goes", () => {
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    const left = mkdtempSync(join(tmpdir(), `task-phase-branches-${pidNamespace()}-${dead}-`));
    openOnce("the end");
    endCommand();
    assert.equal(existsSync(left), false);
  });

  const tampers: Readonly<Record<string, (folder: string) => void>> = {
    "a new file": (folder) => writeFileSync(join(folder, "hooks"), ""),
    "other settings": (folder) => writeFileSync(join(folder, "config"), "x"),
    "an attribute": (folder) => writeFileSync(join(folder, "info", "attributes"), "* filter=x"),
    "another link": (folder) => {
      rmSync(join(folder, "objects"));
      symlinkSync("/elsewhere", join(folder, "objects"));
    },
  };
  for (const [what, tamper] of Object.entries(tampers)) {
    test(`with ${what} it is not used`, async () => {
      const one = openPlainFolder(what, links, true);
      one.close();
      await sleep(tickMs);
      tamper(one.path);
      const next = openPlainFolder(what, links, true);
      assert.notEqual(next.path, one.path);
      assert.equal(existsSync(one.path), false);
      await sleep(tickMs);
      tamper(next.path);
      next.close();
      assert.equal(existsSync(next.path), false);
    });
  }
});

function openOnce(config: string): string {
  const { path, close } = openPlainFolder(config, links, true);
  close();
  return path;
}

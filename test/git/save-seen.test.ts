import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import type { Fingerprint } from "../../lib/git/fingerprint-entries.ts";
import { recallSeen, saveSeen } from "../../lib/git/save-seen.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { withExt4 } from "./as-on-ext4.ts";
import { gitEnv, makeRepo, write } from "./git-repo.ts";
import { watchOpens } from "./watch-opens.ts";

interface Scene {
  readonly repo: string;
  /** Where it is kept what was seen. */
  readonly file: string;
  /** What a new process gives that recalls it, and which files it opened. */
  again(): Promise<{ readonly fingerprint: Fingerprint; readonly opened: readonly string[] }>;
  contents(): Promise<Fingerprint>;
}

async function scene(run: (scene: Scene) => Promise<void>): Promise<void> {
  await withExt4(async (folder) => {
    const [repo, other, file] = [join(folder, "repo"), join(folder, "other"), join(folder, "state", "seen")];
    makeRepo(repo, { "src/a.ts": "a\n", "src/b.ts": "b\n" });
    makeRepo(other, { c: "c" });
    mkdirSync(join(folder, "state"), { mode: 0o700 });
    const contents = (of = repo) => takeFingerprint(of, [], gitEnv);
    const again: Scene["again"] = async () => {
      // This process forgets a repo when it looks at another one.
      await contents(other);
      recallSeen(file, repo);
      const opened = watchOpens(repo);
      try {
        return { fingerprint: await takeFingerprint(repo, [], gitEnv, "stats"), opened: opened() };
      } finally {
        opened.stop();
      }
    };
    await setTimeout(120);
    await contents();
    saveSeen(file, repo);
    await run({ repo, file, again, contents: () => contents() });
  });
}

test("the next process opens no file that did not change, and gives the same", () =>
  scene(async ({ repo, file, again, contents }) => {
    const before = await contents();
    const { fingerprint, opened } = await again();
    assert.deepEqual([fingerprint.hash, opened], [before.hash, []]);
    const { ino } = lstatSync(file);
    saveSeen(file, repo);
    assert.equal(lstatSync(file).ino, ino, "it was written again although nothing is new");
    write(repo, { third: "3" });
    await setTimeout(120);
    await contents();
    saveSeen(file, repo);
    const kept = lstatSync(file).ino;
    assert.notEqual(kept, ino);
    await contents();
    saveSeen(file, repo);
    assert.equal(lstatSync(file).ino, kept, "this process had written it");
    write(repo, { "src/a.ts": "A\n", new: "n" });
    const changed = await again();
    assert.deepEqual(changed.opened, ["new", "src/a.ts"]);
    assert.equal(changed.fingerprint.hash, (await contents()).hash);
  }));

const damages: Readonly<Record<string, (file: string, repo: string) => void>> = {
  "is gone": (file) => rmSync(file),
  "lost its end": (file) => truncateSync(file, 200),
  "is garbage": (file) => writeFileSync(file, "x".repeat(500)),
  "has another entry than was written": (file) =>
    writeFileSync(file, readFileSync(file, "latin1").replace("src/a.ts", "src/x.ts"), "latin1"),
  "is of another version": (file) => {
    const body = readFileSync(file, "latin1").slice(64).replace(/^\[1,/, "[0,");
    writeFileSync(file, sha256(Buffer.from(body, "latin1")) + body, "latin1");
  },
  "is of a repo that stood elsewhere": (file) => {
    const body = readFileSync(file, "latin1").slice(64).replace("/repo", "/rope");
    writeFileSync(file, sha256(Buffer.from(body, "latin1")) + body, "latin1");
  },
  "is of a repo that was copied over": (_file, repo) => {
    makeRepo(`${repo}.new`, { "src/a.ts": "c\n", "src/b.ts": "b\n" });
    rmSync(repo, { recursive: true });
    renameSync(`${repo}.new`, repo);
  },
};
for (const [what, damage] of Object.entries(damages)) {
  test(`all files are read where what was kept ${what}`, () =>
    scene(async ({ repo, file, again, contents }) => {
      damage(file, repo);
      const { fingerprint, opened } = await again();
      assert.deepEqual(opened, ["src/a.ts", "src/b.ts"]);
      assert.equal(fingerprint.hash, (await contents()).hash);
    }));
}

test("a state folder that cannot be written costs nothing but time", () =>
  scene(async ({ repo, file, contents }) => {
    write(repo, { third: "3" });
    await setTimeout(120);
    await contents();
    assert.doesNotThrow(() => saveSeen(join(file, "below", "a file"), repo));
  }));

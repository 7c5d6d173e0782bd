import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { recordTree, sweepTree } from "../../../lib/checks/proof/kept-tree.ts";
import { write } from "../../git/git-repo.ts";
import { refusing } from "../../store/refused-calls.ts";
import { withFolder } from "../../store/temporary-folder.ts";

/** A copy of two files and a folder, and what was noted of it long after its original was written. */
async function withTree(
  run: (world: { at: (path: string) => string; sweep: () => ReturnType<typeof sweepTree> }) => unknown,
): Promise<void> {
  await withFolder(async (folder) => {
    const at = (path: string) => join(folder, path);
    for (const side of ["origin", "copy"]) write(at(side), { "a.txt": "a\n", "b/c.txt": "c\n" });
    mkdirSync(at("clock"));
    const tree = { copy: at("copy"), origin: at("origin") };
    const note = await recordTree(tree, {}, Date.now() + 60_000, at("clock"));
    assert(note !== null);
    assert.deepEqual(Object.keys(note).sort(), ["", "a.txt", "b", "b/c.txt"]);
    await run({ at, sweep: () => sweepTree(tree, note) });
  });
}

test("a copy that nothing changed keeps all of its note", () =>
  withTree(async ({ sweep }) => assert.deepEqual(Object.keys((await sweep()) ?? {}).length, 4)));

const changes: readonly (readonly [what: string, change: (at: (path: string) => string) => void, left: string[]])[] = [
  ["a file is rewritten", (at) => writeFileSync(at("copy/a.txt"), "x\n"), ["b"]],
  ["a file has another mode", (at) => chmodSync(at("copy/a.txt"), 0o755), ["b"]],
  ["a file is added", (at) => writeFileSync(at("copy/new"), ""), ["a.txt", "b"]],
  ["a folder has another mode", (at) => chmodSync(at("copy/b"), 0o700), ["a.txt"]],
  ["the original is rewritten", (at) => writeFileSync(at("origin/a.txt"), "x\n"), ["b"]],
  ["the original is gone", (at) => rmSync(at("origin/a.txt")), ["b"]],
];
for (const [what, change, left] of changes) {
  test(`what is not as it was noted is removed: ${what}`, () =>
    withTree(async ({ at, sweep }) => {
      change(at);
      assert.notEqual(await sweep(), null);
      assert.deepEqual(readdirSync(at("copy")), left);
    }));
}

test("a file with a link in its place is removed, and what the link leads to stays", () =>
  withTree(async ({ at, sweep }) => {
    write(at("outside"), { "kept.txt": "" });
    rmSync(at("copy/b"), { recursive: true });
    symlinkSync(at("outside"), at("copy/b"));
    const held = await sweep();
    assert.deepEqual(Object.keys(held ?? {}).sort(), ["", "a.txt"]);
    assert.ok(existsSync(at("outside/kept.txt")));
  }));

test("a copy that cannot be looked through is of no use, and a disk that fails is an error", () =>
  withTree(async ({ at, sweep }) => {
    const inCopy = { test: (path: string) => path === at("copy/b") };
    assert.equal(await refusing("readdirSync", "EACCES", inCopy, sweep), null);
    await refusing("readdirSync", "EIO", inCopy, () =>
      assert.rejects(sweep(), { message: /the disk reports an error/ }),
    );
  }));

test("a copy whose own folder is another one is of no use, and an empty note leaves nothing", () =>
  withTree(async ({ at, sweep }) => {
    chmodSync(at("copy"), 0o700);
    assert.equal(await sweep(), null);
    assert.equal(await sweepTree({ copy: at("copy"), origin: null }, {}), null);
  }));

test("an original that changed shortly before it was copied is not relied on, and what is known already stays", () =>
  withFolder(async (folder) => {
    const at = (path: string) => join(folder, path);
    for (const side of ["origin", "copy"]) write(at(side), { "a.txt": "a\n", ["__proto__"]: "b\n" });
    mkdirSync(at("clock"));
    utimesSync(at("origin/a.txt"), 1, 1);
    const tree = { copy: at("copy"), origin: at("origin") };
    const note = await recordTree(tree, { "a.txt": ["known", "origin"] }, Date.now(), at("clock"));
    assert.deepEqual(note?.["a.txt"], ["known", "origin"]);
    assert.equal(Object.getOwnPropertyDescriptor(note, "__proto__")?.value[1], "");
    const ofNothing = await recordTree({ copy: at("copy"), origin: null }, {}, Date.now() + 60_000, at("clock"));
    assert.equal(ofNothing?.["a.txt"]?.[1], "gone");
  }));

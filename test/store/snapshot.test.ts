import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { PathChange } from "../../lib/store/compare-manifest.ts";
import type { Packs } from "../../lib/store/packs.ts";
import { type Manifest, openSnapshotStore, type SnapshotStore } from "../../lib/store/snapshot.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { write } from "../git/git-repo.ts";
import { isRoot, withFolder } from "./temporary-folder.ts";

const all = { skip: () => false };

/** Everything under a folder as plain values: type, mode, bytes or target. */
function picture(path: string): unknown {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) return { link: readlinkSync(path) };
  const mode = (stats.mode & 0o7777).toString(8);
  if (stats.isFile()) return { mode, bytes: readFileSync(path, "latin1") };
  if (!stats.isDirectory()) return { mode, special: true };
  return {
    mode,
    in: Object.fromEntries(
      readdirSync(path)
        .sort()
        .map((name) => [name, picture(join(path, name))]),
    ),
  };
}

function restoreAll(store: SnapshotStore, manifest: Manifest, keep: string | null = null): PathChange[] {
  const changes = store.compare(manifest, all);
  for (const [index, change] of changes.entries())
    store.restore(change, keep === null ? null : join(keep, String(index)));
  return changes;
}

interface Scene {
  readonly folder: string;
  readonly task: string;
  readonly store: SnapshotStore;
  readonly manifest: Manifest;
  readonly outside: string;
}

const task = {
  "README.md": "brief",
  "STATE.md": "state",
  "artifacts/proof.txt": "proof",
  "artifacts/deep/a": "a",
  "run.sh": "run",
};

/** A recorded task folder, and a file outside that must never be touched. */
async function scene(run: (scene: Scene) => unknown): Promise<void> {
  await withFolder(async (folder) => {
    const [path, outside] = [join(folder, "tasks/T-1"), join(folder, "outside")];
    write(path, task);
    chmodSync(join(path, "run.sh"), 0o755);
    chmodSync(join(path, "artifacts/deep"), 0o711);
    symlinkSync("artifacts/proof.txt", join(path, "link"));
    write(outside, { kept: "kept", "README.md": "not ours" });
    const store = openSnapshotStore(join(folder, "anchor"));
    const manifest = JSON.parse(JSON.stringify(store.record([path], all))) as Manifest;
    const before = picture(outside);
    await run({ folder, task: path, store: openSnapshotStore(join(folder, "anchor")), manifest, outside });
    assert.deepEqual(picture(outside), before);
  });
}

describe("a snapshot", () => {
  it("records what stands at the roots and the way there, and copies each content once", () =>
    scene(({ folder, task, manifest, store }) => {
      const under = Object.fromEntries(
        Object.entries(manifest.entries)
          .filter(([path]) => path.startsWith(task))
          .map(([path, entry]) => [path.slice(task.length), entry]),
      );
      const file = (content: string, mode = 0o666 & ~process.umask()): object => ({
        type: "file",
        mode,
        sha256: sha256(content),
        size: content.length,
      });
      const folderMode = 0o777 & ~process.umask();
      assert.deepEqual(under, {
        "": { type: "folder", mode: folderMode },
        "/README.md": file("brief"),
        "/STATE.md": file("state"),
        "/artifacts": { type: "folder", mode: folderMode },
        "/artifacts/deep": { type: "folder", mode: 0o711 },
        "/artifacts/deep/a": file("a"),
        "/artifacts/proof.txt": file("proof"),
        "/link": { type: "link", mode: 0, target: "artifacts/proof.txt" },
        "/run.sh": file("run", 0o755),
      });
      assert.deepEqual(manifest.entries[dirname(task)], { type: "folder", mode: folderMode, passage: true });
      assert.deepEqual(
        readdirSync(join(folder, "anchor/blobs")).sort(),
        ["brief", "state", "proof", "a", "run"].map((content) => sha256(content)).sort(),
      );
      assert.equal(store.readBlob(sha256("proof"))?.toString(), "proof");
      assert.deepEqual([store.readBlob(sha256("none")), store.readBlob("../anchor")], [null, null]);
    }));

  it("sees nothing where nothing changed", () =>
    scene(({ manifest, store }) => assert.deepEqual(store.compare(manifest, all), [])));

  const changes: Record<string, [string[], (scene: Scene) => unknown]> = {
    "a changed file": [["changed /README.md"], ({ task }) => writeFileSync(join(task, "README.md"), "x")],
    "a changed mode": [["changed /run.sh"], ({ task }) => chmodSync(join(task, "run.sh"), 0o644)],
    "a changed mode of a folder": [
      ["changed /artifacts/deep"],
      ({ task }) => chmodSync(join(task, "artifacts/deep"), 0o777),
    ],
    "an added file and a removed one": [
      ["removed /README.md", "added /new"],
      ({ task }) => {
        unlinkSync(join(task, "README.md"));
        write(task, { new: "x" });
      },
    ],
    "an added tree": [["added /new", "added /new/a", "added /new/a/b"], ({ task }) => write(task, { "new/a/b": "x" })],
    "a removed tree": [
      ["removed /artifacts", "removed /artifacts/deep", "removed /artifacts/proof.txt", "removed /artifacts/deep/a"],
      ({ task }) => rmSync(join(task, "artifacts"), { recursive: true }),
    ],
    "a file that became a link to the same bytes": [
      ["replaced /README.md"],
      ({ task, outside }) => {
        unlinkSync(join(task, "README.md"));
        symlinkSync(join(outside, "README.md"), join(task, "README.md"));
      },
    ],
    "a folder that became a link to elsewhere": [
      ["replaced /artifacts", "removed /artifacts/deep", "removed /artifacts/proof.txt", "removed /artifacts/deep/a"],
      ({ task, outside }) => {
        rmSync(join(task, "artifacts"), { recursive: true });
        symlinkSync(outside, join(task, "artifacts"));
      },
    ],
    "a file that became a folder, and a folder that became a file": [
      [
        "replaced /README.md",
        "replaced /artifacts",
        "added /README.md/x",
        "removed /artifacts/deep",
        "removed /artifacts/proof.txt",
        "removed /artifacts/deep/a",
      ],
      ({ task }) => {
        unlinkSync(join(task, "README.md"));
        rmSync(join(task, "artifacts"), { recursive: true });
        write(task, { "README.md/x": "x", artifacts: "x" });
      },
    ],
    "a file that became a pipe": [
      ["replaced /STATE.md"],
      ({ task }) => {
        unlinkSync(join(task, "STATE.md"));
        execFileSync("mkfifo", [join(task, "STATE.md")]);
      },
    ],
    "a link that leads elsewhere": [
      ["changed /link"],
      ({ task, outside }) => {
        unlinkSync(join(task, "link"));
        symlinkSync(join(outside, "kept"), join(task, "link"));
      },
    ],
    "the whole root gone": [
      [
        "removed ",
        "removed /README.md",
        "removed /STATE.md",
        "removed /artifacts",
        "removed /link",
        "removed /run.sh",
        "removed /artifacts/deep",
        "removed /artifacts/proof.txt",
        "removed /artifacts/deep/a",
      ],
      ({ task }) => rmSync(task, { recursive: true }),
    ],
  };
  for (const [name, [expected, act]] of Object.entries(changes)) {
    it(`finds and puts back ${name}`, () =>
      scene((given) => {
        const before = picture(given.task);
        act(given);
        const found = restoreAll(given.store, given.manifest);
        assert.deepEqual(
          found.map(({ change, path }) => `${change} ${path.slice(given.task.length)}`),
          expected,
        );
        assert.deepEqual([picture(given.task), given.store.compare(given.manifest, all)], [before, []]);
      }));
  }

  it("finds and puts back a folder above the roots that became a link to a copy", () =>
    scene((given) => {
      const { folder, task, store, manifest } = given;
      const before = picture(task);
      renameSync(join(folder, "tasks"), join(folder, "moved"));
      symlinkSync("moved", join(folder, "tasks"));
      const found = restoreAll(store, manifest);
      assert.deepEqual(
        found.slice(0, 2).map(({ path, change }) => [path, change]),
        [
          [join(folder, "tasks"), "replaced"],
          [task, "removed"],
        ],
      );
      assert.deepEqual(
        [picture(task), lstatSync(join(folder, "tasks")).isDirectory(), picture(join(folder, "moved/T-1"))],
        [before, true, before],
      );
    }));

  it("lets the mode and the other contents of a folder above the roots be, and its loss where nothing was in it", () =>
    withFolder((folder) => {
      const store = openSnapshotStore(join(folder, "anchor"));
      write(folder, { "repo/test/a": "a", "repo/empty/x": "x" });
      const manifest = store.record([join(folder, "repo/test/a"), join(folder, "repo/empty/protected")], all);
      chmodSync(join(folder, "repo/test"), 0o711);
      write(folder, { "repo/test/b": "b" });
      rmSync(join(folder, "repo/empty"), { recursive: true });
      assert.deepEqual(store.compare(manifest, all), []);
      rmSync(join(folder, "repo"), { recursive: true });
      assert.deepEqual(
        restoreAll(store, manifest).map(({ path, change }) => [path, change]),
        [[join(folder, "repo/test/a"), "removed"]],
      );
      assert.equal(readFileSync(join(folder, "repo/test/a"), "utf8"), "a");
    }));

  it("does not look through a link that took the place of a recorded folder above another root", () =>
    scene(({ folder, task, outside }) => {
      const store = openSnapshotStore(join(folder, "anchor"));
      const manifest = store.record([task, join(task, "artifacts/proof.txt")], all);
      const before = picture(task);
      renameSync(join(task, "artifacts"), join(folder, "moved"));
      symlinkSync(join(folder, "moved"), join(task, "artifacts"));
      assert.ok(
        store.compare(manifest, all).some(({ path, change }) => change === "removed" && path.endsWith("proof.txt")),
      );
      restoreAll(store, manifest);
      assert.deepEqual(
        [picture(task), existsSync(join(folder, "moved/proof.txt")), existsSync(outside)],
        [before, true, true],
      );
    }));

  it("goes through a link above the roots that was there before", () =>
    withFolder((folder) => {
      write(folder, { "real/a": "a" });
      symlinkSync("real", join(folder, "alias"));
      const manifest = openSnapshotStore(join(folder, "anchor")).record([join(folder, "alias/a")], all);
      const store = openSnapshotStore(join(folder, "anchor"));
      writeFileSync(join(folder, "real/a"), "b");
      assert.deepEqual(
        restoreAll(store, manifest).map(({ path }) => path),
        [join(folder, "alias/a")],
      );
      assert.equal(readFileSync(join(folder, "real/a"), "utf8"), "a");
      unlinkSync(join(folder, "alias"));
      symlinkSync("elsewhere", join(folder, "alias"));
      restoreAll(store, manifest);
      assert.equal(readlinkSync(join(folder, "alias")), "real");
    }));

  it("removes what appeared at a root that was missing", () =>
    withFolder((folder) => {
      const store = openSnapshotStore(join(folder, "anchor"));
      const manifest = store.record([join(folder, "none/at/all"), join(folder, "missing")], all);
      write(folder, { "missing/a": "x", "none/at/all/b": "x" });
      assert.deepEqual(
        restoreAll(store, manifest).map(({ change }) => change),
        ["added", "added", "added", "added"],
      );
      assert.deepEqual([existsSync(join(folder, "missing")), existsSync(join(folder, "none/at/all"))], [false, false]);
    }));

  it("leaves out what is skipped, in recording and in comparing", () =>
    scene(({ folder, task, store }) => {
      const skip = { skip: (path: string) => path === join(task, "artifacts") };
      const manifest = store.record([task], skip);
      write(task, { "artifacts/proof.txt": "changed", "README.md": "changed" });
      assert.deepEqual(
        store.compare(manifest, skip).map(({ path }) => path),
        [join(task, "README.md")],
      );
      assert.equal(existsSync(join(folder, "anchor/blobs", sha256("changed"))), false);
    }));

  it("keeps the earlier files: bytes redacted, links and pipes as text, names that are not UTF-8 written out", () =>
    scene(({ folder, task, manifest, outside }) => {
      const token = `ghp_${"a1B2c3D4e5".repeat(4)}`;
      const store = openSnapshotStore(join(folder, "anchor"), { redactor: createRedactor({}) });
      writeFileSync(join(task, "README.md"), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`é ${token}`)]));
      rmSync(join(task, "artifacts"), { recursive: true });
      symlinkSync(outside, join(task, "artifacts"));
      mkdirSync(join(task, "new"));
      execFileSync("mkfifo", [join(task, "new/pipe")]);
      writeFileSync(Buffer.concat([Buffer.from(`${task}/new/`), Buffer.from([0xff])]), "odd");
      for (const change of store.compare(manifest, all))
        store.restore(change, join(folder, "kept", change.path.slice(task.length + 1)));
      assert.equal(
        readFileSync(join(folder, "kept/README.md"), "latin1"),
        `\xff\xfe${Buffer.from("é").toString("latin1")} [redacted:github]`,
      );
      assert.equal(readFileSync(join(folder, "kept/artifacts"), "utf8"), `a link to ${outside}\n`);
      assert.equal(readFileSync(join(folder, "kept/new/pipe"), "utf8"), "a pipe, a socket or a device\n");
      assert.equal(readFileSync(join(folder, "kept/new/\\xff"), "utf8"), "odd");
      assert.deepEqual(store.compare(manifest, all), []);
    }));

  it("writes over no earlier kept copy", () =>
    scene(({ folder, task, manifest, store }) => {
      for (const text of ["one", "two"]) {
        writeFileSync(join(task, "README.md"), text);
        restoreAll(store, manifest, join(folder, "kept"));
      }
      assert.deepEqual(
        [readFileSync(join(folder, "kept/0"), "utf8"), readFileSync(join(folder, "kept/0.2"), "utf8")],
        ["one", "two"],
      );
    }));

  it("puts back a pipe's mode but cannot make a pipe again", () =>
    withFolder((folder) => {
      const [pipe, store] = [join(folder, "pipe"), openSnapshotStore(join(folder, "anchor"))];
      execFileSync("mkfifo", ["-m", "600", pipe]);
      const manifest = store.record([pipe], all);
      chmodSync(pipe, 0o644);
      restoreAll(store, manifest);
      assert.deepEqual(picture(pipe), { mode: "600", special: true });
      unlinkSync(pipe);
      restoreAll(store, manifest);
      assert.equal(existsSync(pipe), false);
    }));

  it("restores into, and cleans out of, folders whose rights do not let it", () =>
    scene(({ task, manifest, store }) => {
      const before = picture(task);
      unlinkSync(join(task, "artifacts/deep/a"));
      write(task, { "artifacts/deep/added/x": "x" });
      chmodSync(join(task, "artifacts/deep/added"), 0o000);
      chmodSync(join(task, "artifacts/deep"), 0o000);
      chmodSync(join(task, "artifacts"), 0o555);
      restoreAll(store, manifest);
      restoreAll(store, manifest);
      assert.deepEqual(picture(task), before);
    }));

  it("restores into a folder that was recorded as read-only", { skip: isRoot }, () =>
    scene(({ folder, task, store }) => {
      chmodSync(join(task, "artifacts"), 0o555);
      const manifest = store.record([task], all);
      const before = picture(task);
      chmodSync(join(task, "artifacts"), 0o755);
      unlinkSync(join(task, "artifacts/proof.txt"));
      restoreAll(store, manifest);
      assert.deepEqual([picture(task), existsSync(folder)], [before, true]);
    }),
  );

  it("refuses to put back below a link that it does not know", () =>
    scene(({ task, manifest, store, outside }) => {
      rmSync(join(task, "artifacts"), { recursive: true });
      symlinkSync(outside, join(task, "artifacts"));
      const removed = store.compare(manifest, all).find(({ path }) => path.endsWith("proof.txt"));
      assert.ok(removed !== undefined);
      assert.throws(() => store.restore(removed, null), {
        message: /artifacts is no longer a folder; restore that first/,
      });
      const added: PathChange = { path: join(task, "artifacts/kept"), change: "added", was: null, now: null };
      store.restore(added, null);
    }));

  it("reports a damaged copy, leaves the files in place, and makes the copy anew at the next record", () =>
    scene(({ folder, task, manifest, store }) => {
      const blob = join(folder, "anchor/blobs", sha256("brief"));
      truncateSync(blob, 2);
      writeFileSync(join(task, "README.md"), "other");
      assert.equal(store.readBlob(sha256("brief")), null);
      assert.throws(() => restoreAll(store, manifest), {
        message: /^cannot restore .*README.md: the copy \w+ is gone or damaged/,
      });
      assert.equal(readFileSync(join(task, "README.md"), "utf8"), "other");
      writeFileSync(join(task, "README.md"), "brief");
      store.record([task], all);
      assert.equal(store.readBlob(sha256("brief"))?.toString(), "brief");
    }));

  it("keeps a file of many megabytes byte for byte", () =>
    withFolder((folder) => {
      const [path, store] = [join(folder, "big"), openSnapshotStore(join(folder, "anchor"))];
      const bytes = Buffer.alloc(3_000_001, "0123456789abcdef\n");
      writeFileSync(path, bytes);
      const manifest = store.record([path], all);
      writeFileSync(path, bytes.subarray(1));
      restoreAll(store, manifest, join(folder, "kept"));
      assert.ok(readFileSync(path).equals(bytes) && readFileSync(join(folder, "kept/0")).equals(bytes.subarray(1)));
    }));
});

type Deed = (root: string, outside: string) => void;
const name = fc.constantFrom("a", "b", "c", "d\n", "é");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
// What nobody but root can read, the test itself could not look at.
const modes = isRoot ? [0o000, 0o444, 0o755, 0o4711, 0o1777] : [0o500, 0o555, 0o755, 0o700];
const attempt =
  (deed: Deed): Deed =>
  (root, outside) => {
    try {
      deed(root, outside);
    } catch {
      // Not every deed can be done in every state.
    }
  };
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(path, fc.string()).map(([at, text]) =>
    attempt((root) => {
      // Writing to a pipe would wait for a reader.
      if (lstatSync(join(root, at), { throwIfNoEntry: false })?.isFIFO() !== true) write(root, { [at]: text });
    }),
  ),
  path.map((at) => attempt((root) => rmSync(join(root, at), { recursive: true }))),
  path.map((at) => attempt((root) => mkdirSync(join(root, at), { recursive: true }))),
  path.map((at) => attempt((root, outside) => symlinkSync(outside, join(root, at)))),
  path.map((at) => attempt((root) => execFileSync("mkfifo", [join(root, at)], { stdio: "ignore" }))),
  fc.tuple(path, path).map(([from, to]) => attempt((root) => renameSync(join(root, from), join(root, to)))),
  fc.tuple(path, fc.constantFrom(...modes)).map(([at, mode]) =>
    attempt((root) => {
      if (!lstatSync(join(root, at)).isSymbolicLink()) chmodSync(join(root, at), mode);
    }),
  ),
);

describe("pruning", () => {
  it("removes the copies that no entry needs, and keeps the others", async () => {
    await withFolder((folder) => {
      const [root, anchor] = [join(folder, "task"), join(folder, "anchor")];
      write(root, { "a.md": "first", "b.md": "kept" });
      const store = openSnapshotStore(anchor);
      store.record([root], all);
      write(root, { "a.md": "second" });
      const manifest = store.record([root], all);
      const pinned = { type: "file", mode: 0o644, sha256: sha256("first") } as const;
      store.prune([...Object.values(manifest.entries), pinned]);
      const texts = ["first", "second", "kept"];
      assert.deepEqual(
        texts.map((text) => store.readBlob(sha256(text))?.toString()),
        texts,
      );
      store.prune(Object.values(manifest.entries));
      assert.deepEqual(
        texts.map((text) => store.readBlob(sha256(text))?.toString()),
        [undefined, "second", "kept"],
      );
      openSnapshotStore(join(folder, "none")).prune([]);
      return Promise.resolve();
    });
  });
});

describe("recording, any changes, comparing and restoring", () => {
  it("is the identity, and a second comparison finds nothing", async () => {
    const isNoPipe = (text: string): boolean => !text.includes('"special":true');
    await withFolder(async (folder) => {
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(deed, { maxLength: 12 }), fc.array(deed, { maxLength: 12 }), (setUp, changes) => {
          round += 1;
          const [root, outside] = [join(folder, String(round), "root"), join(folder, String(round), "outside")];
          write(outside, { a: "kept", "b/c": "kept" });
          mkdirSync(root);
          const untouched = picture(outside);
          for (const act of setUp) act(root, join(folder, "nowhere"));
          const before = picture(root);
          fc.pre(isNoPipe(JSON.stringify(before)));
          const store = openSnapshotStore(join(folder, "anchor"));
          const manifest = store.record([root], all);
          for (const act of changes) act(root, outside);
          fc.pre(JSON.stringify(picture(outside)) === JSON.stringify(untouched));
          const changed = JSON.stringify(picture(root)) !== JSON.stringify(before);
          assert.equal(restoreAll(store, manifest, join(folder, String(round), "kept")).length > 0, changed);
          if (!isRoot) restoreAll(store, manifest);
          assert.deepEqual([picture(root), store.compare(manifest, all), picture(outside)], [before, [], untouched]);
          return Promise.resolve();
        }),
        { numRuns: 40 },
      );
    });
  });
});

it("a copy in a pack is read only if its bytes are those that the entry names", () =>
  withFolder((folder) => {
    const read = (ref: string, size: number) => (ref === "one:0" && size === 4 ? Buffer.from("text") : null);
    const store = openSnapshotStore(folder, { packs: { read } as unknown as Packs });
    const copyOf = (at: string, digest: string) =>
      store.readCopy({ type: "file", mode: 0o644, size: 4, sha256: digest, at });
    assert.equal(copyOf("one:0", sha256("text"))?.toString(), "text");
    assert.deepEqual([copyOf("one:0", sha256("other")), copyOf("two:0", sha256("text"))], [null, null]);
    assert.equal(store.readCopy({ type: "folder", mode: 0o755 }), null);
  }));

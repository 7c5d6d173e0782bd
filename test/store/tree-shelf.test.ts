import assert from "node:assert/strict";
import fs, {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import type { PathChange } from "../../lib/store/compare-manifest.ts";
import { openSnapshotStore } from "../../lib/store/snapshot.ts";
import { openTreeShelf, type Recorded, type TreeShelf } from "../../lib/store/tree-shelf.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { write } from "../git/git-repo.ts";
import { recordDisk } from "./recorded-disk.ts";
import { withFolder } from "./temporary-folder.ts";

/** Longer than what changed a moment ago is read again for. */
const settle = () => setTimeout(120);

/** In seconds. */
const longAgo = 1_700_000_000;

const files = {
  "README.md": "brief",
  "STATE.md": "state",
  "artifacts/proof.txt": "proof",
  "artifacts/passes/note.txt": "note",
  "artifacts/passes/0001/pass.json": "{}",
  "artifacts/passes/0001/validators/tests.log": "log",
  "artifacts/passes/0002/pass.json": "{ }",
};

interface Scene {
  readonly folder: string;
  readonly shelfFolder: string;
  /** The folder of another task. */
  path(name?: string, task?: string): string;
  open(owner?: string): TreeShelf;
  record(shelf?: TreeShelf, tasks?: readonly string[], isCounted?: boolean): Recorded;
  /** As `changed README.md`, by a shelf that knows nothing but the record. */
  changes(recorded: Recorded): string[];
}

async function scene(run: (scene: Scene) => unknown): Promise<void> {
  await withFolder(async (folder) => {
    const path: Scene["path"] = (name = "", task = "T-2") => join(folder, "tasks", task, name);
    for (const task of ["T-1", "T-2", "T-3"]) write(path("", task), { ...files, "log.txt": task });
    utimesSync(path("artifacts"), longAgo, longAgo);
    const shelfFolder = join(folder, "shelf");
    const open: Scene["open"] = (owner = "a") => {
      mkdirSync(join(folder, "tasks-state", owner), { recursive: true });
      return openTreeShelf(shelfFolder, join(folder, "tasks-state", owner));
    };
    const record: Scene["record"] = (shelf = open(), tasks = ["T-2", "T-3"], isCounted = false) =>
      shelf.record({
        task: path("", "T-1"),
        roots: [path("README.md", "T-1")],
        options: { skip: () => false },
        trees: new Map(tasks.map((task) => [path("", task), (last) => (isCounted ? `${Number(last ?? 0) + 1}` : "")])),
      });
    const changes: Scene["changes"] = ({ trees }) => open().compare(trees).map(describeIn(path()));
    await run({ folder, shelfFolder, path, open, record, changes });
  });
}

const noted = (folder: string) => [folder, () => ""] as const;

const describeIn =
  (folder: string) =>
  ({ change, path }: PathChange): string =>
    `${change} ${path.startsWith(folder) ? path.slice(folder.length).replace(/^\//, "") : path}`;

const gone = (name: string): string => `removed ${name}`;

/** The file has other bytes, and a person's tools see no difference. */
function forge(path: string, text: string): void {
  const { atime, mtime } = lstatSync(path);
  writeFileSync(path, text);
  utimesSync(path, atime, mtime);
}

const attacks: Readonly<Record<string, readonly [readonly string[], (scene: Scene) => void]>> = {
  nothing: [[], () => {}],
  "bytes, with size and time as before": [["changed README.md"], ({ path }) => forge(path("README.md"), "BRIEF")],
  "bytes of an old pass": [
    ["changed artifacts/passes/0001/pass.json"],
    ({ path }) => forge(path("artifacts/passes/0001/pass.json"), "[]"),
  ],
  "rights of a folder": [["changed artifacts"], ({ path }) => chmodSync(path("artifacts"), 0o700)],
  "a new file and a removed one": [
    ["removed STATE.md", "added new.txt"],
    ({ path }) => renameSync(path("STATE.md"), path("new.txt")),
  ],
  "a new file, with the times of its folder set back": [
    ["added artifacts/new.txt"],
    ({ path }) => {
      writeFileSync(path("artifacts/new.txt"), "");
      utimesSync(path("artifacts"), longAgo, longAgo);
    },
  ],
  "a new pass": [
    ["added artifacts/passes/0003", "added artifacts/passes/0003/pass.json"],
    ({ path }) => write(path("artifacts/passes/0003"), { "pass.json": "{}" }),
  ],
  "an old pass, removed": [
    [gone("artifacts/passes/0002"), gone("artifacts/passes/0002/pass.json")],
    ({ path }) => rmSync(path("artifacts/passes/0002"), { recursive: true }),
  ],
  "an old pass, replaced by a link to the same": [
    ["replaced artifacts/passes/0002", gone("artifacts/passes/0002/pass.json")],
    ({ path, folder }) => {
      renameSync(path("artifacts/passes/0002"), join(folder, "aside"));
      symlinkSync(join(folder, "aside"), path("artifacts/passes/0002"));
    },
  ],
  "a file, replaced by one of the same bytes": [
    [],
    ({ path }) => {
      writeFileSync(path("other"), "brief");
      renameSync(path("other"), path("README.md"));
    },
  ],
  "the folder of artifacts, replaced by a link to the same": [
    [
      "replaced artifacts",
      gone("artifacts/passes"),
      gone("artifacts/proof.txt"),
      gone("artifacts/passes/0001"),
      gone("artifacts/passes/0002"),
      gone("artifacts/passes/note.txt"),
      gone("artifacts/passes/0001/pass.json"),
      gone("artifacts/passes/0001/validators"),
      gone("artifacts/passes/0002/pass.json"),
      gone("artifacts/passes/0001/validators/tests.log"),
    ],
    ({ path, folder }) => {
      renameSync(path("artifacts"), join(folder, "aside"));
      symlinkSync(join(folder, "aside"), path("artifacts"));
    },
  ],
};

describe("folders that are recorded as trees", () => {
  for (const [name, [expected, attack]] of Object.entries(attacks)) {
    for (const settled of [true, false]) {
      it(`tell and put back ${name}${settled ? "" : ", right after they changed"}`, () =>
        scene(async (given) => {
          if (settled) await settle();
          const recorded = JSON.parse(JSON.stringify(given.record())) as Recorded;
          if (settled) await settle();
          attack(given);
          assert.deepEqual(given.changes(recorded), expected);
          const shelf = given.open();
          const store = openSnapshotStore(join(given.folder, "anchor"), { packs: shelf.packs });
          for (const change of shelf.compare(recorded.trees)) store.restore(change, null);
          assert.deepEqual(given.changes(recorded), []);
          for (const [file, text] of Object.entries(files)) assert.equal(readFileSync(given.path(file), "utf8"), text);
        }));
    }
  }

  it("tell everything below a tasks root that was replaced by a link to the same", () =>
    scene(async ({ folder, record, open }) => {
      const { trees } = record();
      renameSync(join(folder, "tasks"), join(folder, "aside"));
      symlinkSync(join(folder, "aside"), join(folder, "tasks"));
      const told = open().compare(trees);
      assert.deepEqual([told.length, ...new Set(told.map(({ change }) => change))], [2 * 14, "removed"]);
    }));

  it("tell a name that is no UTF-8, as a folder of passes too", () =>
    scene(({ path, record, open }) => {
      const name = Buffer.from([0x6e, 0xff]);
      const { trees } = record();
      for (const folder of [path(), path("artifacts/passes")]) {
        const strange = Buffer.concat([Buffer.from(`${folder.replace(/\/$/, "")}/`), name]);
        mkdirSync(strange);
        writeFileSync(Buffer.concat([strange, Buffer.from("/x")]), "x");
      }
      const added = open()
        .compare(trees)
        .map(({ change, path: key }) => `${change} ${key.slice(key.indexOf("T-2") + 4)}`);
      assert.deepEqual(added, [
        "added n\\xff",
        "added n\\xff/x",
        "added artifacts/passes/n\\xff",
        "added artifacts/passes/n\\xff/x",
      ]);
    }));

  it("are read where the clock of their disk is too coarse to tell", () =>
    scene(async ({ path, record, changes }) => {
      const real = fs.lstatSync;
      const coarse = (ms: number): number => Math.floor(ms / 50) * 50;
      Reflect.set(fs, "lstatSync", (...values: Parameters<typeof real>) => {
        const stats = real(...values);
        if (stats !== undefined && "ctimeMs" in stats && typeof stats.ctimeMs === "number") {
          stats.ctimeMs = coarse(stats.ctimeMs);
          stats.mtimeMs = coarse(Number(stats.mtimeMs));
        }
        return stats;
      });
      syncBuiltinESMExports();
      try {
        for (;;) {
          writeFileSync(path("README.md"), "first");
          const recorded = record();
          writeFileSync(path("README.md"), "other");
          assert.deepEqual(changes(recorded), ["changed README.md"]);
          if (coarse(Date.now()) === coarse(lstatSync(path("README.md")).ctimeMs)) break;
        }
      } finally {
        Reflect.set(fs, "lstatSync", real);
        syncBuiltinESMExports();
      }
    }));

  it("give the note of the last record to the next one that notes them", () =>
    scene(({ record, open, path }) => {
      record(undefined, undefined, true);
      const { trees } = record(undefined, undefined, true);
      assert.deepEqual(
        [...open().notes(trees)],
        [
          [path("", "T-2").replace(/\/$/, ""), "2"],
          [path("", "T-3").replace(/\/$/, ""), "2"],
        ],
      );
    }));

  it("are reported exactly as if each file were read, after any change", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) =>
        scene(({ folder, path, record, open }) => {
          const plain = openSnapshotStore(join(folder, "plain"));
          const roots = [path("", "T-2"), path("", "T-3")].map((root) => root.replace(/\/$/, ""));
          const all = { skip: () => false };
          const manifest = plain.record(roots, all);
          const shelf = open();
          const { trees } = record(shelf);
          for (const act of steps) act(path());
          const found = shelf.compare(trees).map(describeIn(folder));
          assert.deepEqual(found, plain.compare(manifest, all).map(describeIn(folder)));
          assert.deepEqual(shelf.compare(trees).map(describeIn(folder)), found);
        }),
      ),
      { numRuns: 60 },
    ));
});

const places = [
  "README.md",
  "artifacts",
  "artifacts/passes",
  "artifacts/passes/0001",
  "artifacts/passes/0001/pass.json",
  "new",
  "artifacts/passes/0009",
];
/** One change by somebody who does not care what is there. */
const step: fc.Arbitrary<(folder: string) => void> = fc
  .tuple(fc.constantFrom(...places), fc.constantFrom("write", "remove", "folder", "link", "mode", "touch"))
  .map(([name, what]) => (folder) => {
    const path = join(folder, name);
    try {
      if (what === "write") appendFileSync(path, "x");
      else if (what === "mode") chmodSync(path, 0o751);
      else if (what === "touch") utimesSync(path, 1, 1);
      else {
        rmSync(path, { recursive: true, force: true });
        if (what === "folder") write(path, { "a.txt": "a", "deep/b.txt": "b" });
        if (what === "link") symlinkSync(dirname(path), path);
      }
    } catch {
      // An earlier step took the way there.
    }
  });

describe("the record of folders that did not change", () => {
  it("has the same bytes in current.json however many they are, and copies nothing again", () =>
    scene(async ({ folder, shelfFolder, path, record }) => {
      for (let count = 10; count < 60; count += 1) write(path("", `T-${count}`), { ...files, "log.txt": `${count}` });
      const all = readdirSync(join(folder, "tasks")).filter((name) => name !== "T-1");
      await settle();
      const few = JSON.stringify(record(undefined, ["T-2"]).trees).length;
      const many = JSON.stringify(record(undefined, all).trees).length;
      assert.ok(Math.abs(many - few) < 20, `${few} and ${many} bytes`);
      const size = () =>
        readdirSync(shelfFolder).reduce((sum, name) => sum + lstatSync(join(shelfFolder, name)).size, 0);
      record(undefined, all);
      const before = size();
      record(undefined, all);
      // One text of rows has that of the task itself.
      assert.ok(size() - before < 16_000, `${size() - before} bytes more`);
      for (const name of all) appendFileSync(path("STATE.md", name), "more");
      record(undefined, all);
      assert.ok(size() - before > 50 * 100);
    }));

  it("is durable by one fsync, and one of the folder for a new pack", () =>
    scene(({ shelfFolder, record, open }) => {
      mkdirSync(shelfFolder, { mode: 0o700 });
      const syncs = (): string[] =>
        recordDisk(shelfFolder, () => record(open())).filter((call) => call.startsWith("fsync"));
      assert.deepEqual(
        syncs().map((call) => call.replace(/a-[0-9a-f]+/, "PACK")),
        ["fsync PACK", "fsync ."],
      );
      assert.deepEqual(
        syncs().map((call) => call.replace(/a-[0-9a-f]+/, "PACK")),
        ["fsync PACK"],
      );
    }));

  it("are reported equally by a task that records after another one's passes", () =>
    scene(async ({ path, open, record, changes }) => {
      for (const [last, others] of [
        ["T-2", ["T-1", "T-3"]],
        ["T-3", ["T-1", "T-2"]],
      ] as const) {
        open(last).record({
          task: path("", last),
          roots: [path("README.md", last)],
          options: { skip: () => false },
          trees: new Map([...others.map((other) => path("", other)), path("artifacts/passes", last)].map(noted)),
        });
      }
      const recorded = record();
      assert.deepEqual(changes(recorded), []);
      rmSync(path("artifacts/passes/0002"), { recursive: true });
      assert.deepEqual(changes(record()), [], "its runner removes passes that are packed");
      await settle();
      assert.deepEqual(changes(record()), []);
      rmSync(path("artifacts/passes"), { recursive: true });
      assert.deepEqual(changes(record()), []);
      assert.deepEqual(changes(recorded).slice(0, 2), [gone("artifacts/passes"), gone("artifacts/passes/0001")]);
    }));

  it("shares the copies of other owners, who write to packs of their own", () =>
    scene(async ({ shelfFolder, path, open, record }) => {
      await settle();
      record(open("a"));
      const packs = () => readdirSync(shelfFolder).filter((name) => name !== "newest.json");
      const first = packs()[0] ?? assert.fail();
      const before = readFileSync(join(shelfFolder, first));
      const { trees } = record(open("b"));
      assert.deepEqual(
        packs()
          .map((name) => name[0])
          .sort(),
        ["a", "b"],
      );
      assert.deepEqual(readFileSync(join(shelfFolder, first)), before);
      assert.ok(trees.packs.includes(first), "the pass names every pack that it needs");
      forge(path("README.md"), "BRIEF");
      const shelf = open("b");
      const [change] = shelf.compare(trees);
      assert.equal(shelf.packs.read(change?.was?.at ?? "", 5)?.toString(), "brief");
    }));

  it("gives up a pack that is hardly needed any more, and copies what is left of it", () =>
    scene(async ({ path, record, changes, shelfFolder }) => {
      writeFileSync(path("artifacts/large.bin"), "x".repeat(400_000));
      await settle();
      const first = record().trees.packs;
      writeFileSync(path("artifacts/large.bin"), "y");
      record();
      const recorded = record();
      assert.equal(
        recorded.trees.packs.some((name) => first.includes(name)),
        false,
      );
      for (const name of first) rmSync(join(shelfFolder, name));
      await settle();
      forge(path("README.md"), "BRIEF");
      assert.deepEqual(changes(recorded), ["changed README.md"]);
    }));
});

describe("the files of a recorded folder", () => {
  const own = ["artifacts/passes/0001", "artifacts/passes/0002"];
  /** As a task records its own passes; a file may have a name that is no UTF-8. */
  const recordOwn = ({ path }: Scene, shelf: TreeShelf) =>
    shelf.record({
      task: path("", "T-2"),
      roots: [path("README.md")],
      options: { skip: () => false },
      trees: new Map([noted(path("artifacts/passes"))]),
    });
  const known = ({ path }: Scene, shelf: TreeShelf) =>
    own.map((name) => {
      const found = shelf.filesIn(path(name));
      return found === null ? null : [...found.keys()].sort();
    });
  const both = [["pass.json", "validators/tests.log"], ["pass.json"]];

  it("are known after a compare that found it as recorded, with their digests and sizes", () =>
    scene((given) => {
      const shelf = given.open();
      const { trees } = recordOwn(given, shelf);
      assert.deepEqual(known(given, shelf), [null, null]);
      symlinkSync("pass.json", given.path("artifacts/passes/0002/link"));
      shelf.compare(trees);
      assert.deepEqual(known(given, shelf), [both[0], null]);
      recordOwn(given, shelf);
      assert.deepEqual(known(given, shelf), [null, null]);
      shelf.compare(recordOwn(given, shelf).trees);
      assert.deepEqual(known(given, shelf), both);
      assert.deepEqual(shelf.filesIn(given.path("artifacts/passes/0001"))?.get("validators/tests.log"), {
        sha256: sha256("log"),
        size: 3,
      });
      assert.equal(shelf.filesIn(given.path("artifacts")), null);
    }));

  it("are not known by another shelf, of a folder that changed since, and if a name is no UTF-8", () =>
    scene(async (given) => {
      writeFileSync(Buffer.concat([Buffer.from(given.path("artifacts/passes/0001/")), Buffer.from([0x6e, 0xff])]), "");
      await settle();
      const shelf = given.open();
      const { trees } = recordOwn(given, shelf);
      shelf.compare(trees);
      assert.deepEqual(known(given, shelf), [null, both[1]]);
      assert.deepEqual(known(given, given.open()), [null, null]);
      forge(given.path("artifacts/passes/0002/pass.json"), "[ ]");
      shelf.compare(trees);
      assert.deepEqual(known(given, shelf), [null, null]);
      writeFileSync(given.path("artifacts/passes/0002/pass.json"), "{ }");
      shelf.compare(trees);
      assert.deepEqual(known(given, shelf), [null, both[1]]);
    }));

  for (const [what, spoil] of Object.entries({
    gone: (file: string) => rmSync(file),
    "cut off": (file: string) => truncateSync(file, 10),
    "full of other bytes": (file: string) => writeFileSync(file, "x".repeat(lstatSync(file).size)),
  })) {
    it(`are not known if the pack that names them is ${what}`, () =>
      scene(async (given) => {
        await settle();
        const shelf = given.open();
        shelf.compare(recordOwn(given, shelf).trees);
        for (const name of readdirSync(given.shelfFolder)) spoil(join(given.shelfFolder, name));
        assert.deepEqual(known(given, shelf), [null, null]);
      }));
  }
});

/** What somebody with a bad disk, or with rights to the state folder, may do to what only saves work. */
const spoilers: Readonly<Record<string, (scene: Scene) => void>> = {
  "is gone": ({ shelfFolder }) => rmSync(join(shelfFolder, "newest.json")),
  "is empty": ({ shelfFolder }) => truncateSync(join(shelfFolder, "newest.json"), 0),
  "is garbage": ({ shelfFolder }) => writeFileSync(join(shelfFolder, "newest.json"), '{"ref":"x","packs":{}}'),
  "names another text": ({ shelfFolder }) => {
    const file = join(shelfFolder, "newest.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/:[0-9a-f]{64}"/, `:${sha256("lies")}"`));
  },
  "lost its packs": ({ shelfFolder }) => {
    for (const name of readdirSync(shelfFolder)) if (name !== "newest.json") rmSync(join(shelfFolder, name));
  },
  "lost the end of a pack": ({ shelfFolder }) => {
    for (const name of readdirSync(shelfFolder)) if (name !== "newest.json") truncateSync(join(shelfFolder, name), 10);
  },
  "is of another day": ({ path }) => writeFileSync(path("STATE.md"), "later"),
};

describe("files known from earlier passes", () => {
  for (const [what, spoil] of Object.entries(spoilers)) {
    it(`costs time and nothing else if it ${what}`, () =>
      scene(async (given) => {
        await settle();
        given.record();
        spoil(given);
        await settle();
        const recorded = given.record();
        assert.deepEqual(given.changes(recorded), []);
        const shelf = given.open();
        const store = openSnapshotStore(join(given.folder, "anchor"), { packs: shelf.packs });
        rmSync(given.path("artifacts"), { recursive: true });
        forge(given.path("README.md"), "BRIEF");
        for (const change of shelf.compare(recorded.trees)) store.restore(change, null);
        assert.deepEqual(given.changes(recorded), []);
        assert.equal(readFileSync(given.path("README.md"), "utf8"), "brief");
      }));
  }

  it("is not what a pass is compared with: a record that is damaged is an error", () =>
    scene(({ shelfFolder, path, record, open }) => {
      const { trees } = record();
      rmSync(join(shelfFolder, "newest.json"));
      assert.deepEqual(open().compare(trees), []);
      forge(path("README.md"), "BRIEF");
      for (const name of readdirSync(shelfFolder)) {
        const bytes = readFileSync(join(shelfFolder, name));
        writeFileSync(
          join(shelfFolder, name),
          bytes.map((byte) => byte ^ 1),
        );
      }
      const isDamaged = (error: unknown) => error instanceof TaskPhaseError && error.findings[0]?.code === "TP_ANCHOR";
      assert.throws(() => open().compare(trees), isDamaged);
      assert.ok(existsSync(path("README.md")));
    }));
});

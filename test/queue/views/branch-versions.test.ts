import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FolderFiles, Folders } from "../../../lib/queue/views/branch-trees.ts";
import { findTasks } from "../../../lib/queue/views/branch-versions.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

/** Blobs by name; a folder is an id and a journal, null for none. */
type FolderSpec = readonly [id: string, journal: string | null, mode?: string];
type Specs = Readonly<Record<string, FolderSpec>>;

const blobs = new Map<string, Buffer>();

function blob(text: string, mode = "100644") {
  const oid = Buffer.from(text).toString("hex");
  blobs.set(oid, Buffer.from(text));
  return { mode, oid };
}

function filesOf([id, journal, mode]: FolderSpec): FolderFiles {
  const files = new Map([["README.md", blob(`---\nid: ${id}\ntitle: x\n---\n`)]]);
  if (journal === null) files.set("STATE.md", blob("state"));
  else files.set("artifacts/journal.jsonl", blob(journal, mode));
  return files;
}

const foldersOf = (specs: Specs): Folders =>
  new Map(Object.entries(specs).map(([name, spec]) => [name, filesOf(spec)] as const));

interface Found {
  readonly base?: Specs | null;
  /** What each branch changes, by its ref; the id is the last part of it. */
  readonly branches: Readonly<Record<string, Specs>>;
  readonly missing?: string;
}

/** For each task its id, folder, where it counts and whether it is merged; or the code of its error. */
async function find({ base = null, branches, missing }: Found): Promise<string[]> {
  const inherited = foldersOf(base ?? {});
  const own = Object.entries(branches).map(([ref]) => ({ ref, commit: ref, id: ref.split("/").at(-1) ?? "" }));
  const changed = new Map(Object.entries(branches).map(([ref, specs]) => [ref, foldersOf(specs)]));
  const trees = { base: base === null ? new Map() : inherited, changed, inherited };
  const found = await findTasks(
    trees,
    base === null ? null : { ref: "main", commit: "main" },
    own,
    ({ ref }) => ref !== missing,
    async (oid) => {
      const bytes = blobs.get(oid);
      return bytes === undefined ? { kind: "missing" } : { kind: "blob", bytes };
    },
  );
  return found.map(({ id, version, merged }) => {
    const at = version instanceof TaskPhaseError ? version.findings[0]?.code : `${version.name}@${version.branch.ref}`;
    return `${id ?? "-"} ${at} ${merged}`;
  });
}

describe("a task with a branch of its own", () => {
  test("counts where its journal goes on, on its branch if both are the same", async () => {
    const branch = (journal: string) => ({ "task-phase/T-1": { one: ["T-1", journal] } }) as const;
    assert.deepEqual(await find({ base: { one: ["T-1", "a"] }, branches: branch("ab") }), [
      "T-1 one@task-phase/T-1 false",
    ]);
    assert.deepEqual(await find({ base: { one: ["T-1", "ab"] }, branches: branch("ab") }), [
      "T-1 one@task-phase/T-1 true",
    ]);
    assert.deepEqual(await find({ base: { one: ["T-1", "abc"] }, branches: branch("ab") }), ["T-1 one@main true"]);
    assert.deepEqual(await find({ base: { one: ["T-1", "ax"] }, branches: branch("ab") }), [
      "T-1 TP_TASK_FORKED false",
    ]);
    assert.deepEqual(await find({ branches: branch("ab") }), ["T-1 one@task-phase/T-1 false"]);
  });

  test("counts on the newest of its branches, and is merged only if the base has all of them", async () => {
    const branches = { "refs/a/T-1": { one: ["T-1", "ab"] }, "refs/b/T-1": { one: ["T-1", "abc"] } } as const;
    assert.deepEqual(await find({ base: { one: ["T-1", "ab"] }, branches }), ["T-1 one@refs/b/T-1 false"]);
    assert.deepEqual(await find({ base: { one: ["T-1", "abcd"] }, branches }), ["T-1 one@main true"]);
  });

  test("may have no journal yet, and one that cannot be read is chosen, so that reading it reports the problem", async () => {
    const base = { one: ["T-1", "a"] } as const;
    assert.deepEqual(await find({ base: { one: ["T-1", null] }, branches: { "x/T-1": { one: ["T-1", "a"] } } }), [
      "T-1 one@x/T-1 false",
    ]);
    assert.deepEqual(await find({ base, branches: { "x/T-1": { one: ["T-1", "b", "120000"] } } }), [
      "T-1 one@x/T-1 false",
    ]);
  });

  test("is found in the one folder whose brief has its id, under any name", async () => {
    const base = { one: ["T-1", "a"], two: ["T-2", "a"] } as const;
    assert.deepEqual(await find({ base, branches: { "x/T-1": {} } }), ["T-1 one@x/T-1 true", "- two@main null"]);
    assert.deepEqual(await find({ branches: { "x/T-1": { renamed: ["T-1", "a"] } } }), ["T-1 renamed@x/T-1 false"]);
    assert.deepEqual(await find({ base, branches: { "x/T-3": {} } }), [
      ...["T-3 TP_TASK_BRANCH false", "- one@main null", "- two@main null"],
    ]);
    assert.deepEqual(await find({ branches: { "x/T-1": { a: ["T-1", "a"], b: ["T-1", "a"] } } }), [
      "T-1 TP_TASK_BRANCH false",
    ]);
  });

  test("whose commit is not here is an error of that task alone", async () => {
    const branches = { "x/T-1": {}, "x/T-2": { two: ["T-2", "a"] } } as const;
    assert.deepEqual(await find({ branches, missing: "x/T-1" }), ["T-1 TP_GIT_OBJECT false", "T-2 two@x/T-2 false"]);
  });
});

test("a task that only the base branch has counts there, and several folders with one id count each", async () => {
  const base = { a: ["T-1", "a"], b: ["T-1", "a"] } as const;
  assert.deepEqual(await find({ base, branches: {} }), ["- a@main null", "- b@main null"]);
  const both = await find({ base, branches: { "x/T-1": {} } });
  assert.deepEqual(both, ["T-1 TP_TASK_BRANCH false", "- a@main null", "- b@main null"]);
});

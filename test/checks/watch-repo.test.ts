import assert from "node:assert/strict";
import { test } from "node:test";
import { compareWatch, formatWatch } from "../../lib/checks/watch/watch.ts";
import { listWatched, loadWatch, watchInput } from "../../lib/checks/watch-repo.ts";
import { emptyHistory } from "../../lib/rules/history.ts";
import { mergeCounts } from "../../lib/rules/test-counts.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { makeWorld } from "../cli/arrange.ts";
import { check, checkRun } from "../rules/arrange.ts";
import { matrix } from "../rules/matrix-facts.ts";
import { makeContractWorld } from "./contract-world.ts";
import { type WatchWorld, withWatch } from "./watch/arrange.ts";

const nothingSaid = { accepted: [], refused: [] };
const count = (ran: number) => [check({ tests: { ran, failed: 0, skipped: 0 } })];

/** What is listed after an edit, as `kind name change answer`. */
async function listed(
  edit: (world: WatchWorld) => void,
  beside: Parameters<typeof listWatched>[1],
  more: Partial<Parameters<typeof listWatched>[0]> = {},
): Promise<string[]> {
  let found: string[] = [];
  await withWatch({ "a.test.js": "1", "kit.mjs": "1", "package.json": "{}" }, [["sh", "-c", "true"]], (world) => {
    const record = world.take();
    edit(world);
    const { entries } = world.input();
    const rows = compareWatch(record, world.input());
    const since = { record, rows, entries, testCounts: {}, answers: nothingSaid, mayChange: [], ...more };
    found = listWatched(since, beside).map(({ kind, name, change, answer, detail }) =>
      [kind, name, change, answer, detail].filter((word) => word !== null && word !== "").join(" "),
    );
  });
  return found;
}

test("changed checks that the comparison has no row for are listed as files, and no file twice", async () => {
  const edit = (world: WatchWorld) => world.write({ "a.test.js": "2", "kit.mjs": "2" });
  const changed = matrix({ changed_checks: ["a.test.js", "kit.mjs", "gone.mjs"] });
  const names = (await listed(edit, { matrix: changed })).map((line) => line.split(" ").slice(0, 3).join(" "));
  assert.deepEqual(names, ["test a.test.js changed", "file kit.mjs changed", "file gone.mjs removed"]);
  assert.equal((await listed(edit, {})).length, 1);
});

test("fewer tests than before, and failed ones that a check forgives, are listed", async () => {
  const testCounts = mergeCounts({}, count(3));
  const fewer = await listed(() => undefined, { checks: checkRun(count(1)) }, { testCounts });
  assert.match(fewer.join("; "), /^count validator tests fewer 1 tests? now \([^;]*$/);
  assert.deepEqual(await listed(() => undefined, { checks: checkRun(count(3)) }, { testCounts }), []);
  const forgiven = checkRun([check({ tests: { ran: 3, failed: 1, skipped: 0 } })]);
  assert.match(
    (await listed(() => undefined, { checks: forgiven })).join("; "),
    /^count validator tests changed [^;]*$/,
  );
});

test("new lines that bear on how tests end are listed beside the rest", async () => {
  const mark = { name: "a.js:1", kind: "mark", change: "added", detail: "ends", digest: "d", side: "outside" } as const;
  assert.deepEqual(await listed(() => undefined, { marks: [mark] }), ["mark a.js:1 added ends"]);
});

test("an answer to exactly a change, and the brief, are given with it", async () => {
  const edit = (world: WatchWorld) => world.write({ "a.test.js": "2" });
  assert.match((await listed(edit, {}, { mayChange: ["*.test.js"] }))[0] ?? "", /^test a\.test\.js changed accepted/);
  assert.doesNotMatch((await listed(edit, {}))[0] ?? "", /accepted/);
});

test("the record is read as the journal names it, and one that differs is a data error", (t) => {
  const world = makeWorld(t);
  const place = placeOf(world.path("tasks/T-1"));
  const record = { checks: [], globs: [], tools: [], folders: [], locks: {}, things: [], rest: null };
  const text = formatWatch(record);
  world.write("tasks/T-1/watched.json", text);
  const watch = { file: "watched.json", sha256: sha256(text) };
  const load = (named: { readonly file: string; readonly sha256: string } | null) =>
    loadWatch({ place, history: { ...emptyHistory, watch: named } });
  assert.equal(load(null), null);
  assert.deepEqual(load(watch), record);
  const refused = (code: RegExp) => (error: unknown) =>
    error instanceof TaskPhaseError && error.exitName === "data" && code.test(error.findings[0]?.code ?? "");
  // A formatter laid it out anew.
  world.write("tasks/T-1/watched.json", JSON.stringify(JSON.parse(text), null, 2));
  assert.deepEqual(load(watch), record);
  world.write("tasks/T-1/watched.json", text.replace("{", '{"things": [],'));
  assert.throws(() => load(watch), refused(/TP_WATCH_CHANGED/), "a key that readers see first");
  world.write("tasks/T-1/watched.json", formatWatch({ ...record, globs: ["*.js"] }));
  assert.throws(() => load(watch), refused(/TP_WATCH_CHANGED/));
  assert.throws(() => load({ file: "none.json", sha256: "" }), refused(/./));
});

test("the input of the watch has the checks, the globs and PATH, and leaves the tasks of the repo out", (t) => {
  const world = makeContractWorld(t);
  const { contract, place, ports, repo } = world.request([world.check("tests", "true")]);
  const fingerprint = { hash: "h", entries: new Map([["a.txt", "file 644 1"]]) };
  const asked = { ...contract, watched: ["*.md"], scenarios: [world.check("e2e", "true")] };
  const input = watchInput({ place, ports }, { repo, contract: asked, fingerprint });
  assert.deepEqual(
    input.checks.map(({ name }) => name),
    ["tests", "e2e"],
  );
  assert.deepEqual([input.globs, input.searchPath, input.home], [["*.md"], world.env.PATH, world.path("home")]);
  assert.ok(input.leaveOut?.some((path) => path.startsWith("tasks")));
  assert.ok(input.leaveOut?.every((path) => !path.startsWith("/")));
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { judgeSignatures } from "../../lib/history/judge-signatures.ts";
import type { CommittedStep, TaskAt, WalkedTask } from "../../lib/history/walk-tasks.ts";
import { stateFile } from "../cli/task-states.ts";
import { gitEnv } from "../git/git-repo.ts";
import { makeGitRepo } from "./git-maker.ts";

/** STATE.md by the name of its blob. */
const states: Readonly<Record<string, string>> = {
  intake: stateFile({ phase: "intake" }),
  shape: stateFile({ phase: "shape" }),
  quoted: stateFile({ phase: "shape" }).replace(/Phase: .*/, 'Phase: "shape"'),
  broken: "# nothing\n",
};
const read = (oid: string) => {
  const text = states[oid];
  return Promise.resolve(
    text === undefined ? { kind: "missing" as const } : { kind: "blob" as const, bytes: Buffer.from(text) },
  );
};
const entry = (oid: string, mode = "100644") => ({ mode, oid });
const at = (state: string | null, journal: string | null = null): TaskAt => ({
  state: state === null ? null : entry(state),
  journal: journal === null ? null : entry(journal),
});

/** What is required of unsigned commits with these steps, as `code task file from → to`. */
async function judge(
  t: TestContext,
  steps: readonly (Pick<CommittedStep, "now" | "before"> & { readonly judged?: boolean })[],
  { trailers = {}, id = null }: { trailers?: Readonly<Record<number, string>>; id?: string | null } = {},
) {
  const repo = makeGitRepo(
    t,
    [...steps, null].map((_step, index) => ({ files: { a: String(index) } })),
  );
  const place = findGitPlace(repo.folder);
  assert(place !== null);
  const nodes = repo.commits.map((sha, order) => ({ commit: { sha, parents: [] }, order }));
  const task: WalkedTask = {
    ...{ name: "T-1", records: new Map(), packs: new Set(), head: at(null) },
    steps: steps.map(({ now, before, judged = true }, order) => ({
      ...{ commit: { sha: repo.commits[order] ?? "", parents: [] }, order, now, before, judged },
    })),
  };
  const said = Object.entries(trailers).map(([order, name]) => [repo.commits[Number(order)] ?? "", name] as const);
  const rule = { tool: { program: "false", env: gitEnv }, allowedSigners: { file: "signers", text: "" }, id };
  const found = await judgeSignatures(place, [task], nodes, new Map(said), rule, read);
  assert.deepEqual([found.required, found.good, found.signers], [found.problems.length, 0, []]);
  return found.problems.map(({ code, order, task: name, file, move }) => {
    const way = move === null ? "" : ` ${move.from} → ${move.to}`;
    return `${order} ${code.replace("TP_HISTORY_", "")} ${name} ${file}${way}`;
  });
}

const journalFile = "artifacts/journal.jsonl";

test("a commit that changes the journal, or moves the phase, has to be signed", async (t) => {
  assert.deepEqual(
    await judge(t, [
      { now: at("intake", "j1"), before: [at("intake")] },
      { now: at("shape"), before: [at("intake")] },
      { now: at(null, null), before: [at("intake", "j1")] },
      { now: at("shape"), before: [at(null)] },
      { now: at("shape"), before: [at("broken")] },
    ]),
    [
      `0 UNSIGNED T-1 ${journalFile}`,
      "1 UNSIGNED T-1 STATE.md intake → shape",
      `2 UNSIGNED T-1 ${journalFile}`,
      "3 UNSIGNED T-1 STATE.md null → shape",
      "4 UNSIGNED T-1 STATE.md null → shape",
    ],
  );
});

test("a commit that begins a task, edits text, takes a parent's phase or is trusted needs no signature", async (t) => {
  assert.deepEqual(
    await judge(t, [
      { now: at("intake"), before: [at(null)] },
      { now: at("quoted"), before: [at("shape")] },
      { now: at("shape", "j2"), before: [at("intake", "j1"), at("shape", "j2")] },
      { now: at("broken"), before: [at("shape")] },
      { now: at("missing"), before: [at("shape")] },
      { now: { state: entry("shape", "120000"), journal: null }, before: [at("intake")] },
      { now: at("shape", "j1"), before: [at("intake")], judged: false },
    ]),
    [],
  );
});

test("a commit whose trailers record a verdict has to be signed, for the task that is judged", async (t) => {
  const steps = [{ now: at("shape"), before: [at("intake")] }];
  const trailers = { 0: "T-1", 1: "T-2" };
  const moved = "0 UNSIGNED T-1 STATE.md intake → shape";
  assert.deepEqual(await judge(t, steps, { trailers }), [moved, `1 UNSIGNED T-2 ${journalFile}`]);
  assert.deepEqual(await judge(t, steps, { trailers, id: "T-1" }), [moved]);
});

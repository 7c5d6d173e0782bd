import assert from "node:assert/strict";
import { test } from "node:test";
import {
  adoptTask,
  changedKeys,
  keptBrief,
  readKeptBrief,
  settleState,
} from "../../../lib/pass/people/settle-state.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { readTask } from "../../../lib/task/open-task.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { decisionsFile, fieldOf } from "../../cli/task-states.ts";
import type { TaskSpec } from "../../cli/task-world.ts";
import { type Held, holdTask } from "../verdict/arrange.ts";

test("the brief is kept by its digest, so that a later edit of it can be named", async (t) => {
  const { session, task } = await holdTask(t, "shape");
  const digest = sha256(task.read("README.md"));
  const [kept] = keptBrief(session, digest);
  const path = `artifacts/passes/briefs/${digest.slice(0, 16)}.md`;
  assert.deepEqual(kept, { path, text: task.read("README.md"), append: false });
  assert.equal(changedKeys(session, digest), null, "no copy is there yet");
  task.write(path, kept?.text ?? "");
  assert.deepEqual(changedKeys(session, digest), []);
  task.write("README.md", task.read("README.md").replace("title: Export the answer", "title: Export all"));
  assert.deepEqual(changedKeys(session, digest), ["title"]);
  assert.equal(changedKeys(session, null), null);
});

const open = ({ session }: Held) => readTask(session.place, null, session.ports);

/** What is settled before a pass, by the types of the events that it adds. */
async function settle(held: Held, questionWaitMs: number | null = 0) {
  const known = held.session.journal.events.length;
  const input = { task: open(held), repo: `${held.task.folder}/repo`, questionWaitMs };
  const settled = await settleState(held.session, input as Parameters<typeof settleState>[1]);
  return { settled, events: held.session.journal.events.slice(known).map(({ type }) => type) };
}

test("a task that nothing happened to stays as it is", async (t) => {
  const held = await holdTask(t, "shape");
  const { settled, events } = await settle(held);
  assert.deepEqual([settled.kind, events], ["settled", []]);
});

test("a new task is adopted with a copy of its brief", async (t) => {
  const held = await holdTask(t, "intake", { events: null });
  const { settled, events } = await settle(held);
  assert.deepEqual([settled.kind, events], ["settled", ["adopted"]]);
  const digest = sha256(held.task.read("README.md"));
  assert.equal(readKeptBrief(held.session.place, digest), held.task.read("README.md"));
  assert.equal(readKeptBrief(held.session.place, "0".repeat(64)), null);
});

test("a task that begins in another phase, or with a secret, is not adopted", async (t) => {
  const refused = async (phase: Phase, state: Partial<TaskSpec> = {}) => {
    const held = await holdTask(t, phase, { events: null, ...state });
    try {
      adoptTask(held.session, open(held));
      return "adopted";
    } catch (error) {
      assert.ok(error instanceof TaskPhaseError);
      return `${error.exitName} ${error.findings[0]?.code} ${held.session.journal.seq}`;
    }
  };
  assert.equal(await refused("verify"), "data TP_NO_JOURNAL 0");
  const secret = { phase: "intake", fields: { Objective: `ghp_${"a1B2".repeat(9)}` } } as const;
  assert.equal(await refused("intake", { state: secret }), "data TP_SECRET 0");
});

test("an edited brief makes the earlier results of validators void, and the journal names what changed", async (t) => {
  const held = await holdTask(t, "verify", { state: { phase: "verify", fields: { "Validator status": "pass" } } });
  held.task.write("README.md", `${held.task.read("README.md")}\nMore.\n`);
  const { events } = await settle(held);
  assert.deepEqual([events, fieldOf(held.task.state(), "Validator status")], [["brief_changed"], "pending"]);
  const event = held.session.journal.events.at(-1);
  assert.deepEqual(event?.type === "brief_changed" && [event.contract_sha256, event.keys], [
    sha256(held.task.read("README.md")),
    null,
  ]);
  assert.deepEqual((await settle(held)).events, []);
});

test("a person's edit is judged first, and nothing else is settled if it is refused", async (t) => {
  const held = await holdTask(t, "shape");
  held.task.edit({ Phase: "done" });
  held.task.write("README.md", `${held.task.read("README.md")}\nMore.\n`);
  const { settled, events } = await settle(held);
  assert.deepEqual([settled.kind, events], ["stopped", ["edit_refused"]]);
});

test("an answered question leads back, and a safe default is taken only if it may be", async (t) => {
  const answered = await holdTask(t, "needs_user_decision", { files: { "DECISIONS.md": decisionsFile("UTF-8") } });
  assert.deepEqual((await settle(answered)).events, ["answered"]);
  const due = decisionsFile("")
    .replace("default:", "default: UTF-8")
    .replace("Deadline:", "Deadline: 2026-11-21T11:00:00Z");
  const make = () => holdTask(t, "shape", { files: { "DECISIONS.md": due } });
  assert.deepEqual((await settle(await make(), null)).events, []);
  const { settled, events } = await settle(await make(), 0);
  assert.deepEqual([events, settled.kind === "settled" && settled.questions[0]?.open], [["defaulted"], false]);
});

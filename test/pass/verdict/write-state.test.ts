import assert from "node:assert/strict";
import { test } from "node:test";
import {
  goOnFields,
  type StatusInput,
  statusAfterEdit,
  statusAfterVerdict,
  writeState,
} from "../../../lib/pass/verdict/write-state.ts";
import { emptyHistory, type TaskHistory } from "../../../lib/rules/history.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { at } from "../../cli/task-states.ts";
import { fieldList, mustRead } from "../../documents/arrange.ts";
import { before, check, checkRun, failing, proposal } from "../../rules/arrange.ts";
import { matrix } from "../../rules/matrix-facts.ts";
import { holdTask, judged, noon } from "./arrange.ts";

const token = `ghp_${"a1B2".repeat(9)}`;
const input = (more: Partial<StatusInput> = {}): StatusInput => ({
  history: emptyHistory,
  blockers: "none",
  questions: [],
  redactor: createRedactor({}),
  ...more,
});

function statusOf(of: ReturnType<typeof judged>, more: Partial<StatusInput> = {}): string | null {
  return statusAfterVerdict(of.decision, of.facts, input(more));
}

test("while a task works, Status is the agent's", () => {
  assert.equal(statusOf(judged("implement", "verify")), null);
  assert.equal(statusOf(judged("verify", "review", { checks: checkRun([failing()]) })), null);
});

test("a task that ends says what was proven", () => {
  const proven = { checks: checkRun([check()]) };
  const auto = { proof: { without: "auto", clean: "auto", wrong: "auto" } } as const;
  assert.match(statusOf(judged("review", "done", proven)) ?? "", /^done: the check passes; .* was not shown/);
  assert.match(
    statusOf(judged("review", "done", { ...proven, matrix: matrix() }, auto)) ?? "",
    /^done: (?!.*was not shown)/,
  );
});

test("a task that its agent blocks says by what, as text and without a secret", () => {
  const blockers = `no key, *see* ${token}`;
  const of = judged("implement", proposal("blocked", { blockers }));
  assert.equal(statusOf(of, { blockers }), "blocked: no key, \\*see\\* \\[redacted:github\\]");
});

test("a task that is cancelled and then judged is not shown as cancelled", () => {
  const of = judged("implement", proposal("blocked", { blockers: "no key" }));
  const history = { ...emptyHistory, cancelled: "2026-01-01T00:00:00Z" };
  assert.equal(statusOf(of, { history, blockers: "no key" }), "blocked: no key");
});

test("a verdict that stops a task says why, even where the task keeps its phase", () => {
  const spent = { checks: checkRun([failing()]) };
  assert.match(
    statusOf(judged("verify", "review", spent, { budget: { passes: 12, repairs: 0 } }), { blockers: "x" }) ?? "",
    /^blocked: the budget has no repairs/,
  );
  const of = judged("intake", "intake");
  const again = { signature: of.decision.failure?.signature ?? assert.fail(), count: 3, passes: [] };
  const stuck = judged("intake", "intake", { history: { passes: 4, repairs: 0, failure: again, timeouts_in_row: 0 } });
  assert.equal(stuck.decision.to, "intake");
  assert.equal(before("intake").state.phase, "intake");
  assert.match(
    statusOf(stuck, { blockers: stuck.decision.escalation?.blockers ?? assert.fail() }) ?? "",
    /^stuck: no material progress in 4 passes/,
  );
});

test("STATE.md keeps its bytes, Last updated included, unless a value changes", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const before = task.state();
  const write = (status: string) =>
    writeState(session, mustRead(task.state()), {
      ...{ at: noon, fields: { status } },
      event: (state) => ({ type: "relinked", at: noon, state }),
    });
  const seen = ["at work", "nearly there"].map((status) => {
    const { fields } = write(status).view;
    assert.deepEqual(session.journal.events.at(-1), { type: "relinked", at: noon, state: task.state() });
    return [task.state() === before, fields.status, fields.last_updated];
  });
  assert.deepEqual(seen, [
    [true, "at work", at],
    [false, "nearly there", noon],
  ]);
});

test("when a task continues, the runner's Blockers go and a person's own stay", () => {
  const fields = (blockers: string, more: Partial<TaskHistory>) =>
    goOnFields({ ...emptyHistory, ...more }, mustRead(fieldList({ blockers })));
  const stop = { cause: "passes", blockers: "spent", question: null, happened: "" } as const;
  assert.deepEqual(
    [
      fields("spent", { stop }),
      fields("a tie", { ownBlockers: "a tie" }),
      fields("no key", { stop, ownBlockers: "a tie" }),
    ],
    [
      { status: "in progress", blockers: "none" },
      { status: "in progress", blockers: "none" },
      { status: "in progress" },
    ],
  );
});

test("after a person's edit Status no longer says why the runner stopped the task", () => {
  const stop = { cause: "passes", blockers: "spent", question: null, happened: "all passes are spent" } as const;
  const history = { ...emptyHistory, stop };
  assert.equal(statusAfterEdit("blocked", input({ history, blockers: "no key" })), "blocked: no key");
});

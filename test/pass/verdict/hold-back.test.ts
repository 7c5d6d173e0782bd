import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { holdBack, letGoOn } from "../../../lib/pass/verdict/hold-back.ts";
import type { Held } from "../../../lib/rules/held.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { loadContract } from "../../../lib/task/load-contract.ts";
import { eventsAt, fieldOf } from "../../cli/task-states.ts";
import type { TaskSpec } from "../../cli/task-world.ts";
import { mustRead } from "../../documents/arrange.ts";
import { recordDisk } from "../../store/recorded-disk.ts";
import { holdTask, noon } from "./arrange.ts";

const refused: Held = { standing: "refused", brief: "no check", why: "no check (TP_NO_CHECK); write one" };

async function hold(t: TestContext, phase: Phase, spec: Partial<TaskSpec> = {}) {
  const held = await holdTask(t, phase, spec);
  const { session, task } = held;
  const contract = () => loadContract(session.place, null, session.ports);
  return {
    ...{ session, task },
    hold: (one: Held = refused, withTask = true) => holdBack(session, one, withTask ? contract() : null),
    goOn: () => letGoOn(session, mustRead(task.state())),
    status: () => fieldOf(task.state(), "Status"),
    last: () => session.journal.events.at(-1),
  };
}

test("why no pass begins is said in Status, in the journal and on the pages, once", async (t) => {
  const { task, session, hold: holdNow, status, last } = await hold(t, "implement");
  assert.equal(holdNow(), true);
  assert.equal(status(), "refused: no check");
  assert.deepEqual(last(), { type: "held", at: noon, held: refused, state: task.state() });
  assert.match(task.read("EVIDENCE.md"), /no check/);
  const { seq } = session.journal;
  assert.deepEqual([holdNow(), session.journal.seq], [false, seq]);
  assert.equal(holdNow({ ...refused, brief: "no repo", why: "no repo" }), true);
  assert.equal(status(), "refused: no repo");
});

test("a brief that cannot be read is named by its folder and shows no features", async (t) => {
  const features = [["Export", "real_working", "artifacts/report.md"]] as const;
  const { task, hold: holdNow } = await hold(t, "implement", { state: { phase: "implement", features } });
  task.write("README.md", "no brief\n");
  const calls = recordDisk(task.taskDir, () => assert.equal(holdNow(refused, false), true));
  assert.match(task.read("EVIDENCE.md"), /^# Evidence: T-1\n(?![\s\S]*Export)[\s\S]*no check/);
  assert.deepEqual(calls.slice(-2), ["fsync .", "fsync artifacts"]);
});

test("a task that is done, stopped or cancelled says what matters more", async (t) => {
  const stop = { cause: "passes", to: "blocked", blockers: "spent", question: null } as const;
  for (const phase of ["done", "blocked", "needs_user_decision"] as const)
    assert.equal((await hold(t, phase)).hold(), false, phase);
  const stopped = await hold(t, "blocked", { events: (place) => eventsAt("blocked", place, { escalation: stop }) });
  assert.equal(stopped.hold(), false);
  const cancelled = await hold(t, "implement");
  cancelled.session.history = { ...cancelled.session.history, cancelled: noon };
  assert.equal(cancelled.hold(), false);
});

test("an edit of STATE.md is a person's until it is judged: only the journal says it then", async (t) => {
  const { task, hold: holdNow, status, last } = await hold(t, "implement");
  task.edit({ Status: "mine" });
  assert.equal(holdNow(), true);
  assert.deepEqual([status(), last()], ["mine", { type: "held", at: noon, held: refused, state: null }]);
});

test("a task without a journal gets none, and its Status only if nobody wrote one", async (t) => {
  const fresh = await hold(t, "intake", { events: null, state: { phase: "intake", fields: { Status: "new" } } });
  assert.deepEqual([fresh.hold(), fresh.status(), fresh.session.journal.seq], [true, "refused: no check", 0]);
  assert.match(fresh.task.read("EVIDENCE.md"), /^# Evidence: T-1\n[\s\S]*no check/);
  assert.equal(fresh.hold(), false);
  assert.equal(fresh.hold({ ...refused, brief: "no repo" }), true);
  const own = await hold(t, "intake", { events: null, state: { phase: "intake", fields: { Status: "mine" } } });
  assert.deepEqual([own.hold(), own.status()], [false, "mine"]);
  const unreadable = await hold(t, "intake", { events: null, state: "no fields\n" });
  assert.deepEqual([unreadable.hold(), unreadable.task.state()], [false, "no fields\n"]);
});

test("once a pass can begin, Status says so, and a task that was not held stays as it is", async (t) => {
  const held = await hold(t, "implement");
  const before = held.session.journal.seq;
  held.goOn();
  assert.equal(held.session.journal.seq, before);
  held.hold();
  held.goOn();
  assert.deepEqual([held.status(), held.last()?.type], ["in progress", "held"]);
  assert.equal(held.session.history.held, null);
  const unbegun = await hold(t, "implement", {
    state: { phase: "implement", fields: { Status: "refused: no check" } },
  });
  unbegun.goOn();
  assert.equal(unbegun.status(), "in progress");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { notifyPass } from "../../lib/notify/events/notify-verdict.ts";
import { listAsked } from "../../lib/notify/events/send-news.ts";
import { locateTask } from "../../lib/task/records/task-place.ts";
import type { PassReport } from "../../lib/task/request.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { type Receiver, receive, target } from "../notify/arrange.ts";
import { eventsAt, withFields } from "./task-states.ts";
import { makeTaskWorld, type TaskCase } from "./task-world.ts";

/** One call of `run`, and then what it added to the journal is told. The messages of that call. */
async function passAndTell(task: TaskCase, there: Receiver): Promise<Record<string, unknown>[]> {
  const before = task.exists("artifacts/journal.jsonl") ? task.events().length : 0;
  const received = there.received.length;
  const json = (await task.command("run", "--json")).json();
  const report = { ...json, details: { taskDir: task.taskDir } } as unknown as PassReport;
  const place = locateTask(task.taskDir, task.folder);
  const asked = await listAsked(place, async () => null);
  const deed = { report, title: "The title", events: task.events().slice(before), asked };
  const findings = await notifyPass(target({ webhookUrl: there.origin }), deed, {
    env: {},
    now: () => new Date(),
    redactor: createRedactor({}),
    signal: new AbortController().signal,
    tell: () => {},
  });
  assert.deepEqual(findings, []);
  return there.received.slice(received).map(({ body }) => JSON.parse(body));
}

const brief = ({ event, from, to, verdict, exit_name }: Record<string, unknown>) => [
  event,
  from,
  to,
  verdict,
  exit_name,
];

test("a pass that blocks its task sends a message, and later calls that find it blocked send none", async (t) => {
  const there = await receive(t, 200);
  const task = await makeTaskWorld(t).makeTask("blocks", {
    state: { phase: "implement" },
    events: (place) => eventsAt("implement", place),
  });
  const blocked = { Phase: "blocked", Blockers: "the key is missing" };
  task.propose({ task: { "STATE.md": withFields(task.state(), blocked) } });
  const told = await passAndTell(task, there);
  assert.deepEqual(told.map(brief), [["task.blocked", "implement", "blocked", "accepted", "blocked"]]);
  assert.deepEqual(
    [told[0]?.task, told[0]?.pass, told[0]?.evidence],
    [{ id: "T-1", title: "The title" }, 1, "artifacts/evidence.html"],
  );
  assert.deepEqual([await passAndTell(task, there), await passAndTell(task, there)], [[], []]);
  task.edit({ Phase: "implement", Blockers: "none" });
  task.propose({ task: { "STATE.md": withFields(task.state(), { "Current result": "more of it" }) } });
  assert.deepEqual(await passAndTell(task, there), []);
});

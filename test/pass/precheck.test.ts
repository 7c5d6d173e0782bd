import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { precheck, requireUsable } from "../../lib/pass/precheck.ts";
import { escalate } from "../../lib/rules/escalate.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { readTask } from "../../lib/task/open-task.ts";
import type { PassPorts } from "../../lib/task/records/ports.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { decisionsFile, eventsAt, openQuestion, stateFile } from "../cli/task-states.ts";
import { adoptedJournal, type TaskSpec, validator } from "../cli/task-world.ts";
import { holdTask } from "./verdict/arrange.ts";

type Fence = NonNullable<PassPorts["fence"]>;

async function make(t: TestContext, phase: Phase, spec: Partial<TaskSpec> = {}, fence?: Partial<Fence>) {
  const { session, task } = await holdTask(t, phase, spec);
  const ports =
    fence === undefined ? session.ports : { ...session.ports, fence: { checkout: null, ...fence } as Fence };
  const held = { ...session, ports };
  const repo = `${task.folder}/repo`;
  const contract = () => readTask(session.place, null, session.ports);
  const check = () => {
    const opened = contract();
    const stop = precheck(held, opened.state, opened, opened.questions, repo);
    return stop === null
      ? null
      : [stop.exitName, stop.reason.replace(/:? task-phase resume .*$/, ""), stop.nextEligibleAt];
  };
  return { task, check, usable: () => requireUsable(held, contract(), repo, { model: null, models: null, run: null }) };
}

const refusedWith = (call: () => unknown) => {
  try {
    call();
    return null;
  } catch (error) {
    assert.ok(error instanceof TaskPhaseError);
    return `${error.exitName} ${error.findings[0]?.code}`;
  }
};

test("a working task with a check and a repo may run", async (t) => {
  const { check, usable } = await make(t, "implement");
  assert.deepEqual([check(), usable()], [null, undefined]);
});

describe("a task on which no pass may run", () => {
  test("says how a person goes on", async (t) => {
    assert.deepEqual((await make(t, "done")).check(), [
      ...["ok", "the task is done; nothing to do. A person reopens it with", null],
    ]);
    const blocked = { state: { phase: "blocked" as const, fields: { Blockers: "no key." } } };
    assert.deepEqual((await make(t, "blocked", blocked)).check(), [
      ...["blocked", "the task is blocked: no key. Once that is cleared", null],
    ]);
    const Blockers = escalate("passes", "implement", "all are spent").blockers;
    assert.deepEqual((await make(t, "blocked", { state: { phase: "blocked", fields: { Blockers } } })).check(), [
      ...["blocked", `the task is blocked: ${Blockers.replace(/ `task-phase resume .*$/, "")}`, null],
    ]);
    assert.deepEqual((await make(t, "needs_user_decision")).check(), [
      "needs_user_decision",
      "the task waits for a person's decision (no question is open, and none from this stop was answered), or",
      null,
    ]);
    const stop = { cause: "passes", to: "intake", blockers: "spent", question: null } as const;
    const events: TaskSpec["events"] = async (place) => [
      ...(await eventsAt("intake", place)),
      ...(await eventsAt("blocked", place, { from: "intake", to: "intake", escalation: stop })).slice(-1),
    ];
    const held = await make(t, "intake", { state: { phase: "intake", fields: { Blockers: "spent" } }, events });
    assert.deepEqual(held.check(), ["blocked", "the task is held in intake: spent", null]);
    const own = await make(t, "intake", { state: { phase: "intake", fields: { Blockers: "a person's" } } });
    assert.equal(own.check(), null);
  });

  test("is left to that by the look at a new brief", async (t) => {
    for (const phase of ["done", "blocked", "needs_user_decision"] as const) {
      const { usable } = await make(t, phase, { contract: [] });
      assert.equal(usable(), undefined);
    }
  });
});

describe("an open question", () => {
  test("holds a task back, and says when its safe default is taken", async (t) => {
    const safe = openQuestion
      .replace("default:", "default: UTF-8")
      .replace("Deadline:", "Deadline: 2026-11-21T13:00:00Z");
    const asked = async (phase: Phase, text: string) => {
      const [exit, reason, next] = (await make(t, phase, { files: { "DECISIONS.md": text } })).check() ?? [];
      return [exit, /Q1/.test(reason ?? ""), next];
    };
    assert.deepEqual(await asked("implement", openQuestion), ["needs_user_decision", true, null]);
    assert.deepEqual(await asked("implement", safe), ["needs_user_decision", true, "2026-11-21T13:00:00.000Z"]);
    assert.deepEqual(await asked("needs_user_decision", safe), [
      "needs_user_decision",
      true,
      "2026-11-21T13:00:00.000Z",
    ]);
    assert.deepEqual(await asked("implement", decisionsFile("UTF-8")), [undefined, false, undefined]);
  });
});

describe("a task that needs others", () => {
  const other = (id: string, phase: Phase) => {
    const readme = `---\nid: ${id}\ntitle: x\n---\n`;
    const state = stateFile({ phase });
    const own = { "README.md": readme, "STATE.md": state, "artifacts/journal.jsonl": adoptedJournal(state, readme) };
    return Object.fromEntries(Object.entries(own).map(([name, text]) => [`../${id}/${name}`, text]));
  };
  const needs = (list: string, ...files: Readonly<Record<string, string>>[]): Partial<TaskSpec> => ({
    contract: [validator, `depends_on: ${list}`],
    files: Object.assign({}, ...files),
  });

  test("waits until they are done, and for a proof where it wants one", async (t) => {
    const spec = needs(
      "[T-2, T-3, { id: T-4, proof: shown }]",
      other("T-2", "verify"),
      other("T-3", "intake"),
      other("T-4", "done"),
    );
    const { check, usable } = await make(t, "implement", spec);
    assert.deepEqual(check(), [
      ...[
        "blocked",
        "the task waits for T-2, T-3, which are not done, and for T-4, which is done without proof (resume it, or remove its `proof: shown` from depends_on)",
        null,
      ],
    ]);
    assert.equal(usable(), undefined, "the brief itself is not wrong");
    assert.equal((await make(t, "implement", needs("[T-4]", other("T-4", "done")))).check(), null);
  });

  test("takes what other machines know of them for true, but for the proof", async (t) => {
    const spec = needs(
      "[T-2, T-3, { id: T-4, proof: shown }]",
      other("T-2", "verify"),
      other("T-3", "verify"),
      other("T-4", "done"),
    );
    const fence = { met: new Set(["T-2", "T-4"]), unmerged: new Set(["T-3"]) };
    assert.equal(
      (await make(t, "implement", spec, fence)).check()?.[1],
      "the task waits for T-3, which is done but not merged (task-phase land T-3, or merge its branch), and for T-4, which is done without proof (resume it, or remove its `proof: shown` from depends_on)",
    );
  });

  test("cannot run if one of them is unknown, also with a new brief", async (t) => {
    const { check, usable } = await make(t, "implement", needs("[T-9]"));
    assert.deepEqual([refusedWith(check), refusedWith(usable)], Array(2).fill("config TP_DEPENDENCY_UNKNOWN"));
  });
});

test("a task without a check cannot run, and neither can one beside another loop", async (t) => {
  const without = await make(t, "implement", { contract: [] });
  assert.deepEqual([refusedWith(without.check), refusedWith(without.usable)], Array(2).fill("config TP_NO_CHECK"));
  const repo = { "good.txt": "", ".claude/ralph-loop.local.md": "---\nactive: true\n---\n" };
  const other = await make(t, "implement", { repo });
  assert.deepEqual([refusedWith(other.check), refusedWith(other.usable)], Array(2).fill("locked TP_OTHER_LOOP"));
});

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, test } from "node:test";
import type { TaskEvent } from "../../lib/machine/events.ts";
import { gatherSyncs } from "../../lib/store/folder.ts";
import { readableQuestions } from "../../lib/task/look.ts";
import { modelEvidence, writeEvidence } from "../../lib/verdict/write-evidence.ts";
import { at, decisionsFile, eventsAt, stateFile } from "../cli/task-states.ts";
import { holdTask } from "./arrange.ts";

const about = { id: "T-1", title: "Export the answer", userFacing: true };
const token = `ghp_${"a1B2".repeat(9)}`;
const features = [["Export", "real_working", "artifacts/report.md"]] as const;

describe("what the evidence says", () => {
  test("is what the journal accepted last, and not what STATE.md says now", async (t) => {
    const { session, task } = await holdTask(t, "implement", { state: { phase: "implement", features } });
    task.write("STATE.md", stateFile({ phase: "implement", features: [["Forged", "real_working", "x"]] }));
    const model = modelEvidence(session, about, null);
    assert.deepEqual(model.task, { id: "T-1", title: "Export the answer" });
    assert.deepEqual([model.userFacing, model.phase], [true, "implement"]);
    assert.deepEqual(
      model.features.map(({ feature }) => feature),
      ["Export"],
    );
    assert.deepEqual(model.journal, { events: 2, head: session.journal.head, lastAt: at });
    assert.deepEqual(
      model.artifacts.map(({ path }) => path),
      ["artifacts/report.md"],
    );
  });

  test("is with one more event what it will be once the journal has that", async (t) => {
    const { session } = await holdTask(t, "implement");
    const state = stateFile({ phase: "verify", features });
    const event: TaskEvent = { type: "resumed", at, from: "implement", to: "verify", reason: `by ${token}`, state };
    const model = modelEvidence(session, about, { event, questions: [] });
    assert.deepEqual([model.phase, model.journal.events, model.features.length], ["verify", 3, 1]);
    assert.notEqual(model.journal.head, session.journal.head);
    assert.equal(session.journal.seq, 2);
    assert.ok(!JSON.stringify(model).includes(token));
  });

  test("takes the newest state of an event that has one", async (t) => {
    const { session } = await holdTask(t, "implement", {
      events: async (place) => [
        ...(await eventsAt("implement", place)),
        { type: "relinked", at, state: stateFile({ phase: "implement", features }) },
        { type: "pinned", at, protected: {} },
      ],
    });
    assert.equal(modelEvidence(session, about, null).features.length, 1);
  });

  test("says no secret of a name", async (t) => {
    const { session } = await holdTask(t, "implement", {
      files: { [`artifacts/${token}.md`]: "proof\n", "DECISIONS.md": decisionsFile("").replaceAll("encoding", token) },
    });
    const model = modelEvidence(session, { ...about, id: token, title: token }, null);
    assert.equal(model.asks, true);
    assert.ok(!JSON.stringify(model).includes(token));
  });

  test("is that a person answered only once the pass before is judged", async (t) => {
    const { session } = await holdTask(t, "needs_user_decision", {
      files: { "DECISIONS.md": decisionsFile("UTF-8") },
    });
    const event = session.journal.events.at(-1) ?? assert.fail();
    const questions = readableQuestions(session.place);
    assert.equal(modelEvidence(session, about, null).standing.tone, "working");
    const again = { event: { ...event, pass: 2 } as TaskEvent, questions };
    assert.equal(modelEvidence(session, about, again).standing.tone, "asking");
  });
});

test("EVIDENCE.md keeps an agent's words around the runner's parts, and the page is written beside it", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  writeEvidence(session, modelEvidence(session, about, null), gatherSyncs());
  const first = task.read("EVIDENCE.md");
  assert.match(first, /^# Evidence: T-1\n/);
  task.write("EVIDENCE.md", `${first}\n## Mine\n\nI saw it with ${token}.\n`);
  writeEvidence(session, modelEvidence(session, about, null), gatherSyncs());
  assert.equal(task.read("EVIDENCE.md"), `${first}\n## Mine\n\nI saw it with [redacted:github].\n`);
  assert.match(task.read("artifacts/evidence.html"), /Export the answer/);
});

test("the page is written to an artifacts/ that was removed", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const model = modelEvidence(session, about, null);
  rmSync(session.place.artifacts, { recursive: true });
  writeEvidence(session, model, gatherSyncs());
  assert.match(task.read("artifacts/evidence.html"), /Export the answer/);
});

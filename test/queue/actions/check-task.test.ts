import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { checkTask } from "../../../lib/queue/actions/check-task.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { at, eventsAt } from "../../cli/task-states.ts";
import type { TaskSpec } from "../../cli/task-world.ts";
import { holdTask } from "../../pass/verdict/arrange.ts";

/** The exits, and the findings as `severity CODE`, of a check of a task that is damaged by this. */
async function check(
  t: TestContext,
  phase: Phase,
  spec: Partial<TaskSpec> = {},
  damage: (dir: string) => void = () => undefined,
) {
  const { session, task } = await holdTask(t, phase, spec);
  damage(task.taskDir);
  const report = await checkTask(session.place, null, null, session.ports);
  return [report.exits.join(), ...report.findings.map(({ severity, code }) => `${severity} ${code}`)];
}

const write = (name: string, text: string) => (dir: string) => writeFileSync(`${dir}/${name}`, text);

test("a task that is as it should be has no findings", async (t) => {
  assert.deepEqual(await check(t, "shape"), [""]);
  assert.deepEqual(await check(t, "intake", { events: null }), [""]);
});

test("each file that cannot be read is named, with the exit that it would cause", async (t) => {
  assert.deepEqual(await check(t, "shape", {}, write("TASKS.md", "\0")), ["data", "error TP_TEXT_CHARACTER"]);
  assert.deepEqual(await check(t, "shape", {}, write("DECISIONS.md", "\0")), ["data", "error TP_TEXT_CHARACTER"]);
  assert.deepEqual(await check(t, "shape", {}, write("EVIDENCE.md", "\0")), ["data", "error TP_TEXT_CHARACTER"]);
  const both = await check(t, "shape", {}, (dir) => {
    write("TASKS.md", "\0")(dir);
    write("README.md", "---\nid: T-1\n---\n")(dir);
  });
  assert.deepEqual(both, ["config,data", "error TP_CONFIG_MISSING_KEY", "error TP_TEXT_CHARACTER"]);
});

test("a journal that is broken ends the check, after the files", async (t) => {
  const broken = await check(t, "shape", {}, write("artifacts/journal.jsonl", "nonsense\n"));
  assert.deepEqual(broken, ["data", "error TP_JOURNAL_BROKEN"]);
});

test("an edit of STATE.md is judged as the next run will judge it", async (t) => {
  const edit = (from: string, to: string) => async (label: Phase) => {
    const { session, task } = await holdTask(t, label);
    task.write("STATE.md", task.state().replace(from, to));
    const { exits, findings } = await checkTask(session.place, null, null, session.ports);
    return [exits.join(), ...findings.map(({ severity, code }) => `${severity} ${code}`)];
  };
  assert.deepEqual(await edit("- Objective: The", "- Objective: A")("shape"), ["", "info TP_STATE_EDITED"]);
  assert.deepEqual(await edit("- Phase: shape", "- Phase: done")("shape"), ["rejected", "error TP_EDIT_REFUSED"]);
});

test("a STATE.md that is lost is refused, and one without a journal is no accepted one", async (t) => {
  assert.deepEqual(await check(t, "shape", {}, (dir) => rmSync(`${dir}/STATE.md`)), [
    "rejected",
    "error TP_EDIT_REFUSED",
  ]);
  const unread = await check(t, "shape", {}, write("STATE.md", "no fields\n"));
  assert.deepEqual(unread, ["rejected", "error TP_STATE_NO_FIELDS", "error TP_EDIT_REFUSED"]);
  assert.deepEqual(await check(t, "verify", { events: null }), ["data", "error TP_NO_JOURNAL"]);
});

test("a done that no accepted verdict sets, and proof that is missing, are errors", async (t) => {
  const claimed: TaskSpec["events"] = ({ state, contract }) => [
    { type: "adopted", at, phase: "done", state, contract_sha256: contract },
  ];
  assert.ok((await check(t, "done", { events: claimed })).includes("error TP_DONE_UNPROVEN"));
  const missing = await check(t, "done");
  assert.equal(missing.filter((one) => one === "error TP_PROOF_MISSING").length, 3);
});

test("a brief that was edited since the task was done is a remark", async (t) => {
  const { session, task } = await holdTask(t, "done");
  const codes = async () =>
    (await checkTask(session.place, null, null, session.ports)).findings.flatMap(({ severity, code }) =>
      code === "TP_BRIEF_CHANGED" ? [severity] : [],
    );
  const before = await codes();
  task.write("README.md", `${task.read("README.md")}One more wish.\n`);
  assert.deepEqual([before, await codes()], [[], ["info"]]);
});

test("a verdict whose record is missing is an error, and all of them are decided again", async (t) => {
  const { session } = await holdTask(t, "blocked", { events: (place) => eventsAt("blocked", place) });
  const report = await checkTask(session.place, null, null, session.ports);
  assert.deepEqual([report.verdicts, report.exits.length > 0], [1, true]);
});

test("what the next run would refuse is a warning, as long as the task works", async (t) => {
  assert.deepEqual(await check(t, "implement", { contract: [] }), ["", "warning TP_NO_CHECK"]);
  assert.deepEqual((await check(t, "blocked", { contract: [] })).includes("warning TP_NO_CHECK"), false);
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { judgeProposal } from "../../../lib/queue/actions/judge-proposal.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { decisionsFile, eventsAt } from "../../cli/task-states.ts";
import type { TaskSpec } from "../../cli/task-world.ts";
import { holdTask } from "../../pass/verdict/arrange.ts";
import { passStarted } from "../../rules/arrange.ts";

async function make(t: TestContext, phase: Phase, spec: Partial<TaskSpec> = {}) {
  const { session, task } = await holdTask(t, phase, spec);
  const judge = () => judgeProposal(session.place, { config: null, repo: null }, session.ports);
  return { task, judge, messages: async () => (await judge()).findings.map(({ message }) => message) };
}

test("a legal proposal has no findings, and its gates are listed", async (t) => {
  const { task, judge } = await make(t, "shape");
  task.edit({ Phase: "implement" });
  const report = await judge();
  assert.deepEqual([report.from, report.proposed, report.findings], ["shape", "implement", []]);
  assert.ok(report.gates.length > 0 && report.gates.every(({ ok }) => ok));
});

test("a gate that does not hold, a move that the table lacks and a secret are refused", async (t) => {
  const { task, messages } = await make(t, "shape");
  task.edit({ Phase: "implement", "Done gate": "" });
  assert.equal((await messages()).length, 1);
  task.edit({ Phase: "review", "Done gate": "x" });
  assert.match((await messages())[0] ?? "", /review/);
  task.edit({ Phase: "shape", Objective: `ghp_${"a1B2".repeat(9)}` });
  assert.match((await messages())[0] ?? "", /looks like a secret/);
});

test("a question that cannot be asked so, and an answer of the pass itself, are refused", async (t) => {
  const own = decisionsFile("UTF-8").replace("pass 1", "pass 2");
  const events: TaskSpec["events"] = async (place) => [
    ...(await eventsAt("shape", place)),
    passStarted(2, { phase: "shape" }),
  ];
  const running = await make(t, "shape", { files: { "DECISIONS.md": own }, events });
  assert.deepEqual(await running.messages(), ["Q1 has an answer, which only a person may give; empty it"]);
  const earlier = await make(t, "shape", { files: { "DECISIONS.md": decisionsFile("UTF-8") }, events });
  assert.deepEqual(await earlier.messages(), []);
  const none = await make(t, "shape", { files: { "DECISIONS.md": own } });
  assert.deepEqual(await none.messages(), [], "no pass is running");
});

test("a ticked step without its proof, a feature row that vanished and another brief are refused as after the pass", async (t) => {
  const events: TaskSpec["events"] = async (place) => [
    ...(await eventsAt("review", place, { features: ["Export"] })),
    passStarted(2, { phase: "review" }),
  ];
  const { task, messages } = await make(t, "review", {
    events,
    files: { "TASKS.md": "- [x] Chart (artifacts/no.png)\n" },
  });
  task.edit({ Phase: "done" });
  const [vanished, proof] = [
    /^visible features vanished: Export/,
    /^the item at TASKS\.md:1 is ticked and names artifacts\/no/,
  ];
  const said = await messages();
  for (const refusal of [vanished, proof]) assert(said.some((message) => refusal.test(message)));
  task.write("README.md", `${task.read("README.md")}\nMore.\n`);
  assert.match((await messages())[0] ?? "", /^the brief is not as it was when the pass began/);
});

test("a task without a journal has nothing to compare a proposal with", async (t) => {
  const { judge } = await make(t, "intake", { events: null });
  await assert.rejects(
    judge(),
    (error) => error instanceof TaskPhaseError && error.findings[0]?.code === "TP_NO_JOURNAL",
  );
});

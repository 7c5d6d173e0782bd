import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { Phase } from "../../lib/rules/phases.ts";
import { passStarted } from "../rules/arrange.ts";
import { eventsAt, stateFile } from "./task-states.ts";
import { makeTaskWorld, proof, type TaskCase } from "./task-world.ts";

/** Every file below the task, by its path, with its bytes. */
function filesOf({ taskDir }: TaskCase): Record<string, string> {
  const names = readdirSync(taskDir, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(path.join(taskDir, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(taskDir, name), "latin1")]));
}

interface Told {
  readonly exit_code: number;
  readonly ok: boolean;
  readonly proposal: { from: string; proposed: string; gates: { gate: string; ok: boolean; detail: string }[] };
  readonly findings: { code: string; message: string; file: string; fix: string | null }[];
}

async function judge(task: TaskCase): Promise<Told> {
  return (await task.command("check", "--proposal", "--json")).json() as unknown as Told;
}

test("a proposal is checked for what the runner would refuse, until nothing is wrong; no byte changes", async (t) => {
  const task = await makeTaskWorld(t).taskAt("case", "implement");
  task.write("STATE.md", stateFile({ phase: "verify", fields: { "Current result": "TBD" } }));
  const before = filesOf(task);
  const open = await judge(task);
  assert.deepEqual(
    [open.exit_code, open.ok, open.proposal.from, open.proposal.proposed],
    [20, false, "implement", "verify"],
  );
  assert.deepEqual(
    open.findings.map(({ code }) => code),
    ["TP_PROPOSAL"],
  );
  assert.match(open.findings[0]?.message ?? "", /Current result/);
  assert.deepEqual(filesOf(task), before);

  task.write("STATE.md", stateFile({ phase: "verify", fields: { "Current result": "It exports the answer" } }));
  const good = await judge(task);
  assert.deepEqual([good.exit_code, good.findings], [0, []]);
  assert(good.proposal.gates.length > 0 && good.proposal.gates.every(({ ok }) => ok));
  const spoken = await task.command("check", "--proposal");
  assert.match(spoken.stdout, /^T-1: the proposal is implement → verify; all 2 gates hold\. The runner itself runs /);
});

test("a malformed question is reported once, at its own file, and without an empty fix", async (t) => {
  const task = await makeTaskWorld(t).taskAt("case", "implement");
  task.write("DECISIONS.md", "## Q1: Which?\n\n- Question: Which?\n- Deadline: tomorrow\n- Answer:\n");
  const told = await judge(task);
  assert.deepEqual(
    told.findings.map(({ file, fix }) => [file, fix]),
    [[`${task.taskDir}/DECISIONS.md`, null]],
  );
});

test("the checks and the last line of the answer, which only the runner can know, are no gates", async (t) => {
  const task = await makeTaskWorld(t).taskAt("case", "verify");
  task.write("STATE.md", stateFile({ phase: "review" }));
  assert.deepEqual([(await judge(task)).exit_code, (await judge(task)).findings], [0, []]);
});

test("inside a pass it finds the task from any folder", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("case", "intake");
  const env = { TASK_PHASE_PASS: "3", TASK_PHASE_TASK_DIR: task.taskDir };
  const end = await world.call("task-phase", ["check", "--proposal"], { env });
  assert.deepEqual(
    [end.code, end.stdout.split(";")[0]],
    [
      0,
      "T-1: the proposal stays in intake. The runner itself runs the checks, compares what no pass may change, and requires progress\n",
    ],
  );
});

test("a STATE.md that cannot be read is 65 with its place, and a call for more than one task is refused", async (t) => {
  const task = await makeTaskWorld(t).taskAt("case", "implement");
  task.write("STATE.md", task.state().replace(/^- Phase: .*$/m, "- Phase: verfy"));
  const end = await task.command("check", "--proposal");
  assert.equal(end.code, 65);
  assert.match(end.stderr, /STATE\.md:\d+:\d+: error: .*verfy/);
  assert.equal((await task.command("check", "--proposal", "--history")).code, 64);
});

test("before anything was accepted there is nothing to compare with", async (t) => {
  const task = await makeTaskWorld(t).makeTask("case", { state: { phase: "intake" }, events: null });
  const end = await task.command("check", "--proposal");
  assert.equal(end.code, 65);
  assert.match(end.stderr, /no STATE\.md was accepted yet/);
});

describe("inside a pass, as the runner judges it afterwards,", () => {
  const begun = async (t: TestContext, at: string, phase: Phase = "implement") =>
    await makeTaskWorld(t).makeTask("case", {
      state: { phase },
      files: { ...proof, "TASKS.md": "- [x] shown (artifacts/gone.png)\n" },
      repo: { "good.txt": "good\n", "shown.png": "png" },
      events: async (place) => [...(await eventsAt(phase, place)), passStarted(1, { at, phase })],
    });

  test("an item that was ticked before may have lost its proof, and one that is ticked now may not", async (t) => {
    const [later, earlier] = ["2099-01-01T00:00:00.000Z", "2026-01-02T03:04:05.000Z"];
    for (const [at, code] of [
      [later, 0],
      [earlier, 20],
    ] as const) {
      const task = await begun(t, at);
      task.write("STATE.md", stateFile({ phase: "verify" }));
      assert.equal((await judge(task)).exit_code, code, at);
    }
  });

  test("a feature's proof in the repo is good if this pass wrote it", async (t) => {
    for (const [at, problems] of [
      ["2099-01-01T00:00:00.000Z", 1],
      ["2026-01-02T03:04:05.000Z", 0],
    ] as const) {
      const task = await begun(t, at, "verify");
      task.write("TASKS.md", "");
      task.write("STATE.md", stateFile({ phase: "review", features: [["It exports", "real_working", "shown.png"]] }));
      const { findings } = await judge(task);
      assert.equal(findings.filter(({ message }) => message.includes("neither under artifacts/")).length, problems, at);
    }
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedOutput } from "../checks/runs/recorded-output.ts";
import { fieldOf, stateFile } from "./task-states.ts";
import { makeTaskWorld, type TaskSpec, type TaskWorld } from "./task-world.ts";
import { arrange, propose } from "./transition-case.ts";

/** What one pass of the built program, as it is shipped, comes to. */
async function runBuilt(world: TaskWorld, taskDir: string) {
  const end = await world.run("task-phase-run", ["--task-dir", taskDir, "--json"]);
  const { verdict, to, reason } = end.json();
  return { code: end.code, verdict, to, reason: String(reason) };
}

test("the built program reads marks beyond ASCII as people and agents write them", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const crossedOut = async (mark: string) => {
    const task = await arrange(world, `crossed-${mark.codePointAt(0)}`, "review");
    task.propose(propose("review", "done", { fields: { "Candidate done": `yes ${mark}` } }));
    const { code, verdict, to } = await runBuilt(world, task.taskDir);
    assert.deepEqual({ code, verdict, to }, { code: 20, verdict: "rejected", to: "review" });
  };
  const phase = async (name: string, text: string, to: string) => {
    const task = await arrange(world, name, "implement");
    const [before, after] = [stateFile({ phase: "implement" }), `- Phase: ${text}`];
    task.propose({ task: { "STATE.md": before.replace("- Phase: implement", after) } });
    const end = await runBuilt(world, task.taskDir);
    assert.deepEqual({ code: end.code, to: end.to }, { code: to === "verify" ? 0 : 20, to }, end.reason);
    if (to === "verify") assert.equal(fieldOf(task.state(), "Phase"), "verify");
  };
  await Promise.all([
    ...["❌", "✖", "🚫"].map((mark) => t.test(`a yes with ${mark} is no yes`, () => crossedOut(mark))),
    ...["verify – ready for the checks", "verify — ready", "“verify”"].map((text, index) =>
      t.test(`${text} is verify`, () => phase(`read-${index}`, text, "verify")),
    ),
    t.test("verify ❓ is not guessed", () => phase("asked", "verify ❓", "implement")),
  ]);
});

/** A check that prints what a runner of tests printed, all of whose tests passed. */
function prints(text: string, least: number): Partial<TaskSpec> {
  return {
    contract: [`validators: [{ name: tests, command: [cat, printed.txt], expect: { min_tests: ${least} } }]`],
    repo: { "printed.txt": text },
  };
}

const passed: Readonly<Record<string, readonly [text: string, ran: number]>> = {
  "node --test from version 23 on": [
    "✔ adds (0.5ms)\n✔ takes away (0.4ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\n",
    2,
  ],
  "pytest 9 with subtests": ["...\n2 passed, 3 subtests passed in 0.02s\n", 2],
  "vitest 4": [" Test Files  1 passed (1)\n      Tests  2 passed | 1 expected fail (3)\n", 3],
  AVA: ["  ✔ a\n  ✔ b\n  ─\n\n  2 tests passed\n", 2],
};

test("the built program counts the tests that present runners print", { concurrency: 2 }, async (t) => {
  const world = makeTaskWorld(t);
  const judge = async (name: string, text: string, least: number, to: string) => {
    const task = await arrange(world, name, "verify", prints(text, least));
    task.propose(propose("verify", "review"));
    const end = await runBuilt(world, task.taskDir);
    assert.equal(end.to, to, end.reason);
  };
  await Promise.all([
    ...Object.entries(passed).flatMap(([name, [text, ran]], index) => [
      t.test(`${name}: enough`, () => judge(`enough-${index}`, text, ran, "review")),
      t.test(`${name}: one too few`, () => judge(`few-${index}`, text, ran + 1, "repair")),
    ]),
    t.test("the whole output of Node 26", () => judge("whole", recordedOutput("node26-spec"), 4, "repair")),
  ]);
});

test("the built program writes an arrow into the changelog as it is", async (t) => {
  const world = makeTaskWorld(t);
  const task = await arrange(world, "arrow", "implement");
  task.propose(propose("implement", "verify"));
  assert.equal((await runBuilt(world, task.taskDir)).code, 0);
  assert.match(world.read("cases/arrow/tasks/.task-phase/changelog/prepared.md"), /^- Phase: implement → verify$/m);
});

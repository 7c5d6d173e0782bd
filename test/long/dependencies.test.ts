import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeLoopWorld } from "../cli/loop-world.ts";

type Task = Readonly<Record<"task" | "title" | "phase" | "standing" | "why", string | null>>;
type World = Awaited<ReturnType<typeof makeLoopWorld>>;

async function look(world: World) {
  const json = await world.status();
  const findings = json.findings as readonly { code: string; message: string; file: string }[];
  return { exit: json.exit_code, next: json.next, tasks: json.tasks as readonly Task[], findings };
}

const short = ({ task, phase, standing }: Task) => [task, phase, standing];

/** Folders A, B, G and X, of which G says that it is A too; B needs A. */
async function makeDoubled(t: Parameters<typeof makeLoopWorld>[0]) {
  const world = await makeLoopWorld(t, { A: {}, B: { contract: ["depends_on: [A]"] }, G: {}, X: {} });
  world.write("tasks/G/README.md", world.read("tasks/G/README.md").replace("id: G", "id: A"));
  return world;
}

const doubled = (world: World) => [
  ["TP_ID_DOUBLED", "the folders A and G have the same id, A", world.path("tasks/A/README.md")],
  ["TP_ID_DOUBLED", "B depends on A, and the folders A and G have that id", world.path("tasks/B/README.md")],
  ["TP_ID_DOUBLED", "the folders A and G have the same id, A", world.path("tasks/G/README.md")],
];

describe("an id that two folders have", () => {
  test("is wrong in both and in what needs it, and the other tasks go on", async (t) => {
    const world = await makeDoubled(t);
    const { exit, next, tasks, findings } = await look(world);
    assert.deepEqual([exit, next], [78, "X"]);
    assert.deepEqual(tasks.map(short), [
      ["A", "intake", "waits"],
      ["B", "intake", "waits"],
      ["A", "intake", "waits"],
      ["X", "intake", "runnable"],
    ]);
    assert.deepEqual(
      findings.map(({ code, message, file }) => [code, message, file]),
      doubled(world),
    );
    const report = await world.loop();
    assert.deepEqual(
      [report.exit_code, world.phase("X"), new Set(world.calls().map((call) => call[0]))],
      [78, "done", new Set(["X"])],
    );
  });

  test("stops a run on one of them, and `check` finds it", async (t) => {
    const world = await makeDoubled(t);
    for (const name of ["A", "B"]) {
      const report = await world.loop("--task-dir", world.path(`tasks/${name}`));
      assert.deepEqual([report.exit_code, report.findings.map(({ code }) => code)], [78, ["TP_ID_DOUBLED"]]);
    }
    const end = await world.call("task-phase", ["check", "--json", "--tasks-root", world.tasks]);
    const json = end.json() as unknown as {
      exit_code: number;
      findings: readonly { code: string; message: string; file: string }[];
    };
    assert.equal(json.exit_code, 78);
    assert.deepEqual(
      json.findings.map(({ code, message, file }) => [code, message, file]),
      doubled(world),
    );
    assert.deepEqual(world.calls(), []);
  });
});

test("a done dependency whose proof has to be shown is waited for, in status, the loop and a run", async (t) => {
  const wants = (proof: string) => ({ contract: [`depends_on: [{ id: A, proof: ${proof} }]`] });
  // The check of A passes without its work too.
  const world = await makeLoopWorld(t, { A: {}, B: wants("shown"), C: wants("any") });
  const report = await world.loop();
  assert.deepEqual([world.phase("A"), world.phase("B"), world.phase("C")], ["done", "intake", "done"]);
  assert.equal(report.exit_code, 21);
  const { tasks } = await look(world);
  assert.deepEqual(
    tasks.map(({ task, standing }) => [task, standing]),
    [
      ["A", "done"],
      ["B", "waits"],
      ["C", "done"],
    ],
  );
  assert.match(tasks[1]?.why ?? "", /waits for A \(done without proof\)/);
  const run = await world.call1("--task-dir", world.path("tasks/B"));
  assert.match(run.stdout + run.stderr, /waits for A, which is done without proof/);
});

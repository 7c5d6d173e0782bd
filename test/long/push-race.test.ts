import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { makeWorld, type World } from "../cli/arrange.ts";
import { briefFile } from "../cli/brief-file.ts";
import { stateFile } from "../cli/task-states.ts";
import type { Report } from "../cli/task-world.ts";
import { receive } from "../notify/arrange.ts";

/** Fills in what intake asks for, moves on, and says by WHO who it was. */
const agent = `#!/bin/sh
cat > /dev/null
case $TASK_PHASE_PHASE in
intake)
  sed -i "s/^- Phase: .*/- Phase: shape/; s/^- Objective:.*/- Objective: told by $WHO/; s/^- Done gate:.*/- Done gate: g/" "$TASK_PHASE_TASK_DIR/STATE.md"
  sed -i "s/^- Not doing:.*/- Not doing: none/; s/^- Reality constraints:.*/- Reality constraints: none/" "$TASK_PHASE_TASK_DIR/STATE.md" ;;
shape)
  sed -i "s/^- Phase: .*/- Phase: implement/; s/^- Validation plan:.*/- Validation plan: planned by $WHO/" "$TASK_PHASE_TASK_DIR/STATE.md" ;;
esac
`;

interface Machine {
  readonly name: string;
  pass(task?: string): Promise<Report>;
  git(...args: string[]): string;
  read(name: string): string;
  write(name: string, text: string): void;
}

interface Fleet {
  readonly world: World;
  machine(name: string): Machine;
  /** Whether the remote refuses every push from now on. */
  refuse(does: boolean): void;
}

/** A bare remote with two tasks, and clones of it, each with a state folder of its own. */
function makeFleet(t: TestContext, more = ""): Fleet {
  const world = makeWorld(t);
  chmodSync(world.write("agent.sh", agent), 0o755);
  const tasks = ["T-1", "T-2"].flatMap((id) => [
    [
      `tasks/${id}/README.md`,
      briefFile(
        [
          `id: ${id}`,
          "title: Export the answer",
          "repo: ../..",
          "validators: [{ name: tests, command: [test, -f, code.txt] }]",
        ],
        "Export it",
      ),
    ],
    [`tasks/${id}/STATE.md`, stateFile({ phase: "intake" })],
  ]);
  const model = `models:\n  - { name: mine, adapter: command, command: [${world.path("agent.sh")}], env: [WHO] }\n`;
  world.initRepo(
    {
      ...Object.fromEntries(tasks),
      "code.txt": "code\n",
      "tasks/.gitignore": ".task-phase/\n",
      "tasks/task-phase.yaml": `checkpoint: push\n${more}${model}`,
    },
    "first",
  );
  world.git(".", "clone", "-q", "--bare", "first", "remote.git");
  const remote = world.path("remote.git");
  const hook = world.write("remote.git/hooks/pre-receive", "#!/bin/sh\nexit 1\n");
  const machine = (name: string): Machine => {
    world.git(".", "clone", "-q", remote, name);
    const env = { XDG_STATE_HOME: world.path(`${name}-state`), WHO: name };
    return {
      name,
      pass: async (task = "T-1") => {
        const end = await world.call("task-phase", ["run", task, "--json"], { cwd: name, env });
        const report = end.json() as unknown as Report;
        assert.equal(end.code, report.exit_code, end.stderr);
        return report;
      },
      git: (...args) => world.git(name, ...args),
      read: (file) => world.read(path.join(name, file)),
      write: (file, text) => void world.write(path.join(name, file), text),
    };
  };
  return { world, machine, refuse: (does) => chmodSync(hook, does ? 0o755 : 0o644) };
}

const codes = ({ findings }: Report) => findings.map(({ code }) => code);

describe("checkpoint: push, on two machines with one task", () => {
  test("the pass that is pushed second is superseded, and the next run goes on from the other one", async (t) => {
    const there = await receive(t, 200);
    const { world, machine } = makeFleet(t, `notify: { webhook: "${there.origin}" }\n`);
    const [one, two] = [machine("one"), machine("two")];
    assert.deepEqual([(await two.pass("T-2")).verdict, (await one.pass()).verdict], ["accepted", "accepted"]);
    const lost = await two.pass();
    assert.deepEqual([lost.verdict, lost.to, lost.exit_code, lost.pass], [null, null, 75, 1], lost.reason);
    assert.deepEqual(codes(lost), ["TP_SUPERSEDED"]);
    assert.match(two.read("tasks/T-1/STATE.md"), /told by one/);
    assert.equal(two.git("status", "--porcelain"), "");
    assert.equal(two.git("rev-parse", "HEAD"), two.git("rev-parse", "origin/main"));
    const kept = world.git("remote.git", "for-each-ref", "--format=%(refname)", "refs/task-phase").trim();
    assert.match(kept, /^refs\/task-phase\/lost\/T-1\/1-[0-9a-f]{12}$/);
    assert.match(world.git("remote.git", "show", `${kept}:tasks/T-1/STATE.md`), /told by two/);
    const next = await two.pass();
    assert.deepEqual([next.verdict, next.from, next.to, next.pass], ["accepted", "shape", "implement", 2], next.reason);
    assert.equal(world.git("remote.git", "rev-parse", "main"), two.git("rev-parse", "HEAD"));
    assert.deepEqual((await world.call("task-phase", ["check"], { cwd: "two" })).code, 0);
    assert.deepEqual(there.received, []);
  });

  test("where a person's change is in the way nothing is lost, and no model is called until it is put right", async (t) => {
    const { machine } = makeFleet(t);
    const [one, two] = [machine("one"), machine("two")];
    one.write("code.txt", "theirs\n");
    one.git("commit", "-qam", "theirs");
    await one.pass();
    two.write("code.txt", "not committed\n");
    const lost = await two.pass();
    assert.deepEqual([lost.verdict, lost.exit_code, codes(lost)], [null, 75, ["TP_SUPERSEDED"]]);
    assert.equal(two.read("code.txt"), "not committed\n");
    assert.match(two.read("tasks/T-1/STATE.md"), /told by two/);
    const again = await two.pass();
    assert.deepEqual([again.verdict, again.exit_code, again.pass, codes(again)], [null, 75, null, ["TP_SUPERSEDED"]]);
    two.git("checkout", "-q", "code.txt");
    const next = await two.pass();
    assert.deepEqual([next.verdict, next.from, next.to], ["accepted", "shape", "implement"], next.reason);
    assert.match(two.read("tasks/T-1/STATE.md"), /told by one/);
  });

  test("a pass that was not pushed when the run was killed gives way at the next start", async (t) => {
    const { world, machine, refuse } = makeFleet(t);
    const [one, two] = [machine("one"), machine("two")];
    refuse(true);
    assert.deepEqual(codes(await two.pass()), ["TP_PUSH_FAILED"]);
    refuse(false);
    await one.pass();
    const next = await two.pass();
    assert.deepEqual([next.verdict, next.from, next.to, next.pass], ["accepted", "shape", "implement", 2], next.reason);
    assert.match(two.read("tasks/T-1/STATE.md"), /told by one/);
    assert.match(world.git("two", "for-each-ref", "refs/task-phase/lost/T-1"), /1-[0-9a-f]{12}/);
  });
});

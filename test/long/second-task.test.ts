import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { makeWorld } from "../cli/arrange.ts";
import { agentPath } from "../fake-agents/agent-path.ts";

const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const repo = {
  "src/add.mjs": "export const add = (a, b) => a - b;\n",
  "src/old.mjs": "export {};\n",
  "test/add.test.mjs": `${nodeTest}import { add } from "../src/add.mjs";\ntest("add", () => assert.equal(add(2, 0), 2));\n`,
};

/** Work of a task: a shell script in the repo. */
const fixAdd = `cat > src/add.mjs <<'END'
export const add = (a, b) => a + b;
END
sed -i 's/add(2, 0), 2/add(2, 3), 5/' test/add.test.mjs
rm -f src/old.mjs`;
const addTwice = `cat > src/twice.mjs <<'END'
import { add } from "./add.mjs";
export const twice = (a) => add(a, a);
END
cat > test/twice.test.mjs <<'END'
${nodeTest}import { twice } from "../src/twice.mjs";
test("twice", () => assert.equal(twice(4), 8));
END`;
const addThree = `cat >> src/add.mjs <<'END'
export const addThree = (a, b, c) => add(add(a, b), c);
END
cat > test/three.test.mjs <<'END'
${nodeTest}import { addThree } from "../src/add.mjs";
test("three", () => assert.equal(addThree(1, 2, 3), 6));
END`;

/** Two tasks that \`init\` made in one repo with its own settings, and an agent that does the work of each. */
async function begin(t: TestContext, works: readonly string[], needs: readonly string[] = []) {
  const world = makeWorld(t);
  world.initRepo(repo);
  works.forEach((work, index) => {
    world.write(`repo/.git/work-${index + 1}.sh`, work);
  });
  world.write(
    "repo/.git/agent.sh",
    `id=\${TASK_PHASE_TASK_DIR##*/T-}
case $TASK_PHASE_PHASE in implement | repair) (cd "$TASK_PHASE_REPO" && sh .git/work-\${id%%-*}.sh) ;; esac
AGENT_SOURCE=.git/agent-was-here exec node '${agentPath("honest.mjs")}'\n`,
  );
  const agent = JSON.stringify(world.path("repo/.git/agent.sh"));
  world.write(
    "repo/tasks/task-phase.yaml",
    `models: [{ name: honest, adapter: command, command: [sh, ${agent}] }]\ncheckpoint: patch\n`,
  );
  const say = (words: readonly string[], name = "task-phase") => world.call(name, words, { cwd: "repo" });
  for (const [index, title] of ["First", "Second"].entries()) {
    const brief = world.write(`brief-${index}.md`, `The ${title} work is done.\n`);
    const made = await say([
      ...["init", title, "--brief", brief, "--validator", "tests=node --test"],
      ...(index === 0 ? [] : needs),
    ]);
    assert.equal(made.code, 0, made.stderr);
  }
  const folder = (id: string) => readdirSync(world.path("repo/tasks")).find((name) => name.startsWith(id)) ?? "none";
  return {
    world,
    say,
    last: (id: string) =>
      world
        .read(`repo/tasks/${folder(id)}/artifacts/journal.jsonl`)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as TaskEvent)
        .findLast((event) => event.type === "verdict"),
  };
}

for (const [name, works, needs] of [
  ["needs it", [fixAdd, addTwice], ["--depends-on", "T-1"]],
  ["does not need it", [fixAdd, "echo text > notes.txt"], []],
  ["changes the same file", [fixAdd, addThree], ["--depends-on", "T-1"]],
] as const)
  test(`a second task is proven on the work of the first that nobody committed, if it ${name}`, async (t) => {
    const tasks = await begin(t, works, needs);
    const end = await tasks.say([], "task-phase-loop");
    assert.equal(end.code, 0, end.stderr);
    const last = tasks.last("T-2");
    assert.equal(last?.to, "done");
    assert.deepEqual(last?.matrix?.on_top, ["T-1"]);
    assert.match(last?.reason ?? "", /It builds on the work of T-1, which was not committed/);
    assert.equal(last?.proof?.grade, name === "does not need it" ? "kept" : "shown", last?.reason);
    assert.equal(tasks.last("T-1")?.matrix?.on_top, undefined);
    const check = await tasks.say(["check", "--json"]);
    const codes = (check.json().findings as { readonly code: string }[]).map(({ code }) => code);
    assert.deepEqual([check.code, codes], [0, name === "changes the same file" ? ["TP_MOVED_SINCE"] : []]);
  });

test("a person's change of the first task's work is delivered by no task, and named with what to do", async (t) => {
  const tasks = await begin(t, [fixAdd, addTwice], ["--depends-on", "T-1"]);
  const first = await tasks.say(["T-1"], "task-phase-loop");
  assert.equal(first.code, 0, first.stderr);
  tasks.world.write("repo/src/add.mjs", "export const add = (a, b) => b + a;\n");
  const second = await tasks.say(["T-2", "--max-passes", "4"], "task-phase-loop");
  assert.notEqual(second.code, 0, second.stderr);
  assert.match(
    second.stderr,
    /src\/add\.mjs \(changes that are not committed, and that no pass of this task made: commit /,
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { keptPrompt } from "../../lib/pass/pack-prompt.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { at, eventsAt } from "../cli/task-states.ts";
import { makeTaskWorld } from "../cli/task-world.ts";
import { verdictEvent } from "../rules/arrange.ts";

test("the kept prompt names the task folder and the repo by their variables, and no path that only looks like them", () => {
  const places = { taskDir: "/w/a+b/tasks/T-1", repo: "/w/a+b" };
  const prompt = "`/w/a+b/tasks/T-1`, `/w/a+b`, at /w/a+b/src/x.ts:3, in /w/a+b. Not /w/a+b-2, /x/w/a+b or /w/aab.\n";
  assert.equal(
    keptPrompt(prompt, places),
    "`$TASK_PHASE_TASK_DIR`, `$TASK_PHASE_REPO`, at $TASK_PHASE_REPO/src/x.ts:3, in $TASK_PHASE_REPO. Not /w/a+b-2, /x/w/a+b or /w/aab.\n",
  );
  assert.equal(keptPrompt("/w/tasks/T-1 /etc", { taskDir: "/w/tasks/T-1", repo: "/" }), "$TASK_PHASE_TASK_DIR /etc");
});

const failure = { signature: "redirected validator tests", count: 1, passes: [1] };

for (const [phase, retries] of [
  ["repair", true],
  ["verify", false],
] as const)
  test(`after a redirect ${phase} is ${retries ? "a" : "no"} retry of the failure`, async (t) => {
    const task = await makeTaskWorld(t).makeTask("case", {
      state: { phase },
      events: async (place) => [
        ...(await eventsAt("verify", place)),
        verdictEvent("verify", "repair", place, { verdict: "redirected", failure }),
        ...(phase === "verify" ? [verdictEvent("repair", "verify", place, { pass: 2 })] : []),
      ],
    });
    const { stdout } = await task.run("--dry-run");
    assert.equal(/Retry 1 of 2/.test(stdout), retries);
  });

test("a person's reason for letting a task go on is in the prompt as their wish, until the task is done again", async (t) => {
  const prompt = async (name: string, to: readonly Phase[], reasons: readonly string[] = []) => {
    const task = await makeTaskWorld(t).makeTask(name, {
      state: { phase: "implement" },
      events: async (place) => [
        ...(await eventsAt("done", place)),
        ...to.map((phase) => ({
          type: "resumed" as const,
          at,
          from: "done" as const,
          to: phase,
          reason: "-2.5 is -3",
          state: place.state,
        })),
        ...reasons.map((reason) => ({
          type: "resumed" as const,
          at,
          from: "implement" as const,
          to: "implement" as const,
          reason,
          state: place.state,
        })),
      ],
    });
    return (await task.run("--dry-run")).stdout;
  };
  const wish = "- A person let the task go on in `implement`, and wants this as much as the brief: -2.5 is -3";
  assert.ok((await prompt("open", ["implement"])).includes(wish));
  assert.ok((await prompt("retry", ["implement"], ["RETRY in CONTROL.md"])).includes(wish));
  const both = await prompt("twice", ["implement"], ["2.5 is 3", "2.5 is 3"]);
  assert.equal(both.split("wants this as much as the brief: ").length - 1, 2, "each reason, once");
  assert.ok(both.includes(`${wish}\n\n${wish.replace("-2.5 is -3", "2.5 is 3")}\n`));
  const again = await prompt("again", ["implement"], ["a", "b", "c", "d", "e", "-2.5 is -3"]);
  assert.deepEqual(
    [...again.matchAll(/wants this as much as the brief: (.*)/g)].map(([, reason]) => reason),
    ["b", "c", "d", "e", "-2.5 is -3"],
    "a reason that is given again is a new one",
  );
});

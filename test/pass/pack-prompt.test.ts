import assert from "node:assert/strict";
import { test } from "node:test";
import { keptPrompt } from "../../lib/pass/pack-prompt.ts";

test("the kept prompt names the task folder and the repo by their variables, and no path that only looks like them", () => {
  const places = { taskDir: "/w/a+b/tasks/T-1", repo: "/w/a+b" };
  const prompt = "`/w/a+b/tasks/T-1`, `/w/a+b`, at /w/a+b/src/x.ts:3, in /w/a+b. Not /w/a+b-2, /x/w/a+b or /w/aab.\n";
  assert.equal(
    keptPrompt(prompt, places),
    "`$TASK_PHASE_TASK_DIR`, `$TASK_PHASE_REPO`, at $TASK_PHASE_REPO/src/x.ts:3, in $TASK_PHASE_REPO. Not /w/a+b-2, /x/w/a+b or /w/aab.\n",
  );
  assert.equal(keptPrompt("/w/tasks/T-1 /etc", { taskDir: "/w/tasks/T-1", repo: "/" }), "$TASK_PHASE_TASK_DIR /etc");
});

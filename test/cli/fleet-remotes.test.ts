import assert from "node:assert/strict";
import { test } from "node:test";
import { workerName } from "../../lib/cli/fleet-remotes.ts";

test("a worker is called by its own name, else by that of its host", () => {
  const names = { TASK_PHASE_WORKER: "w", TASK_PHASE_HOST: "h" };
  assert.deepEqual(
    [workerName(names), workerName({ ...names, TASK_PHASE_WORKER: " " }), workerName({})],
    ["w", "h", "unnamed"],
  );
});

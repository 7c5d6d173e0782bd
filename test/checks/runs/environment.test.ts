import assert from "node:assert/strict";
import { test } from "node:test";
import { checkEnvironment } from "../../../lib/checks/runs/environment.ts";

test("a check gets the runner's environment without what would make it another check than by hand", () => {
  const env = {
    PATH: "/bin",
    GIT_AUTHOR_NAME: "Ada",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_DIR: "/elsewhere/.git",
    GIT_INDEX_FILE: "index.lock",
    GIT_WORK_TREE: "/elsewhere",
    NODE_TEST_CONTEXT: "child-v8",
    TASK_PHASE_PASS: "3",
    TASK_PHASE_MARK: "abc",
    EMPTY: "",
    UNSET: undefined,
  };
  assert.deepEqual(checkEnvironment(env), {
    PATH: "/bin",
    GIT_AUTHOR_NAME: "Ada",
    GIT_CONFIG_GLOBAL: "/dev/null",
    EMPTY: "",
  });
});

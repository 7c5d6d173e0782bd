import assert from "node:assert/strict";
import { test } from "node:test";
import { findSameRefs, idOfTaskRef, taskRefOf } from "../../lib/git/task-branches.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";

const ids = ["T-1", "-x", "任务-1", "a.b", "Ünï", "$&", "{id}", "a'b\"c"];

test("the ref of an id leads back to it, with any pattern", () => {
  for (const pattern of [undefined, "agents/tasks/{id}"])
    assert.deepEqual(
      ids.map((id) => idOfTaskRef(taskRefOf(id, pattern), pattern)),
      ids,
    );
  assert.equal(taskRefOf("T-1"), "refs/heads/task-phase/T-1");
  assert.equal(taskRefOf("$&", "a/{id}"), "refs/heads/a/$&");
});

test("a branch that belongs to no task has no id", () => {
  const refs = ["refs/heads/main", "refs/heads/task-phase/", "refs/heads/task-phase", "refs/heads/task-phase/a/b"];
  assert.deepEqual(
    [...refs, "refs/heads/task-phases/a", "refs/tags/task-phase/a", "task-phase/a"].map((ref) => idOfTaskRef(ref)),
    refs.concat("", "", "").map(() => null),
  );
});

for (const [id, why] of [
  ["", "is empty"],
  ["a/b", "contains a slash"],
  ["a b", "contains a space"],
  ["a..b", "contains `..`"],
  ["..", "contains `..`"],
  [".a", "has a part that begins with a dot"],
  ["a.", "ends with a dot"],
  ["a.lock", "has a part that ends with `.lock`"],
  ["a@{0}", "contains `@{`"],
  ["a:b", "contains `:`"],
  ["a\nb", "contains a control character"],
  ["ä".repeat(120), "has 262 bytes as a ref; the most is 250"],
])
  test(`the id ${JSON.stringify(id?.slice(0, 12))} is a config error that says what to change`, () => {
    assert.throws(
      () => taskRefOf(id ?? "", undefined, { file: "tasks/x/README.md", line: 2, column: 5 }),
      (error: unknown) => {
        assert.ok(error instanceof TaskPhaseError);
        const [finding] = error.findings;
        assert.deepEqual(
          [error.exitName, finding?.code, finding?.file, finding?.line, finding?.fix],
          [
            "config",
            "TP_TASK_REF",
            "tasks/x/README.md",
            2,
            "give the task an id of letters, digits, hyphens and underscores, such as T-123",
          ],
        );
        assert.ok(finding?.message.endsWith(`: it ${why}`), finding?.message);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        assert.doesNotMatch(finding?.message ?? "", /[\x00-\x1f]/);
        return true;
      },
    );
  });

test("ids that differ in case or in how an accent is written alone are one file on some disks", () => {
  assert.deepEqual(findSameRefs(["T-1", "t-1", "T-2", "caf\u00e9", "cafe\u0301", "T-1"]), [
    ["T-1", "t-1"],
    ["caf\u00e9", "cafe\u0301"],
  ]);
  assert.deepEqual(findSameRefs(["straße", "STRASSE"]), [["straße", "STRASSE"]]);
  assert.deepEqual(findSameRefs(["a", "b"]), []);
});

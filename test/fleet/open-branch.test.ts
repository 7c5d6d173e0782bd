import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { findTaskFolder } from "../../lib/fleet/open-branch.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { briefFile } from "../cli/brief-file.ts";
import { gitEnv, makeRepo, write } from "../git/git-repo.ts";
import { withFolder } from "../store/temporary-folder.ts";

const brief = (id: string) => briefFile([`id: ${id}`, "title: T", "validators: []"], "T");

test("the folder of a task is found by its id, else by its name, among the tasks of the branch", () =>
  withFolder(async (folder) => {
    makeRepo(folder, {
      "tasks/one/STATE.md": "",
      "tasks/one/README.md": brief("T-1"),
      "tasks/two/artifacts/journal.jsonl": "",
      "tasks/two/README.md": brief("T-2"),
      "tasks/broken/STATE.md": "",
      "tasks/broken/README.md": "---\nid: [\n---\n",
      "tasks/same-a/STATE.md": "",
      "tasks/same-a/README.md": brief("T-3"),
      "tasks/same-b/STATE.md": "",
      "tasks/same-b/README.md": brief("T-3"),
      "tasks/.hidden/STATE.md": "",
      "tasks/.hidden/README.md": brief("T-4"),
      "tasks/notes/README.md": brief("T-5"),
      "other/six/STATE.md": "",
      "other/six/README.md": brief("T-6"),
      "tasks/Lower/STATE.md": "",
      "tasks/Lower/README.md": brief("t-7"),
    });
    write(folder, { "tasks/new/STATE.md": "", "tasks/new/README.md": brief("T-8") });
    const place = findGitPlace(folder) ?? assert.fail();
    const branches = [{ id: "T-7", ref: "refs/heads/task-phase/T-7", commit: "" }];
    const find = async (task: string) => {
      try {
        return await findTaskFolder(place, { prefix: "tasks/", branches }, task, gitEnv);
      } catch (error) {
        assert.ok(error instanceof TaskPhaseError);
        const { code, message, fix } = error.findings[0] ?? assert.fail();
        return [error.exitName, code, message, fix];
      }
    };
    for (const [task, name] of [
      ["T-1", "one"],
      ["T-2", "two"],
      ["broken", "broken"],
    ] as const)
      assert.equal(await find(task), join(folder, "tasks", name));
    const unknown = (task: string) => `there is no task ${task} in the remote's branch`;
    const all = "its tasks are t-7, T-1, T-3, T-3, T-2";
    for (const task of ["T-4", "T-5", "T-6", "T-8", "T-9"])
      assert.deepEqual(await find(task), ["usage", "TP_USAGE_TASK_UNKNOWN", unknown(task), all], task);
    const named = "the task in the folder one has the id T-1";
    assert.deepEqual(await find("one"), ["usage", "TP_USAGE_TASK_UNKNOWN", unknown("one"), named]);
    const doubled = "2 tasks have the id T-3: tasks/same-a, tasks/same-b";
    const apart = "give each task an id of its own";
    assert.deepEqual(await find("T-3"), ["usage", "TP_USAGE_TASK_ID", doubled, apart]);
    const [exit, code] = (await find("T-7")) as string[];
    assert.deepEqual([exit, code], ["config", "TP_TASK_REF"], "some hosts take T-7 and t-7 for one branch");
    const empty = findTaskFolder(place, { prefix: "none/", branches: [] }, "T-1", gitEnv);
    await assert.rejects(empty, (error: TaskPhaseError) => {
      assert.equal(error.findings[0]?.fix, "it has no task folders; push them first");
      return true;
    });
  }));

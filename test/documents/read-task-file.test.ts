import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseTaskFile, readIfGood, readTaskFile, taskFiles } from "../../lib/documents/read-task-file.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { makeFolder } from "../process/arrange.ts";

/** How a call ends: its value, or exit, code and message of its error. */
function endOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    assert.ok(error instanceof TaskPhaseError);
    const [finding] = error.findings;
    return [error.exitName, finding?.code, finding?.message, finding?.file];
  }
}

const optional = { ...taskFiles, brief: undefined, state: undefined, control: undefined };
const notUtf8 = Buffer.from([0x23, 0xff]);

describe("a file of a task", () => {
  test("that is not there counts as an empty one, unless each task has it", (t) => {
    const folder = makeFolder(t);
    for (const file of Object.values(optional)) {
      if (file === undefined) continue;
      assert.equal(readTaskFile<unknown>(file, folder), file.ifMissing);
      assert.equal(readIfGood<unknown, unknown>(file, folder), file.ifMissing);
    }
    for (const file of [taskFiles.brief, taskFiles.state]) {
      const path = join(folder, file.name);
      assert.deepEqual(
        endOf(() => readTaskFile<unknown>(file, folder)),
        ["data", "TP_TASK_FILE", "the file is missing", path],
      );
      assert.equal(readIfGood<unknown, null>(file, folder), null);
    }
  });

  test("that cannot be read is a data error, or counts as one that is not there", (t) => {
    const folder = makeFolder(t);
    const path = join(folder, "TASKS.md");
    const found = () => [endOf(() => readTaskFile(taskFiles.steps, folder)), readIfGood(taskFiles.steps, folder)];
    const wrong = (code: string, message: string) => [["data", code, message, path], taskFiles.steps.ifMissing];
    symlinkSync("elsewhere", path);
    const link = "the file is a symbolic link; a task file must be a regular file";
    assert.deepEqual(found(), wrong("TP_TASK_FILE", link));
    const other = makeFolder(t);
    mkdirSync(join(other, "DECISIONS.md"));
    const isFolder = "the file is a folder; a task file must be a regular file";
    assert.deepEqual(
      endOf(() => readTaskFile(taskFiles.decisions, other)),
      ["data", "TP_TASK_FILE", isFolder, join(other, "DECISIONS.md")],
    );
    const large = makeFolder(t);
    writeFileSync(join(large, "STATE.md"), "x".repeat(taskFiles.state.maxBytes + 1));
    assert.deepEqual(
      endOf(() => readTaskFile(taskFiles.state, large)),
      ["data", "TP_TASK_FILE", "the file is too large (1048577 bytes)", join(large, "STATE.md")],
    );
  });

  test("that has not its form is the error of its reader, or counts as one that is not there", (t) => {
    const folder = makeFolder(t);
    for (const [name, file] of Object.entries(optional)) {
      if (file === undefined) continue;
      writeFileSync(join(folder, file.name), notUtf8);
      const problem = "the file is not valid UTF-8 from here on";
      assert.deepEqual(
        endOf(() => readTaskFile<unknown>(file, folder)),
        ["data", "TP_TEXT_ENCODING", problem, join(folder, file.name)],
        name,
      );
      assert.equal(readIfGood<unknown, unknown>(file, folder), file.ifMissing, name);
    }
  });

  test("that is a wrong contract is a config error", () => {
    const bytes = Buffer.from("---\nid: T-1\ntitle: Export\nno_such_key: 1\n---\n");
    const end = endOf(() => parseTaskFile(taskFiles.brief, bytes, "README.md"));
    assert.deepEqual((end as string[]).slice(0, 2), ["config", "TP_CONFIG_UNKNOWN_KEY"]);
  });

  test("that is good is what its reader gives", (t) => {
    const folder = makeFolder(t);
    writeFileSync(join(folder, "TASKS.md"), "- [x] one (artifacts/a.txt)\n- [ ] two\n");
    const read = readTaskFile(taskFiles.steps, folder);
    assert.deepEqual(
      read.items.map(({ done }) => done),
      [true, false],
    );
    assert.deepEqual(readIfGood(taskFiles.steps, folder), read);
    writeFileSync(join(folder, "README.md"), "---\nid: T-1\ntitle: Export\n---\n");
    const { contract } = readTaskFile(taskFiles.brief, folder, { budget: { passes: 3 } });
    assert.deepEqual([contract.id, contract.budget.passes], ["T-1", 3]);
  });
});

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { applyInit, proveInit } from "../../../lib/scaffold/init/apply.ts";
import { planInit } from "../../../lib/scaffold/init/plan-init.ts";
import { withFolder } from "../../store/temporary-folder.ts";

function planIn(taskDir: string) {
  return planInit({
    ...{ taskDir, title: "Round", id: null, repo: null, priority: null, dependsOn: [], validators: [] },
    ...{ userFacing: false, withTasks: false, now: new Date("2026-11-21T10:00:00Z") },
  });
}

test("files are written where there are none, and what is there is kept as it is", () =>
  withFolder((folder) => {
    const taskDir = join(folder, "T-1");
    mkdirSync(taskDir);
    writeFileSync(join(taskDir, "log.txt"), "mine");
    const plan = planIn(taskDir);
    const { made, kept } = applyInit(plan, taskDir);
    assert.deepEqual([kept, made.length], [["log.txt"], plan.files.length - 1]);
    assert.equal(readFileSync(join(taskDir, "log.txt"), "utf8"), "mine");
    assert.ok(readdirSync(taskDir).includes("artifacts"));
    assert.deepEqual(applyInit(plan, taskDir).made, []);
  }));

test("what was written must read back, and what was kept is a warning if it does not", () =>
  withFolder((folder) => {
    const taskDir = join(folder, "T-1");
    const written = applyInit(planIn(taskDir), taskDir);
    assert.deepEqual(proveInit(taskDir, written), { id: "T-1", findings: [] });
    writeFileSync(join(taskDir, "README.md"), "# mine\n");
    const kept = { made: [], kept: ["README.md", "STATE.md"] };
    const { id, findings } = proveInit(taskDir, kept);
    assert.equal(id, null);
    assert.ok(findings.length > 0 && findings.every(({ severity }) => severity === "warning"));
    assert.throws(() => proveInit(taskDir, written), /does not read as it should/);
  }));

test("a file that is gone, or is no readable file, is named with the reason", () =>
  withFolder((folder) => {
    const taskDir = join(folder, "T-1");
    mkdirSync(join(taskDir, "STATE.md"), { recursive: true });
    writeFileSync(join(taskDir, "README.md"), Buffer.alloc((1 << 20) + 1));
    const { findings } = proveInit(taskDir, { made: [], kept: [] });
    assert.deepEqual(
      findings.map(({ code, message, severity }) => [code, message.replace(/^cannot be read back: /, ""), severity]),
      [
        ["TP_INIT_NOT_THERE", "it is too large (1048577 bytes)", "warning"],
        ["TP_INIT_NOT_THERE", "it is not a file (folder)", "warning"],
      ],
    );
  }));

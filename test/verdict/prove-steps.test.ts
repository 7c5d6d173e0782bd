import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proveSteps } from "../../lib/verdict/prove-steps.ts";
import { makeFolder } from "../process/arrange.ts";

test("a named proof is a non-empty regular file of the agent, really under artifacts/", (t) => {
  const taskDir = makeFolder(t);
  mkdirSync(join(taskDir, "artifacts/passes/0001"), { recursive: true });
  mkdirSync(join(taskDir, "outside"));
  mkdirSync(join(taskDir, "artifacts/shots"));
  const files = [
    "README.md",
    "outside/x.png",
    "artifacts/x.png",
    "artifacts/journal.jsonl",
    "artifacts/passes/0001/x.log",
  ];
  for (const path of files) writeFileSync(join(taskDir, path), "x");
  writeFileSync(join(taskDir, "artifacts/empty.png"), "");
  symlinkSync("x.png", join(taskDir, "artifacts/link.png"));
  symlinkSync("../outside", join(taskDir, "artifacts/far"));
  const rows = [
    ["artifacts/x.png", null],
    ["artifacts/gone.png", "no such"],
    ["artifacts/empty.png", "no such"],
    ["artifacts/shots", "no such"],
    ["artifacts/link.png", "no such"],
    ["artifacts/far/x.png", "no such"],
    ["artifacts/../README.md", "not under artifacts/"],
    ["artifacts/../../x", "no such"],
    ["artifacts/journal.jsonl", "task-phase wrote"],
    ["artifacts/passes/0001/x.log", "task-phase wrote"],
    ["artifacts/shots/../passes/0001/x.log", "task-phase wrote"],
  ] as const;
  const named = rows.map(([path], index) => ({ text: path, done: true, line: index + 1, path }));
  const proofs = proveSteps({ taskDir }, [
    ...named,
    { text: "open", done: false, line: 99, path: "artifacts/gone.png" },
  ]);
  assert.deepEqual(
    proofs.map(({ path, problem }) => [
      path,
      problem === null ? null : /no such|not under artifacts\/|task-phase wrote/.exec(problem)?.[0],
    ]),
    rows,
  );
});

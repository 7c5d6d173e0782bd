import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { madeByPasses, proveFeatures, proveSteps } from "../../../lib/pass/verdict/prove-features.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { locateTask } from "../../../lib/task/records/task-place.ts";
import { makeFolder } from "../../process/arrange.ts";
import { verdictEvent } from "../../rules/arrange.ts";

test("a real feature is proven under artifacts/ or by a file that a pass made, and by nothing else", (t) => {
  const repo = makeFolder(t);
  const task = join(repo, "tasks", "T-1");
  mkdirSync(join(task, "artifacts"), { recursive: true });
  mkdirSync(join(repo, "src"));
  for (const path of ["README.md", "EVIDENCE.md", "STATE.md", "artifacts/run.log"])
    writeFileSync(join(task, path), "x");
  for (const path of ["README.md", "src/old.js", "src/made.js"]) writeFileSync(join(repo, path), "x");
  writeFileSync(join(task, "artifacts/empty.log"), "");
  symlinkSync("../README.md", join(task, "artifacts/brief.md"));
  const place = locateTask(task, repo);
  const rows = [
    ["artifacts/run.log", null],
    ["see artifacts/run.log:3, and README.md", null],
    ["src/made.js:12", null],
    ["tasks/T-1/artifacts/run.log", null],
    ["README.md", "neither"],
    ["EVIDENCE.md", "neither"],
    ["src/old.js", "neither"],
    ["artifacts/empty.log", "does not name a file"],
    ["artifacts/brief.md", "does not name a file"],
    ["../../src/made.js", "does not name a file"],
    ["src/gone.js", "does not name a file"],
    ["", "is empty"],
  ] as const;
  const features = rows.map(([proof]) => ({ feature: proof, label: "real_working", proof }));
  const proofs = proveFeatures({ place, repo, madeByPass: (path) => path === "src/made.js" }, features);
  assert.deepEqual(
    proofs.map(({ feature, problem }) => [
      feature,
      problem === null ? null : /neither|does not name a file|is empty/.exec(problem)?.[0],
    ]),
    rows.map(([proof, problem]) => [proof, problem]),
  );
});

test("the files that passes made are those of the journal and the present pass", () => {
  const made = madeByPasses([], [{ path: "src/a.js", change: "added" }]);
  assert.deepEqual([made("src/a.js"), made("src/b.js")], [true, false]);
  const changed = (count: number) => {
    const changed_paths = Array.from({ length: count }, (_, at) => ({ path: `${at}.js`, change: "added" }));
    return verdictEvent("implement", "verify", { state: "", contract: "" }, { changed_paths });
  };
  const start: TaskEvent = { type: "adopted", at: "", phase: "intake", state: "", contract_sha256: "" };
  const listed = madeByPasses([start, changed(1), changed(199)], []);
  assert.deepEqual(["0.js", "198.js", "199.js"].map(listed), [true, true, false]);
  const cut = madeByPasses([changed(200), changed(1)], []);
  assert.equal(cut("anything.js"), true, "a list that was cut leaves open what else the pass changed");
});

test("a long proof that names no file is quoted by its begin", (t) => {
  const repo = makeFolder(t);
  mkdirSync(join(repo, "tasks", "T-1"), { recursive: true });
  const proof = "x".repeat(81);
  const places = { place: locateTask(join(repo, "tasks", "T-1"), repo), repo, madeByPass: () => true };
  assert.deepEqual(proveFeatures(places, [{ feature: "Export", label: "real_working", proof }]), [
    { feature: "Export", problem: `its proof "${"x".repeat(80)}" does not name a file of the task folder or the repo` },
  ]);
});

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

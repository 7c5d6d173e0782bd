import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { receive } from "../notify/arrange.ts";
import { briefFile } from "./brief-file.ts";
import { makeLoopWorld } from "./loop-world.ts";
import { fieldOf, stateFile } from "./task-states.ts";
import { makeTaskWorld, type TaskCase } from "./task-world.ts";

const check = "validators: [{ name: tests, command: [test, -f, good.txt] }]";

const journalless = { state: { phase: "intake" }, events: null } as const;

/** The codes of what a run says, and whether it was refused without a trace of a pass. */
async function refusal(task: TaskCase): Promise<{ codes: string[]; fixes: string }> {
  const end = await task.run("--json");
  const said = end.json() as { exit_code: number; findings: { code: string; fix: string | null }[] };
  assert.deepEqual([end.code, said.exit_code], [78, 78], end.stderr);
  assert.deepEqual([task.calls(), task.exists("artifacts/journal.jsonl")], [0, false]);
  return { codes: said.findings.map(({ code }) => code), fixes: said.findings.map(({ fix }) => fix).join("\n") };
}

test("a task without a required check is refused before its first pass, with the line to copy", async (t) => {
  const world = makeTaskWorld(t);
  for (const [name, lines] of [
    ["none", []],
    ["optional", ["validators: [{ name: tests, command: [test, -f, good.txt], required: false }]"]],
    ["scenario", ["scenarios: [{ name: trip, command: [test, -f, good.txt] }]"]],
  ] as const) {
    const task = await world.makeTask(name, { ...journalless, contract: lines });
    const { codes, fixes } = await refusal(task);
    assert.deepEqual(codes, ["TP_NO_CHECK"], name);
    assert.match(fixes, /validators: \[\{ name: tests, command: \[npm, test\] \}\]/);
  }
});

test("the checks of the configuration's defaults count", async (t) => {
  const task = await makeTaskWorld(t).makeTask("defaults", { ...journalless, contract: [] });
  const config = path.join(task.taskDir, "../task-phase.yaml");
  const world = readFileSync(config, "utf8");
  task.write("../task-phase.yaml", `${world}defaults:\n  ${check}\n`);
  task.propose({ task: { "notes.txt": "one" } });
  assert.equal((await task.pass()).pass, 1);
});

test("a refusal is in log.txt and last_error.txt once, and the webhook is called once", async (t) => {
  const there = await receive(t, 200);
  const task = await makeTaskWorld(t).makeTask("noted", { ...journalless, contract: [] });
  const config = readFileSync(path.join(task.taskDir, "../task-phase.yaml"), "utf8");
  task.write("../task-phase.yaml", `${config}notify: { webhook: "${there.origin}" }\n`);
  for (let call = 0; call < 3; call += 1) await refusal(task);
  assert.match(
    task.read("log.txt"),
    /^\S+Z refused before pass 1: TP_NO_CHECK the contract has no required validator[^\n]*\n$/,
  );
  assert.match(
    task.read("last_error.txt"),
    /^\S+Z refused before pass 1, exit 78\n\nReasons:\n- TP_NO_CHECK T-1\/README\.md: [^\n]*validators: \[[^\n]*\n$/,
  );
  assert.equal(there.received.length, 1);
  const body = JSON.parse(there.received[0]?.body ?? "{}") as Record<string, unknown>;
  assert.deepEqual(
    [body.event, body.task, body.exit_code, body.exit_name, body.pass],
    ["task.refused", { id: "T-1", title: "Export the answer" }, 78, "config", null],
  );
  assert.match(String(body.reason), /no required validator/);
});

test("a start that is refused before the task is read is recorded, too", async (t) => {
  const there = await receive(t, 200);
  const world = makeTaskWorld(t);
  const task = await world.makeTask("early", { state: { phase: "intake" }, contract: [check] });
  const config = `${readFileSync(path.join(task.taskDir, "../task-phase.yaml"), "utf8")}notify: { webhook: "${there.origin}" }\n`;
  const brief = task.read("README.md");
  const head = (line: string) => brief.replace("title:", `${line}\ntitle:`);
  for (const [name, text, code] of [
    ["README.md", head("priorty: 3"), "TP_CONFIG_UNKNOWN_KEY"],
    ["README.md", brief.replace("repo: ../../repo", "repo: ../../gone"), "TP_REPO"],
    ["../task-phase.yaml", `${config}modles: []\n`, "TP_CONFIG_UNKNOWN_KEY"],
  ] as const) {
    task.write("../task-phase.yaml", config);
    task.write("README.md", brief);
    task.write(name, text);
    task.write("log.txt", "before\n");
    const bare = (text: string) => text.replace(/^- (Status|Last updated): .*$/gm, "");
    const [sent, state] = [there.received.length, task.state()];
    for (let call = 0; call < 2; call += 1) assert.equal((await task.run()).code, 78, name);
    assert.equal((await world.call("task-phase-loop", ["--tasks-root", path.dirname(task.taskDir)])).code, 78);
    assert.match(task.read("log.txt"), new RegExp(`^before\\n\\S+Z refused before pass 1: ${code} [^\\n]*\\n$`));
    assert.match(task.read("last_error.txt"), new RegExp(`exit 78\\n\\nReasons:\\n- ${code} \\S+: `));
    assert.match(fieldOf(task.state(), "Status") ?? "", /^refused: /);
    assert.deepEqual([bare(task.state()), task.calls()], [bare(state), 0]);
    // A wrong task-phase.yaml names no webhook that could be trusted.
    assert.equal(there.received.length - sent, name === "README.md" ? 1 : 0, name);
  }
  const body = JSON.parse(there.received[0]?.body ?? "{}") as Record<string, unknown>;
  assert.deepEqual([body.event, body.task, body.exit_code], ["task.refused", { id: "T-1", title: null }, 78]);
});

test("a flag of the call that is wrong leaves no trace in the task", async (t) => {
  const task = await makeTaskWorld(t).taskAt("flags", "implement", { contract: [check] });
  const files = () =>
    ["STATE.md", "log.txt", "last_error.txt"].map((name) => (task.exists(name) ? task.read(name) : ""));
  const before = files();
  for (const flags of [
    ["--repo", "nowhere"],
    ["--config", "nowhere.yaml"],
  ]) {
    assert.equal((await task.run(...flags)).code, 78);
    assert.deepEqual(files(), before, flags.join(" "));
  }
});

test("a check whose program disappears between two passes is recorded with the task", async (t) => {
  const contract = ["validators: [{ name: tests, command: [./check.sh] }]"];
  const repo = { "check.sh": "#!/bin/sh\nexit 0\n" };
  const task = await makeTaskWorld(t).makeTask("gone", { state: { phase: "intake" }, contract, repo });
  chmodSync(path.join(task.folder, "repo/check.sh"), 0o755);
  task.propose({ task: { "STATE.md": stateFile({ phase: "shape" }) } });
  assert.equal((await task.pass()).to, "shape");
  rmSync(path.join(task.folder, "repo/check.sh"));
  assert.equal((await task.run()).code, 78);
  assert.match(
    task.read("log.txt"),
    /pass 1 intake → shape accepted[^\n]*\n\S+Z refused before pass 2: TP_CHECK_MISSING /,
  );
  assert.match(task.read("last_error.txt"), /refused before pass 2, exit 78\n\nReasons:\n- TP_CHECK_MISSING /);
});

test("log.txt names the checks that ran and how each ended, of a success too", async (t) => {
  const contract = [
    "validators: [{ name: tests, command: [test, -f, good.txt] }, { name: lint, command: ['false'], required: false }]",
  ];
  const world = makeTaskWorld(t);
  const task = await world.taskAt("checks", "verify", { contract });
  task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) } });
  assert.equal((await task.pass()).to, "review");
  assert.match(task.read("log.txt"), /verify → review accepted; checks: tests pass, lint fail \(optional\)\n$/);
});

test("status, check and a dry run say what a run refuses, and write nothing", async (t) => {
  const task = await makeTaskWorld(t).makeTask("said", { ...journalless, contract: [], files: { "log.txt": "" } });
  const status = (await task.command("status", "--json")).json();
  assert.match(String(status.hindered), /no required validator/);
  assert.match(String(status.why), /^the contract has no required validator/);
  const checked = await task.command("check", "--json");
  const { findings } = checked.json() as { findings: { code: string; severity: string }[] };
  assert.deepEqual(
    [checked.code, findings.map(({ code, severity }) => `${severity} ${code}`)],
    [0, ["warning TP_NO_CHECK"]],
  );
  const dry = await task.run("--dry-run", "--json");
  assert.deepEqual([dry.code, (dry.json().findings as { code: string }[])[0]?.code], [78, "TP_NO_CHECK"]);
  assert.deepEqual([task.read("log.txt"), task.exists("last_error.txt")], ["", false]);
});

test("check warns of a repo that is missing, and of a contract that lost its checks after a pass", async (t) => {
  const world = makeTaskWorld(t);
  const warnings = async (name: string, lines: readonly string[]) => {
    const task = await world.taskAt(name, "verify");
    task.propose({ task: { "notes.txt": "one" } });
    assert.equal((await task.pass()).pass, 1);
    task.write("README.md", briefFile(["id: T-1", "title: Export the answer", ...lines], "Export the answer"));
    const checked = await task.command("check", "--json");
    const { findings } = checked.json() as { findings: { code: string; severity: string; message: string }[] };
    return [checked.code, ...findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`)];
  };
  const gone = await warnings("gone", ["repo: ../../nowhere", check]);
  assert.deepEqual(
    [gone.length, gone[0], String(gone[1]).replace(/\/\S+\//, "/")],
    [2, 0, "warning TP_REPO the repo is not a folder: /nowhere"],
  );
  assert.deepEqual(await warnings("lost", ["repo: ../../repo"]), [
    0,
    "warning TP_NO_CHECK the contract has no required validator, so nothing could show that the work is done",
  ]);
});

test("status and the board call a task past intake unreadable if no journal accepted it, and a loop does others", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": { contract: ["priority: 9"] }, "T-2": { plan: ["phase shape"] } });
  for (const phase of ["verify", "done"] as const) {
    world.write("tasks/T-1/STATE.md", stateFile({ phase }));
    const { tasks } = await world.status();
    const [first, second] = tasks as Record<string, unknown>[];
    const why = `STATE.md says ${phase}, but no journal shows that it was ever accepted`;
    assert.deepEqual(
      [first?.task, first?.phase, first?.standing, first?.who, first?.why],
      ["T-1", phase, "unreadable", "person", why],
    );
    assert.equal(second?.standing, "runnable");
    const one = await world.call("task-phase", ["status", "--task-dir", world.path("tasks/T-1")]);
    assert.equal(one.code, 65);
    assert.match(
      one.stderr,
      /error: STATE\.md says \w+, but no journal [^\n]* \[TP_NO_JOURNAL\]\n {2}fix: set Phase to intake/,
    );
  }
  const board = await world.call("task-phase", ["board", "--tasks-root", world.tasks]);
  assert.equal(board.code, 65);
  assert.match(world.read("tasks/BOARD.md"), / · cannot be read, done\n/);
  assert.equal((await world.loop("--max-passes", "1")).passes.length, 1);
  assert.deepEqual(world.calls(), ["T-2 intake"]);
});

test("a draft keeps no other task of the root from going on", async (t) => {
  const world = await makeLoopWorld(t, {
    "T-1": { contract: ["validators: []", "priority: 9"] },
    "T-2": { plan: ["phase shape"] },
  });
  const one = await world.call("task-phase-run", ["--tasks-root", world.tasks, "--json"]);
  assert.equal((one.json() as { task: string }).task, "T-2", one.stderr);
});

import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Phase } from "../../lib/rules/phases.ts";
import { tryLock } from "../../lib/store/lock.ts";
import { exitCodes } from "../../lib/text/exit-codes.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { verdictEvent } from "../rules/arrange.ts";
import { eventsAt, openQuestion, stateFile } from "./task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase, type TaskSpec, validator } from "./task-world.ts";

const concurrency = 2;

/** The contract's keys of `run --json`, in its order. */
const keys = [
  ...["task", "pass", "from", "proposed", "to", "verdict", "reason", "exit_code", "exit_name", "model", "duration_ms"],
  ...["cost_usd", "tokens", "progress", "validators", "tickets", "overridden", "moves", "findings", "evidence"],
  ...["next_eligible_at", "stages"],
];
const inner: Readonly<Record<string, readonly string[]>> = {
  tokens: ["input", "output"],
  validators: ["name", "status", "exit_code", "duration_ms", "attribution", "log"],
  tickets: ["id", "source", "name", "text"],
  moves: ["pass", "from", "to", "verdict", "reason"],
  findings: ["severity", "code", "message", "file", "line", "column", "fix"],
  evidence: ["path", "url", "pushed"],
  stages: ["stage", "at", "ms"],
};

/** Every key of the contract and no other, whatever the call came to. */
function assertShape(report: Readonly<Record<string, unknown>>, more: readonly string[] = []): void {
  assert.deepEqual(Object.keys(report).sort(), [...keys, ...more].sort());
  for (const [key, expected] of Object.entries(inner)) {
    const value = report[key];
    for (const each of Array.isArray(value) ? value : [value]) {
      assert.deepEqual(Object.keys(each as object), expected, `${key} of ${JSON.stringify(report)}`);
    }
  }
  assert.equal(exitCodes[report.exit_name as keyof typeof exitCodes], report.exit_code);
  assert.equal(typeof report.reason, "string");
}

/** Every path of a folder with its type, mode and bytes. */
function digestTree(folder: string): string {
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort();
  const lines = names.map((name) => {
    const file = path.join(folder, name);
    const stat = lstatSync(file);
    const held = stat.isFile() ? readFileSync(file, "base64") : stat.isSymbolicLink() ? readlinkSync(file) : "";
    return `${name} ${stat.mode} ${stat.mtimeMs} ${held}`;
  });
  return sha256(lines.join("\n"));
}

test("the exit codes are those of the contract, and leave out what Node ends with", () => {
  assert.deepEqual(Object.values(exitCodes), [0, 1, 2, 3, 20, 21, 22, 23, 24, 25, 64, 65, 75, 78, 129, 130, 143]);
});

test("run --json prints one object, always the same keys, on stdout alone", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const { taskAt } = world;

  interface End {
    readonly name: string;
    /** Shape without it. */
    readonly phase?: Phase;
    readonly spec?: Partial<TaskSpec>;
    readonly to?: Phase;
    readonly arrange?: (task: TaskCase) => void;
    readonly args?: readonly string[];
    readonly told: Readonly<Record<string, unknown>>;
    /** The code of the finding that says why. */
    readonly code?: string;
  }
  const nothing = {
    verdict: null,
    proposed: null,
    cost_usd: null,
    tokens: { input: null, output: null },
    next_eligible_at: null,
  };
  const unread = {
    ...nothing,
    task: null,
    pass: null,
    from: null,
    to: null,
    model: null,
    validators: [],
    tickets: [],
    stages: [],
  };
  const ends: readonly End[] = [
    {
      name: "an accepted pass",
      to: "implement",
      told: {
        task: "T-1",
        pass: 1,
        from: "shape",
        proposed: "implement",
        to: "implement",
        verdict: "accepted",
        exit_code: 0,
        exit_name: "ok",
        model: "prepared",
        progress: ["state_change"],
      },
    },
    {
      name: "a redirected pass",
      phase: "verify",
      to: "review",
      spec: { repo: { "bad.txt": "bad\n" } },
      told: { verdict: "redirected", to: "repair", exit_code: 0 },
    },
    {
      name: "a rejected pass",
      to: "done",
      told: { verdict: "rejected", proposed: "done", to: "shape", exit_code: 20, exit_name: "rejected", tickets: [] },
    },
    {
      name: "a pass that blocks the task",
      to: "blocked",
      told: { verdict: "accepted", to: "blocked", exit_code: 21 },
    },
    {
      name: "a pass without progress",
      told: { verdict: "no_progress", proposed: "shape", to: "shape", exit_code: 23, progress: [] },
    },
    {
      name: "a model that does not exist",
      arrange: (task) =>
        task.write("../task-phase.yaml", "models: [{ name: gone, adapter: command, command: [./gone.sh] }]\n"),
      told: { ...nothing, task: "T-1", exit_code: 24, exit_name: "unavailable" },
    },
    {
      name: "no model at all",
      arrange: (task) => task.write("../task-phase.yaml", "models: []\n"),
      told: { ...nothing, task: "T-1", exit_code: 24 },
    },
    {
      name: "a task that is done",
      phase: "done",
      told: { ...nothing, task: "T-1", pass: null, from: "done", to: "done", exit_code: 0 },
    },
    {
      name: "a task that waits for an answer",
      spec: { files: { "DECISIONS.md": openQuestion } },
      told: { ...nothing, exit_code: 22, exit_name: "needs_user_decision" },
    },
    {
      name: "spent passes",
      spec: {
        contract: ["budget: { passes: 1 }", validator],
        events: async (place) => [...(await eventsAt("shape", place)), verdictEvent("shape", "shape", place)],
      },
      told: {
        ...nothing,
        task: "T-1",
        pass: null,
        from: "shape",
        to: "blocked",
        exit_code: 3,
        exit_name: "iterations",
      },
    },
    {
      name: "a refused hand edit",
      arrange: (task) => task.edit({ Phase: "done" }),
      told: { ...nothing, task: "T-1", exit_code: 20 },
    },
    {
      name: "an unknown flag",
      args: ["--modle", "x"],
      told: { ...unread, exit_code: 64, exit_name: "usage" },
      code: "TP_USAGE_UNKNOWN_FLAG",
    },
    {
      name: "an unknown model",
      args: ["--model", "prepard"],
      told: { ...unread, exit_code: 64 },
      code: "TP_MODEL_UNKNOWN",
    },
    {
      name: "a task folder that does not exist",
      args: ["--task-dir=nowhere"],
      told: { ...unread, exit_code: 64 },
      code: "TP_USAGE_REPEATED_FLAG",
    },
    {
      name: "an unknown key of the brief",
      spec: { contract: ["validatrs: []"] },
      told: { ...unread, exit_code: 78, exit_name: "config" },
    },
    {
      name: "an unknown key of task-phase.yaml",
      arrange: (task) => task.write("../task-phase.yaml", "modles: []\n"),
      told: { ...unread, exit_code: 78 },
    },
    {
      name: "a validator whose program does not exist",
      spec: { contract: ["validators: [{ name: tests, command: [no-such-program] }]"] },
      told: { ...unread, exit_code: 78 },
    },
    {
      name: "an unreadable STATE.md",
      arrange: (task) => task.write("STATE.md", "# Nothing\n"),
      told: { ...nothing, task: "T-1", exit_code: 20 },
      // What a person wrote is refused, and where it is wrong.
      code: "TP_STATE_NO_FIELDS",
    },
    {
      name: "a broken journal",
      arrange: (task) => task.write("artifacts/journal.jsonl", "{}\n"),
      told: { ...unread, exit_code: 65 },
    },
  ];
  for (const end of ends) {
    it(`${end.name}: ${end.told.exit_code}`, async (folder) => {
      const task = await taskAt(folder, end.phase ?? "shape", end.spec);
      task.propose({
        output: "did what was asked\n",
        ...(end.to === undefined
          ? {}
          : {
              task: {
                "STATE.md": stateFile({
                  phase: end.to,
                  ...(end.to === "blocked" ? { fields: { Blockers: "no key" } } : {}),
                }),
              },
            }),
      });
      end.arrange?.(task);
      const ran = await task.run("--json", ...(end.args ?? []));
      assert.equal(ran.stdout.split("\n").length, 2, "one line");
      const report = ran.json();
      assertShape(report);
      assert.equal(ran.code, report.exit_code, ran.stderr);
      assert.deepEqual(Object.fromEntries(Object.keys(end.told).map((key) => [key, report[key]])), end.told);
      const errors = (report.findings as { severity: string; code: string }[]).filter(
        (finding) => finding.severity === "error",
      );
      if (end.code !== undefined) assert.equal(errors[0]?.code, end.code);
      assert.equal(errors.length > 0, Number(report.exit_code) >= 64 || end.code !== undefined);
      assert.doesNotMatch(ran.stderr, /\n\s+at .*:\d+:\d+\)?\n/, "no stack trace");
    });
  }

  it("a task that another runner holds: 75, and nothing of it is written", async (folder) => {
    const task = await taskAt(folder, "shape");
    task.write("../.task-phase/locks/keep", "");
    const lock = tryLock(path.join(task.taskDir, "../.task-phase/locks/T-1.lock"));
    assert.ok(lock !== null);
    const before = digestTree(task.taskDir);
    const ran = await task.run("--json");
    const dry = await task.run("--json", "--dry-run");
    const quiet = await task.run("--quiet");
    lock.release();
    for (const each of [ran, dry]) {
      assertShape(each.json());
      assert.deepEqual([each.code, each.json().exit_name], [75, "locked"]);
    }
    assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [75, "", ""]);
    assert.equal(digestTree(task.taskDir), before);
    assert.equal(task.calls(), 0);
  });

  it("a signal ends the pass in order: 143, interrupted, STATE.md as it was, and the next pass runs", async (folder) => {
    const task = await taskAt(folder, "shape");
    const before = task.state();
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement" }) }, sleep: "30" });
    const started = new AbortController();
    const ran = await world.run("task-phase-run", ["--task-dir", task.taskDir, "--json"], {
      onStart: (child) => {
        const timer = setInterval(() => {
          if (task.calls() === 0) return;
          clearInterval(timer);
          started.abort();
          child.kill("SIGTERM");
        }, 50);
      },
    });
    assertShape(ran.json());
    const { verdict, to, exit_code, exit_name } = ran.json();
    assert.deepEqual([ran.code, verdict, to, exit_code, exit_name], [143, "interrupted", "shape", 143, "sigterm"]);
    assert.ok(started.signal.aborted);
    assert.equal(task.state(), before);
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement" }) } });
    assert.equal((await task.pass()).verdict, "accepted");
  });

  const dry: readonly (readonly [string, Phase, Partial<TaskSpec>, ((task: TaskCase) => void) | null])[] = [
    ["a task with a journal", "verify", {}, null],
    ["a task without one", "intake", { events: null }, null],
    ["a person's edit", "shape", {}, (task) => task.edit({ Phase: "implement" })],
    ["an edit of the brief", "shape", {}, (task) => task.write("README.md", `${task.read("README.md")}\nmore\n`)],
    ["a refused edit", "shape", {}, (task) => task.edit({ Phase: "done" })],
    ["protected paths", "implement", { contract: [validator, 'protected: ["*.txt"]'] }, null],
    [
      "an answered question",
      "needs_user_decision",
      { files: { "DECISIONS.md": openQuestion.replace("Answer:", "Answer: UTF-8") } },
      null,
    ],
  ];
  it("--dry-run writes nothing at all and prints the prompt", async (folder) => {
    const own = makeTaskWorld(t);
    for (const [index, [name, phase, spec, arrange]] of dry.entries()) {
      const task = await own.makeTask(`${folder}-${index}`, {
        state: { phase },
        events: (place) => eventsAt(phase, place),
        ...spec,
      });
      arrange?.(task);
      const before = digestTree(own.folder);
      const json = await task.run("--dry-run", "--json");
      const plain = await task.run("--dry-run");
      assert.equal(digestTree(own.folder), before, name);
      assert.equal(task.calls(), 0);
      assert.equal(own.exists("state"), false, "no state folder");
      const report = json.json();
      if (name === "a refused edit") {
        assertShape(report);
        assert.deepEqual([json.code, plain.code, plain.stdout], [20, 20, ""]);
        continue;
      }
      assertShape(report, ["prompt"]);
      assert.deepEqual([json.code, plain.code, report.verdict, report.exit_name], [0, 0, null, "ok"], plain.stderr);
      // An edit that would be accepted is shown with the time at which it would.
      const untimed = (text: unknown) => String(text).replace(/^- Last updated: .*$/m, "");
      assert.equal(untimed(plain.stdout), untimed(report.prompt));
      assert.match(String(report.prompt), /STATE\.md/);
    }
  });

  it("without --json, stdout is empty and the story is on stderr; --quiet says nothing of a good end", async (folder) => {
    const task = await taskAt(folder, "shape");
    const step = (text: string) =>
      task.propose({ task: { "STATE.md": stateFile({ phase: "shape", fields: { "Next step": text } }) } });
    step("one");
    const plain = await task.run();
    assert.deepEqual([plain.code, plain.stdout], [0, ""]);
    assert.match(plain.stderr, /^pass 1 {2}shape → shape {2}accepted {2}Next step changed$/m);
    step("two");
    const quiet = await task.run("--quiet");
    assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "", ""]);
    step("three");
    const verbose = await task.run("--verbose");
    assert.deepEqual([verbose.code, verbose.stdout], [0, ""]);
    assert.match(verbose.stderr, /^EXEC {7}pass 3: prepared works in shape$/m);
    step("four");
    const both = await task.run("--quiet", "--json");
    assert.deepEqual([both.code, both.json().verdict, both.stderr], [0, "accepted", ""]);
    task.propose({ task: { "STATE.md": stateFile({ phase: "done" }) } });
    const bad = await task.run("--quiet");
    assert.deepEqual([bad.code, bad.stdout], [20, ""]);
    assert.match(bad.stderr, /rejected {2}shape → done is not allowed/);
  });

  await Promise.all(cases);
});

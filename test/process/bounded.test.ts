import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runBounded } from "../../lib/process/bounded.ts";
import type { ProcessIdentity } from "../../lib/process/identity.ts";
import { findSurvivors, isAlive } from "../../lib/process/survivors.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { block, blockUntil, boundedSpec, lives, makeFolder, pidIn, plainEnv, run } from "./arrange.ts";

const shell = (script: string): string[] => ["sh", "-c", script];

test("a process that ends by itself is a plain fact", async (t) => {
  const { end, stdout, stderr } = await run(makeFolder(t), shell("echo out; echo err >&2; exit 3"));
  assert.deepEqual(
    { ...end, durationMs: 0 },
    {
      kind: "exited",
      exitCode: 3,
      signal: null,
      problem: null,
      durationMs: 0,
      stdout: { bytes: 4, keptBytes: 4, cut: false },
      stderr: { bytes: 4, keptBytes: 4, cut: false },
      stdoutTail: "out\n",
      stderrTail: "err\n",
      ended: [],
    },
  );
  assert.deepEqual([stdout, stderr], ["out\n", "err\n"]);
});

test("a process that ends by a signal says which", async (t) => {
  const { end } = await run(makeFolder(t), shell("kill -9 $$"));
  assert.deepEqual([end.kind, end.exitCode, end.signal], ["exited", null, "SIGKILL"]);
});

test("standard input holds the text and ends; without a text it ends at once", async (t) => {
  const folder = makeFolder(t);
  assert.equal((await run(folder, ["cat"], { stdin: "héllo\nworld" })).stdout, "héllo\nworld");
  assert.equal((await run(folder, ["cat"])).stdout, "");
});

test("a process that does not read its input of 4 MB is not disturbed", async (t) => {
  const { end } = await run(makeFolder(t), shell("exit 0"), { stdin: "x".repeat(4_000_000) });
  assert.deepEqual([end.kind, end.exitCode], ["exited", 0]);
});

test("the standard streams can be opened by name, as in a shell", async (t) => {
  const { end, stdout, stderr } = await run(
    makeFolder(t),
    shell("cat /dev/stdin > /dev/stdout; echo oops > /dev/stderr"),
    { stdin: "in" },
  );
  assert.deepEqual([end.exitCode, stdout, stderr], [0, "in", "oops\n"]);
});

test("nothing but the logs, the keepalive, the note of its group and spare pipes are left in the folder", async (t) => {
  const folder = makeFolder(t);
  await run(folder, ["cat"], { stdin: "in" });
  assert.deepEqual(
    readdirSync(folder)
      .map((name) => name.replace(/-.*/, ""))
      // The one only where a control group can be made, the others for the next start.
      .filter((name) => name !== "group" && name !== "pipe")
      .sort(),
    ["keepalive", "stderr.log", "stdout.log"],
  );
});

test("the environment is what was given, and the mark", async (t) => {
  const spec = boundedSpec(makeFolder(t), ["env"], { env: { ...plainEnv, GIVEN: "1" } });
  const end = await runBounded(spec);
  const names = end.stdoutTail.trim().split("\n").sort();
  assert.deepEqual(names, ["GIVEN=1", `PATH=${plainEnv.PATH}`, `TASK_PHASE_MARK=${spec.mark.id}`].sort());
});

test("one path for both outputs keeps them in the order they came, between heading and closing line", async (t) => {
  const folder = makeFolder(t);
  const log = join(folder, "both.log");
  const end = await runBounded(
    boundedSpec(folder, shell("echo 1; echo 2 >&2; echo 3"), {
      stdoutPath: log,
      stderrPath: log,
      heading: "$ it\n",
      closing: (how) => `[${how.kind} ${how.exitCode}]\n`,
    }),
  );
  assert.equal(readFileSync(log, "utf8"), "$ it\n1\n2\n3\n[exited 0]\n");
  assert.deepEqual([end.stdout.bytes, end.stderr.bytes, end.stdoutTail, end.stderrTail], [6, 0, "1\n2\n3\n", ""]);
});

test("a program that cannot be started is a fact with its reason", async (t) => {
  const { end } = await run(makeFolder(t), ["no-such-program"]);
  assert.deepEqual([end.kind, end.problem], ["not_started", "no-such-program was not found"]);
});

test("a process that ignores TERM is killed after its time and the grace", async (t) => {
  const folder = makeFolder(t);
  const { end, stdout } = await run(folder, [agentPath("ignores-term.mjs"), "ready"], {
    timeoutMs: 400,
    graceMs: 150,
    onStart: () => blockUntil(() => existsSync(join(folder, "ready"))),
  });
  assert.deepEqual([end.kind, end.exitCode, end.signal], ["timed_out", null, "SIGKILL"]);
  assert.deepEqual(
    end.ended.map((one) => one.command),
    ["node ignores-term.mjs"],
  );
  assert.equal(lives(Number(stdout.split(" ")[1])), false);
});

test("a stopped process is ended too", async (t) => {
  const { end, stdout } = await run(makeFolder(t), [agentPath("stops-itself.sh")], {
    timeoutMs: 250,
    graceMs: 10_000,
    onStart: ({ pid }) => blockUntil(() => readFileSync(`/proc/${pid}/stat`, "latin1").includes(") T ")),
  });
  assert.deepEqual([end.kind, end.signal], ["timed_out", "SIGTERM"]);
  assert.equal(lives(Number(stdout.split(" ")[1])), false);
});

test("a daemon of another session with an empty environment is ended when its maker exits", async (t) => {
  const folder = makeFolder(t);
  const { end } = await run(folder, [agentPath("leaves-a-daemon.sh"), "pid"]);
  assert.deepEqual([end.kind, end.exitCode, end.ended.map((one) => one.command)], ["exited", 0, ["sleep"]]);
  assert.equal(lives(pidIn(join(folder, "pid"))), false);
});

test("a daemon that dropped the descriptor too is ended, since it was seen when it started", async (t) => {
  const folder = makeFolder(t);
  const { end } = await run(folder, [agentPath("leaves-a-daemon.sh"), "pid", "bare"]);
  assert.deepEqual([end.kind, end.ended.map((one) => one.command)], ["exited", ["sleep"]]);
  assert.equal(lives(pidIn(join(folder, "pid"))), false);
});

test("a grandchild that holds the output open and ignores TERM delays nothing", async (t) => {
  const folder = makeFolder(t);
  const { end, stdout } = await run(folder, [agentPath("leaves-a-stubborn-child.sh"), "pid"]);
  assert.deepEqual([end.kind, end.exitCode, stdout], ["exited", 0, "child left\n"]);
  assert.equal(lives(pidIn(join(folder, "pid"))), false);
});

test("output that a process wrote before it exited is kept, however late it is read", async (t) => {
  const folder = makeFolder(t);
  const script = "until test -e go; do sleep 0.01; done; head -c 60000 /dev/zero | tr '\\0' x; touch written";
  const running = run(folder, shell(script), { graceMs: 10 });
  const [other, third] = [spawn("echo", ["x"]), spawn("true")];
  // Its exit is seen together with that of another child, in a turn that did not look at its output any more.
  third.once("exit", () => undefined);
  other.stdout.once("data", () => {
    writeFileSync(join(folder, "go"), "");
    for (let waited = 0; !existsSync(join(folder, "written")) && waited < 5_000; waited += 10) block(10);
    block(50);
    setImmediate(() => block(200));
  });
  block(100);
  const { stdout, end } = await running;
  assert.deepEqual([stdout.length, end.kind, end.ended], [60_000, "exited", []]);
});

test("output that a child still writes after the exit is kept", async (t) => {
  const { stdout, end } = await run(makeFolder(t), shell("(sleep 0.1; echo late) & echo early"), { graceMs: 2_000 });
  assert.deepEqual([stdout, end.ended], ["early\nlate\n", []]);
});

test("a storm of forks in ever new sessions is ended", async (t) => {
  const spec = boundedSpec(makeFolder(t), [agentPath("forks-a-storm.sh"), "6", "400"], { timeoutMs: 400 });
  const end = await runBounded(spec);
  assert.equal(end.kind, "timed_out");
  assert.deepEqual(findSurvivors(spec.mark, end.ended), []);
});

test("an abort ends the tree within the grace and a second", async (t) => {
  const abort = new AbortController();
  let head: ProcessIdentity | null = null;
  const { end } = await run(makeFolder(t), [agentPath("ignores-term.mjs")], {
    abort: abort.signal,
    graceMs: 200,
    onStart: (identity) => {
      head = identity;
      setTimeout(() => abort.abort(), 300);
    },
  });
  assert.equal(end.kind, "aborted");
  assert.ok(head !== null && !isAlive(head));
});

test("an abort that came before the start starts nothing", async (t) => {
  const folder = makeFolder(t);
  const { end } = await run(folder, shell("touch started"), { abort: AbortSignal.abort() });
  assert.deepEqual([end.kind, end.exitCode, readdirSync(folder).includes("started")], ["aborted", null, false]);
});

test("an error of the caller at the start leaves no process", async (t) => {
  let head: ProcessIdentity | null = null;
  const onStart = (identity: ProcessIdentity): void => {
    head = identity;
    throw new Error("no room in the journal");
  };
  await assert.rejects(run(makeFolder(t), shell("sleep 30"), { onStart }), /no room in the journal/);
  assert.ok(head !== null && !isAlive(head));
});

test("where the output cannot be kept nothing is started", async (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "stderr.log"));
  await assert.rejects(run(folder, shell("touch started")), { name: "TaskPhaseError", exitName: "failure" });
  assert.equal(readdirSync(folder).includes("started"), false);
});

test("a disk that fills up ends the run, and is reported", async (t) => {
  const folder = makeFolder(t);
  const small = join(folder, "small");
  mkdirSync(small);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small]).status !== 0) {
    return t.skip("a small file system can be mounted by root only");
  }
  try {
    const spec = boundedSpec(folder, shell("echo $$ > pid; yes"), { stdoutPath: join(small, "out.log") });
    await assert.rejects(runBounded(spec), { name: "TaskPhaseError", message: /ENOSPC/ });
    assert.equal(lives(pidIn(join(folder, "pid"))), false);
  } finally {
    spawnSync("umount", [small]);
  }
});

test("a private folder that is gone is an error of the disk", async (t) => {
  const folder = makeFolder(t);
  const mark = { id: "0", keepalivePath: join(folder, "gone/keepalive-0") };
  await assert.rejects(run(folder, ["env"], { mark }), {
    name: "TaskPhaseError",
    message: /^cannot prepare a program: ENOENT/,
  });
});

test("secrets reach neither the logs nor the facts", async (t) => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  const folder = makeFolder(t);
  writeFileSync(join(folder, "correct-horse-battery.sh"), "echo correct-horse-battery; sleep 30 & wait");
  const said = new AbortController();
  const { end, stdout } = await run(folder, ["sh", "correct-horse-battery.sh"], {
    redactor,
    abort: said.signal,
    onOutput: () => said.abort(),
  });
  assert.equal(stdout, "[redacted:env]\n");
  assert.equal(JSON.stringify(end).includes("correct-horse"), false);
});

test("300 MB of output fill no memory and no disk", async (t) => {
  const folder = makeFolder(t);
  const before = process.memoryUsage().rss;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const { end, stdout } = await run(folder, [agentPath("floods-output.mjs"), "300000000"], { timeoutMs: 30_000 });
  clearInterval(watch);
  assert.deepEqual(
    [end.kind, end.exitCode, end.stdout],
    ["exited", 0, { bytes: 300_000_000, keptBytes: 1024 * 1024, cut: true }],
  );
  assert.ok(stdout.length < 1024 * 1024 + 100);
  // Other tests of this process leave garbage too.
  assert.ok(peak - before < 200_000_000, `${Math.round((peak - before) / 1e6)} MB more`);
});

test("one line of 100 MB without an end is cut like any other output", async (t) => {
  const { end, stdout } = await run(makeFolder(t), [agentPath("floods-output.mjs"), "100000000", "one-line"], {
    timeoutMs: 30_000,
  });
  assert.deepEqual(end.stdout, { bytes: 100_000_000, keptBytes: 1024 * 1024, cut: true });
  assert.match(stdout, /^x+\n\[task-phase: 98951424 bytes cut here\]\nx+$/);
});

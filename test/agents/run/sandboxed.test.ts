import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { CliAdapter } from "../../../lib/agents/adapters/adapter.ts";
import { pi } from "../../../lib/agents/adapters/pi.ts";
import { runCliModel } from "../../../lib/agents/run/cli-model.ts";
import { runCommandModel } from "../../../lib/agents/run/command-model.ts";
import type { ModelRun } from "../../../lib/agents/run/model-run.ts";
import { runModel } from "../../../lib/agents/run/run-model.ts";
import { sandboxedArgv } from "../../../lib/agents/run/sandboxed.ts";
import type { ModelConfig } from "../../../lib/documents/config/load-config.ts";
import { temporaryFolder } from "../../../lib/process/bwrap.ts";
import type { SandboxRules } from "../../../lib/task/guard/sandbox-rules.ts";
import { noSandbox } from "../../process/can-sandbox.ts";
import { fromReady, modelRun } from "../arrange.ts";

/** A run whose repo and task may be written, but for the task's README.md; its home folder is beside them. */
function sandboxedRun(
  t: TestContext,
  model: Partial<ModelConfig> = {},
  changes: Partial<ModelRun> = {},
  rules: Partial<SandboxRules> = {},
): ModelRun {
  const run = modelRun(t, model, changes);
  for (const name of ["home", "state"]) mkdirSync(join(run.repo, "..", name));
  writeFileSync(join(run.taskDir, "README.md"), "as it was\n");
  const home = join(run.repo, "..", "home");
  return {
    ...run,
    env: { ...run.env, HOME: home, ...changes.env },
    sandbox: { writable: [run.repo, run.taskDir], readOnly: [join(run.taskDir, "README.md")], ...rules },
  };
}

/** The script is tried as a model in the sandbox; `$HERE` is the folder that holds task, repo and home. */
async function say(t: TestContext, script: string, rules: Partial<SandboxRules> = {}) {
  const run = sandboxedRun(t, {}, {}, rules);
  const here = join(run.repo, "..");
  const command = ["sh", "-c", `HERE=${here}; ${script}`];
  const outcome = await runCommandModel({ ...run, model: { ...run.model, command } });
  return {
    run,
    here,
    outcome,
    said: readFileSync(run.stdoutPath, "utf8"),
    errors: readFileSync(run.stderrPath, "utf8"),
  };
}

const speaks: CliAdapter = {
  ...pi,
  name: "pi",
  program: "sh",
  env: {},
  argv: ({ args }) => args,
  openReader: () => ({
    event: () => {},
    report: () => ({
      finalText: "",
      ended: true,
      worked: true,
      error: null,
      costUsd: null,
      tokens: { input: null, output: null },
      turns: null,
      sessionId: null,
      retries: 0,
    }),
  }),
  ownPaths: () => [],
};

test("without rules the command line stays as it is", (t) => {
  const argv = ["agent", "-p"];
  assert.equal(sandboxedArgv(argv, modelRun(t), null), argv);
});

test("a model that is replayed has no process to contain, and plays with and without rules", async (t) => {
  const run = sandboxedRun(t, { adapter: "replay", command: null });
  mkdirSync(join(run.model.recordings ?? "", "0001", "repo"), { recursive: true });
  writeFileSync(join(run.model.recordings ?? "", "0001", "repo", "played.txt"), "played\n");
  const outcome = await runModel({ ...run, env: { PATH: "/nowhere" } });
  assert.equal(outcome.end.kind, "exited");
  assert(existsSync(join(run.repo, "played.txt")));
});

describe("in the sandbox", { skip: noSandbox }, () => {
  test("the repo, the task folder, the usage file and the temporary folder can be written", async (t) => {
    const { run, outcome, errors } = await say(
      t,
      `set -e
       echo repo > "$TASK_PHASE_REPO/new.txt"; echo task > "$TASK_PHASE_TASK_DIR/new.txt"
       echo '{"cost_usd": 0.5}' > "$TASK_PHASE_USAGE_FILE"
       [ "$TMPDIR" = ${temporaryFolder} ]; echo temporary > "$TMPDIR/new.txt"; [ -z "$(ls -A /dev/shm)" ]`,
    );
    assert.deepEqual([outcome.end, errors], [{ kind: "exited", exit_code: 0, signal: null, result_event: false }, ""]);
    assert.deepEqual(
      ["repo/new.txt", "task/new.txt", "work/tmp/new.txt"].map((name) =>
        readFileSync(join(run.repo, "..", name), "utf8"),
      ),
      ["repo\n", "task\n", "temporary\n"],
    );
    assert.equal(outcome.costUsd, 0.5);
  });

  test("everything else can be read only, and what the rules hold cannot be moved away", async (t) => {
    const { run, here, said, errors } = await say(
      t,
      `for file in task/README.md home/.profile beside.txt; do echo x >> $HERE/$file && echo wrote $file; done
       echo x > /etc/task-phase-test && echo wrote /etc; echo x > /usr/task-phase-test && echo wrote /usr
       rm -f $HERE/task/README.md && echo removed; mv $HERE/task/README.md $HERE/task/other && echo moved
       cat $HERE/task/README.md; true`,
    );
    assert.equal(said, "as it was\n");
    assert.equal(errors.match(/Read-only file system/g)?.length, 5);
    assert.equal(errors.match(/Device or resource busy/g)?.length, 2);
    assert.equal(readFileSync(join(run.taskDir, "README.md"), "utf8"), "as it was\n");
    assert.deepEqual(
      ["beside.txt", "home/.profile"].filter((name) => existsSync(join(here, name))),
      [],
    );
  });

  test("a hidden folder looks empty and takes nothing", async (t) => {
    const run = sandboxedRun(t);
    const folder = join(realpathSync(run.repo), "..", "state");
    writeFileSync(join(folder, "secret"), "secret\n");
    const command = ["sh", "-c", `ls -A ${folder}; mkdir ${folder}/x || echo refused`];
    const sandbox = { writable: [run.repo, run.taskDir], readOnly: [], hidden: [folder] };
    await runCommandModel({ ...run, model: { ...run.model, command }, sandbox });
    assert.equal(readFileSync(run.stdoutPath, "utf8"), "refused\n");
    assert.match(readFileSync(run.stderrPath, "utf8"), /Read-only file system/);
    assert.equal(readFileSync(join(folder, "secret"), "utf8"), "secret\n");
  });

  test("of the real temporary folder only what the call names is there, to be read", async (t) => {
    const other = mkdtempSync(join(temporaryFolder, "task-phase-test-other-"));
    t.after(() => rmSync(other, { recursive: true, force: true }));
    const { here, said } = await say(t, `ls -d ${other} 2>/dev/null; ls -d $HERE; ls ${temporaryFolder}`);
    const inTemporary = here.startsWith(`${temporaryFolder}/`);
    assert.equal(said.includes(other), false);
    assert.equal(said.split("\n")[0], here);
    assert(!inTemporary || said.split("\n").length <= 5, said);
  });

  test("where settings and program lie there, they are seen, also through a link on PATH", async (t) => {
    const [settings, programs] = ["settings", "programs"].map((name) => {
      const folder = mkdtempSync(join(temporaryFolder, `task-phase-test-${name}-`));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      return folder;
    });
    assert(settings !== undefined && programs !== undefined);
    writeFileSync(join(settings, "words.txt"), "from the settings\n");
    const run = sandboxedRun(t, { command: ["agent"], folder: settings, args: [`--words=${settings}/words.txt`] });
    const bin = join(run.repo, "..", "bin");
    mkdirSync(bin);
    writeFileSync(join(programs, "agent.sh"), '#!/bin/sh\ncat "$(echo "$1" | cut -d= -f2)"\n', { mode: 0o755 });
    symlinkSync(join(programs, "agent.sh"), join(bin, "agent"));
    const outcome = await runCommandModel({ ...run, env: { ...run.env, PATH: `${bin}:${run.env.PATH}` } });
    assert.deepEqual(outcome.end, { kind: "exited", exit_code: 0, signal: null, result_event: true });
    assert.equal(outcome.finalText, "from the settings\n");
  });

  test("bubblewrap that is gone by now is said by the start", async (t) => {
    const run = sandboxedRun(t, { command: ["/bin/sh", "-c", "echo ran"] }, { env: { PATH: "/nowhere" } });
    const { end } = await runCommandModel(run);
    assert.deepEqual(end, { kind: "not_started", reason: "bwrap was not found" });
  });

  test("the right that root would have to undo all of this does not exist", async (t) => {
    const { said } = await say(
      t,
      `mount -o remount,bind,rw / 2>/dev/null && echo remounted
       umount ${temporaryFolder} 2>/dev/null && echo unmounted
       mknod /dev/shm/disk b 254 0 2>/dev/null && echo made a device
       for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper; do
         ( : >> $file ) 2>/dev/null && echo opened $file
       done; true`,
    );
    assert.equal(said, "");
  });

  test("a file that would run as its owner loses that when the model ended, and is named", async (t) => {
    const run = sandboxedRun(t);
    const old = join(run.repo, "old");
    writeFileSync(old, "");
    chmodSync(old, 0o4755);
    const script =
      "cp /bin/true shell; chmod 6755 shell; mkdir -p node_modules; cp shell node_modules/it; chmod u+s node_modules/it";
    const outcome = await runModel({ ...run, model: { ...run.model, command: ["sh", "-c", script] } });
    const repo = realpathSync(run.repo);
    const cleared = [join(repo, "node_modules/it"), join(repo, "shell")];
    assert.deepEqual(outcome.setIds, { cleared, left: [] });
    assert.deepEqual(
      [...cleared, old].map((path) => statSync(path).mode & 0o7777),
      [0o755, 0o755, 0o4755],
    );
    const plain = await runModel({ ...run, model: { ...run.model, command: ["true"] } });
    assert.equal(plain.setIds, undefined);
  });

  test("root keeps no right to set groups of files that are not its own", async (t) => {
    const { said } = await say(t, "sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status");
    // CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_FOWNER: bits 0, 1 and 3; nobody else has any.
    assert.equal(BigInt(`0x${said.trim()}`), process.geteuid?.() === 0 ? 0b1011n : 0n);
  });

  test("no process outside is seen, and the runner cannot be signalled", async (t) => {
    const { said } = await say(t, `ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} 2>/dev/null && echo seen; true`);
    assert(Number(said.split("\n")[0]) < 10, said);
    assert.doesNotMatch(said, /seen/);
  });

  test("a sandbox that cannot be made is no end of the model", async (t) => {
    const run = sandboxedRun(t, {}, {}, { readOnly: ["/nowhere/at/all"] });
    const { end, note } = await runCommandModel(run);
    assert.equal(end.kind, "not_started");
    assert.match(
      end.kind === "not_started" ? end.reason : "",
      /^the sandbox could not be made: bwrap: Can't find source/,
    );
    assert.equal(note, null);
  });

  test("a model's words about a sandbox are never taken for a failure of the sandbox", async (t) => {
    const { outcome } = await say(t, "echo 'bwrap: Can not' >&2; echo and more >&2; exit 1");
    assert.deepEqual(outcome.end, {
      ...{ kind: "exited", exit_code: 1, signal: null, result_event: false },
      said: "and more",
    });
  });

  test("a CLI is interrupted inside, and its last word is read", async (t) => {
    const script = `trap 'echo "{}" > last; exit 0' INT; : > ready; while :; do sleep 0.02; done`;
    const run = fromReady(sandboxedRun(t, { args: ["-c", script] }, { timeoutMs: 300, graceMs: 10_000 }));
    const { end } = await runCliModel({ ...speaks, stopSignal: "SIGINT" }, run);
    assert.deepEqual(end, { kind: "timed_out", timeout_ms: 300 });
    assert(existsSync(join(run.repo, "last")));
  });

  test("a CLI can write where it keeps its own things, which is made where it is missing", async (t) => {
    const script = `for f in .agent/x .linked/x .agent.json .missing.json .profile; do
      echo x > "$HOME/$f" 2>/dev/null && echo wrote $f; done; true`;
    const run = sandboxedRun(t, { args: ["-c", script] });
    const home = run.env.HOME ?? "";
    mkdirSync(join(home, "real"));
    symlinkSync("real", join(home, ".linked"));
    symlinkSync("nowhere", join(home, ".dangling"));
    writeFileSync(join(home, ".agent.json"), "{}\n");
    const own = [".agent", ".linked", ".dangling", ".agent.json", ".missing.json"].map((name) => join(home, name));
    const ownPaths = () => [...own, join(home, "..")];
    await runCliModel({ ...speaks, ownPaths }, run);
    assert.equal(readFileSync(run.stdoutPath, "utf8"), "wrote .agent/x\nwrote .linked/x\nwrote .agent.json\n");
    assert.equal(readFileSync(join(home, ".agent/x"), "utf8"), "x\n");
  });
});

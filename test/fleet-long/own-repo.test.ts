import assert from "node:assert/strict";
import { type ChildProcess, execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { describe, test } from "node:test";
import { withoutSsh } from "../cli/signing-world.ts";
import type { Report } from "../cli/task-world.ts";
import { until } from "../cli/until.ts";
import * as world from "../fleet/fleet-world.ts";
import { makeOwn, type OwnFleet } from "../fleet/own-world.ts";

/** Some of these agents change code in phases that are not for that, which has its own warning. */
const codesOf = (report: Report): string[] => world.codesOf(report).filter((code) => code !== "TP_STRAY_CODE");

describe("tasks in a repository of their own", { concurrency: 2 }, () => {
  test("two machines in turn take a task to done; each verdict names the code, which has its own ref and branch", async (t) => {
    const fleet = makeOwn(t);
    const machines = [fleet.machine("one"), fleet.machine("two")];
    const main = fleet.inCode("rev-parse", "main");
    for (let pass = 1; pass <= 5; pass += 1) {
      const report = await (machines[pass % 2] ?? fleet.machine("none")).pass("T-1");
      assert.deepEqual([report.verdict, report.pass, codesOf(report)], ["accepted", pass, []], report.reason);
    }
    const work = fleet.inCode("rev-parse", "task-phase/T-1");
    assert.equal(fleet.inCode("show", "task-phase/T-1:work.txt"), "made by two");
    assert.equal(fleet.inCode("rev-parse", "task-phase/T-1~1"), main);
    assert.deepEqual(fleet.codeRefs().sort(), [main, work].sort());
    assert.deepEqual(
      fleet
        .inRemote("log", "--reverse", "--format=%(trailers:key=Task-Phase-Code,valueonly)", "main..task-phase/T-1")
        .split("\n")
        .filter((line) => line !== ""),
      [main, main, work, work, work],
    );
    assert.match(
      fleet.inCode("log", "-1", "--format=%B", work),
      /^task-phase: T-1 implement → verify \(accepted, pass 3\)\n/,
    );
    assert.doesNotMatch(fleet.inRemote("ls-tree", "-r", "--name-only", "task-phase/T-1"), /work\.txt|code\.txt/);
    assert.doesNotMatch(fleet.inCode("ls-tree", "-r", "--name-only", work), /STATE/);
    assert.equal((await fleet.check("T-1")).code, 0);
    assert.equal(fleet.inRemote("rev-parse", "main"), fleet.git("first", "rev-parse", "HEAD"));
    assert.equal(fleet.inCode("rev-parse", "main"), main);
    const again = await fleet.machine("one").pass("T-1");
    assert.deepEqual([again.verdict, again.exit_code], [null, 0]);
    for (const machine of machines) {
      const [key = ""] = readdirSync(fleet.path(machine.cache, "task-phase", "pairs"));
      assert.deepEqual(readdirSync(fleet.path(machine.cache, "task-phase", "pairs", key)), []);
    }
    // Whoever has a bare clone of the tasks alone reads them all the same.
    fleet.git(".", "clone", "-q", "--mirror", fleet.remote, "view.git");
    const rows = (await fleet.run("task-phase", ["status", "--git", "view.git", "--json"])).json() as {
      tasks: { task: string; phase: string }[];
    };
    assert.deepEqual(
      rows.tasks.map(({ task, phase }) => [task, phase]),
      [["T-1", "done"]],
    );
    for (const words of [
      ["check", "--history", "--git", "view.git"],
      ["board", "--git", "view.git", "--out", "board"],
    ])
      assert.equal((await fleet.run("task-phase", words)).code, 0, words.join(" "));
  });
});

test("with sign: ssh, the commits of the code are signed as those of the tasks are", {
  skip: withoutSsh,
}, async (t) => {
  const fleet = makeOwn(t, { before: "sign: ssh\n" });
  const key = fleet.path("runner");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const env = { TASK_PHASE_SIGNING_KEY: key, AGENT_FIRST: 'echo "$WHO" >> "$TASK_PHASE_REPO/who.txt"' };
  for (const name of ["one", "two"]) {
    const report = await fleet.machine(name).pass("T-1", [], { env });
    assert.deepEqual([report.verdict, codesOf(report)], ["accepted", []], report.reason);
  }
  const signers = fleet.write("signers", `runner@example.org ${fleet.read("runner.pub")}`);
  for (const commit of [fleet.named(), `${fleet.named()}~1`])
    fleet.inCode("-c", `gpg.ssh.allowedSignersFile=${signers}`, "verify-commit", commit);
  fleet.git(".", "clone", "-q", "--mirror", fleet.remote, "view.git");
  const words = ["check", "--history", "--git", "view.git", "--allowed-signers", signers];
  const checked = await fleet.run("task-phase", words);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
});

describe("where the code of such a task begins", { concurrency: 2 }, () => {
  test("at fleet.base where the code has it, and at the code's default branch where it has not", async (t) => {
    const fleet = makeOwn(t, { fleet: ", base: main" });
    fleet.inCode("branch", "-m", "main", "trunk");
    fleet.inCode("symbolic-ref", "HEAD", "refs/heads/trunk");
    assert.equal((await fleet.machine("one").pass("T-1")).verdict, "accepted");
    assert.equal(fleet.named(), fleet.inCode("rev-parse", "trunk"));
  });

  test("at a branch of the task that a person made there before, and at what people commit to it between passes", async (t) => {
    const fleet = makeOwn(t);
    const before = fleet.commitCode("task-phase/T-1", "before.txt", "main");
    assert.equal((await fleet.machine("one").pass("T-1")).verdict, "accepted");
    assert.equal(fleet.named(), before);
    const between = fleet.commitCode("task-phase/T-1", "between.txt", "origin/task-phase/T-1");
    const report = await fleet.machine("two").pass("T-1");
    assert.deepEqual([report.verdict, codesOf(report)], ["accepted", []], report.reason);
    assert.equal(fleet.named(), between);
    assert.deepEqual(fleet.codeRefs().sort(), [before, between].sort());
  });

  test("with the tasks at the top of their repository, and the code in a folder further up", async (t) => {
    const fleet = makeOwn(t, { root: "", repo: "../../../src/app", fleet: ", prepare: [sh, -c, 'pwd > where.txt']" });
    const env = { AGENT_FIRST: 'cat "$TASK_PHASE_REPO/where.txt" > "$TASK_PHASE_REPO/seen.txt"' };
    for (let pass = 1; pass <= 3; pass += 1)
      assert.equal((await fleet.machine(`m${pass}`).pass("T-1", [], { env })).verdict, "accepted");
    assert.match(fleet.inCode("show", "task-phase/T-1:seen.txt"), /\/pairs\/[0-9a-f]{16}\/T-1\/src\/app$/);
    assert.doesNotMatch(fleet.inCode("ls-tree", "-r", "--name-only", "task-phase/T-1"), /where\.txt/);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("two tasks whose repo is the same path work each in a clone of their own", async (t) => {
    const fleet = makeOwn(t, { tasks: ["T-1", "T-2"] });
    const one = fleet.machine("one");
    const reports = await Promise.all(
      ["T-1", "T-2"].map((task) => one.pass(task, [], { apart: true, env: { AGENT_FOREVER: "1", AGENT_NAP: "1" } })),
    );
    for (const report of reports) assert.deepEqual([report.verdict, codesOf(report)], ["accepted", []], report.reason);
  });

  test("the work of a rejected pass is there for the next machine", async (t) => {
    const fleet = makeOwn(t);
    const env = {
      AGENT_FIRST:
        'echo half > "$TASK_PHASE_REPO/half.txt"; echo "- Phase: done" > "$TASK_PHASE_TASK_DIR/STATE.md"; exit 0',
    };
    const report = await fleet.machine("one").pass("T-1", [], { env });
    assert.deepEqual([report.verdict, report.exit_code], ["rejected", 20], report.reason);
    assert.equal(fleet.inCode("show", `${fleet.named()}:half.txt`), "half");
    const next = await fleet.machine("two").pass("T-1");
    assert.deepEqual([next.verdict, codesOf(next)], ["accepted", []], next.reason);
    assert.equal(fleet.inCode("show", "task-phase/T-1:half.txt"), "half");
  });

  test("what an agent committed and switched to is one commit on what the pass began with", async (t) => {
    const fleet = makeOwn(t);
    const env = {
      AGENT_FIRST:
        'cd "$TASK_PHASE_REPO"; echo a > a.txt; git add a.txt; git -c user.name=x -c user.email=x@y commit -qm mine; git switch -qc other; git push -q origin HEAD:refs/heads/task-phase/T-1 || true',
    };
    const report = await fleet.machine("one").pass("T-1", [], { env });
    assert.equal(report.verdict, "accepted", report.reason);
    assert.equal(fleet.inCode("show", `${fleet.named()}:a.txt`), "a");
    assert.equal(fleet.inCode("rev-parse", `${fleet.named()}~1`), fleet.inCode("rev-parse", "main"));
  });
});

describe("two remotes and two machines", { concurrency: 2 }, () => {
  test("want the same pass: one of them has it, and only its code is named", async (t) => {
    const fleet = makeOwn(t);
    const all = ["one", "two", "three"].map(fleet.machine);
    const env = { AGENT_FOREVER: "1", AGENT_FIRST: 'echo "$WHO" >> "$TASK_PHASE_REPO/who.txt"', AGENT_NAP: "1" };
    const reports = await Promise.all(all.map((machine) => machine.pass("T-1", [], { env, apart: true })));
    const accepted = reports.filter(({ verdict }) => verdict === "accepted");
    assert(accepted.length >= 1, reports.map(({ reason }) => reason).join("\n"));
    for (const report of reports.filter(({ verdict }) => verdict === null)) {
      assert.equal(report.exit_code, 75, report.reason);
      assert.match(codesOf(report).join(), /^(TP_SUPERSEDED|TP_CLAIMED)$/);
    }
    assert.equal(fleet.calls().length, accepted.length);
    assert.equal(fleet.inCode("show", "task-phase/T-1:who.txt").split("\n").length, accepted.length);
    assert.equal(fleet.inCode("rev-parse", "task-phase/T-1"), fleet.named());
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("a pass that another machine took over is lost with its code, which the lost work names and no branch has", async (t) => {
    const fleet = makeOwn(t);
    const [one, two] = [fleet.machine("one"), fleet.machine("two")];
    const awake = fleet.path("awake");
    const first = `echo "$WHO" > "$TASK_PHASE_REPO/who.txt"; touch ${fleet.path("works")}; while [ ! -e ${awake} ]; do sleep 0.05; done`;
    const slow = one.pass("T-1", ["--attempt", "old"], { env: { AGENT_FIRST: first }, apart: true });
    await until(() => fleet.exists("works"));
    const taken = await two.pass("T-1", ["--takeover"]);
    assert.deepEqual([taken.verdict, taken.pass], ["accepted", 2], taken.reason);
    const [named, branch] = [fleet.named(), fleet.inCode("rev-parse", "task-phase/T-1")];
    fleet.write("awake", "");
    const lost = await slow;
    assert.deepEqual([lost.verdict, lost.exit_code, codesOf(lost)], [null, 75, ["TP_SUPERSEDED"]], lost.reason);
    const words = fleet.inRemote("log", "-1", "--format=%B", "refs/task-phase/lost/T-1/1-old");
    const orphan = /^Task-Phase-Code: (\w+)$/m.exec(words)?.[1] ?? "";
    assert.equal(fleet.inCode("show", `refs/task-phase/code/T-1/${orphan}:who.txt`), "one");
    assert.deepEqual([fleet.named(), fleet.inCode("rev-parse", "task-phase/T-1")], [named, branch]);
    assert.equal((await two.pass("T-1")).verdict, "accepted");
    assert.equal((await fleet.check("T-1")).code, 0);
  });
});

describe("a machine that is killed", { concurrency: 2 }, () => {
  /** Kills the runner, its parent's parent, when the code has arrived and nothing names it yet. */
  const killing = (fleet: OwnFleet) => {
    const hook = `#!/bin/sh\ncat > '${fleet.path("pushed")}'\nif [ ! -e '${fleet.path("killed")}' ]; then touch '${fleet.path("killed")}'; kill -9 $(cat '${fleet.path("pid")}'); fi\n`;
    chmodSync(fleet.write("code.git/hooks/post-receive", hook), 0o755);
    return (child: { pid?: number | undefined }): void => void fleet.write("pid", String(child.pid));
  };
  const env = { AGENT_FIRST: 'echo "$WHO $TASK_PHASE_PASS" > "$TASK_PHASE_REPO/who.txt"' };

  test("between the push of the code and the acceptance: another one begins without that code, which stays an orphan", async (t) => {
    const fleet = makeOwn(t);
    const [one, two] = [fleet.machine("one"), fleet.machine("two")];
    const end = await one.claim("T-1", [], { env, onStart: killing(fleet) });
    assert.equal(end.signal, "SIGKILL", end.stderr);
    const [orphan = "", ...others] = fleet.codeRefs();
    assert.deepEqual([others, fleet.named()], [[], "none"]);
    const taken = await two.pass("T-1", ["--takeover"], { env });
    assert.deepEqual([taken.verdict, taken.pass], ["accepted", 2], taken.reason);
    assert.equal(fleet.inCode("show", "task-phase/T-1:who.txt"), "two 2");
    // The first one comes back, and gives up what it had.
    const back = await one.pass("T-1", [], { env });
    assert.deepEqual([back.verdict, codesOf(back)], ["accepted", ["TP_SUPERSEDED"]], back.reason);
    assert.equal(fleet.inCode("rev-parse", `refs/task-phase/code/T-1/${orphan}`), orphan);
    assert.notEqual(fleet.named(), orphan);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("there, and starts again: its verdict is pushed with its code", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    await one.claim("T-1", [], { env, onStart: killing(fleet) });
    const back = await one.pass("T-1", [], { env });
    assert.deepEqual([back.verdict, back.pass, codesOf(back)], ["accepted", 2, ["TP_RECOVERED"]], back.reason);
    assert.deepEqual(fleet.subjects("T-1").slice(1, 2), ["task-phase: T-1 intake → shape (accepted, pass 1)"]);
    assert.equal(fleet.inCode("show", "task-phase/T-1~1:who.txt"), "one 1");
    assert.equal(fleet.inCode("show", "task-phase/T-1:who.txt"), "one 2");
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("during the model's work: the pass is closed as interrupted, with what it had done", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    const killed = { AGENT_FIRST: 'echo half > "$TASK_PHASE_REPO/half.txt"; kill -9 $PPID', AGENT_NAP: "30" };
    assert.equal((await one.claim("T-1", [], { env: killed })).signal, "SIGKILL");
    const back = await one.pass("T-1");
    assert.deepEqual([back.verdict, back.pass, codesOf(back)], ["accepted", 2, ["TP_RECOVERED"]], back.reason);
    assert.equal(fleet.inCode("show", `${fleet.named()}:half.txt`), "half");
    assert.equal((await fleet.check("T-1")).code, 0);
  });
});

describe("a remote of the code", { concurrency: 2 }, () => {
  const refusing = (fleet: OwnFleet, what: string): void => {
    const hook = `#!/bin/sh\nwhile read old new ref; do case $ref in ${what}) echo 'not here' >&2; exit 1;; esac; done\n`;
    chmodSync(fleet.write("code.git/hooks/pre-receive", hook), 0o755);
  };

  test("that refuses the code: nothing is accepted, and the next call pushes it once that is allowed", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    refusing(fleet, "refs/task-phase/*");
    for (let call = 1; call <= 2; call += 1) {
      const report = await one.pass("T-1");
      assert.deepEqual(
        [report.verdict, report.exit_code, codesOf(report)],
        [null, 1, ["TP_PUSH_REFUSED"]],
        report.reason,
      );
      assert.match(report.findings[0]?.message ?? "", /code\.git refused the code of pass 1: .*not here/);
    }
    assert.deepEqual([fleet.subjects("T-1").length, fleet.calls()], [1, ["one"]]);
    chmodSync(fleet.path("code.git/hooks/pre-receive"), 0o644);
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.from, codesOf(next)], ["accepted", "shape", ["TP_RECOVERED"]], next.reason);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("that refuses the branch alone: the verdict stands, and the words say where the code is", async (t) => {
    const fleet = makeOwn(t);
    refusing(fleet, "refs/heads/*");
    for (const name of ["one", "two"]) {
      const report = await fleet.machine(name).pass("T-1");
      assert.deepEqual([report.verdict, report.exit_code, codesOf(report)], ["accepted", 0, ["TP_CODE_BRANCH"]]);
      assert.match(
        report.findings[0]?.message ?? "",
        /task-phase\/T-1 of .*code\.git was not moved to its code: .*not here/,
      );
      assert.match(report.findings[0]?.fix ?? "", new RegExp(`refs/task-phase/code/T-1/${fleet.named()}`));
    }
  });

  test("that does not answer any more when the verdict is there: nothing is accepted, and the next call pushes both", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    // A person ends the call while it asks again.
    const env = {
      AGENT_FIRST: `echo half > "$TASK_PHASE_REPO/half.txt"; mv '${fleet.path("code.git")}' '${fleet.path("away")}'; kill -TERM $PPID; sleep 30`,
    };
    const report = await one.pass("T-1", [], { env, apart: true });
    assert.deepEqual(
      [report.verdict, report.exit_code, codesOf(report)],
      [null, 75, ["TP_PUSH_UNREACHABLE"]],
      report.reason,
    );
    assert.match(report.findings.at(-1)?.message ?? "", /^the code of pass 1 could not be pushed to .*code\.git/);
    assert.equal(fleet.subjects("T-1").length, 1);
    renameSync(fleet.path("away"), fleet.path("code.git"));
    assert.deepEqual(fleet.codeRefs(), []);
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.pass, codesOf(next)], ["accepted", 2, ["TP_RECOVERED"]], next.reason);
    assert.deepEqual(fleet.subjects("T-1").slice(1, 2), ["task-phase: T-1 intake → intake (interrupted, pass 1)"]);
    assert.equal(fleet.inCode("show", "task-phase/T-1:half.txt"), "half");
  });

  test("that does not answer before the pass: nothing was begun, and nothing is counted", async (t) => {
    const fleet = makeOwn(t);
    fleet.write("code.git/HEAD", "");
    const one = fleet.machine("one");
    // The second mirror is that of the code.
    const stop = async (child: ChildProcess): Promise<void> => {
      const repos = fleet.path(one.cache, "task-phase", "repos");
      const locks = () => (existsSync(repos) ? readdirSync(repos).filter((name) => name.endsWith(".lock")) : []);
      await until(() => locks().length === 2);
      child.kill("SIGTERM");
    };
    const report = await one.pass("T-1", [], { onStart: (child) => void stop(child) });
    assert.deepEqual([report.exit_code, codesOf(report)], [143, ["TP_REMOTE_UNREACHABLE"]], report.reason);
    assert.match(report.findings[0]?.message ?? "", /code\.git could not be read/);
    assert.deepEqual([fleet.calls(), fleet.inRemote("for-each-ref", "refs/heads/task-phase")], [[], ""]);
  });
});

describe("code that somebody rewrote", { concurrency: 2 }, () => {
  test("named by the last step and gone from its remote is named, and nothing goes on without it", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    assert.equal((await one.pass("T-1")).verdict, "accepted");
    const named = fleet.named();
    const other = fleet.commitCode("other", "other.txt", "main");
    for (const change of [
      ["-d", `refs/task-phase/code/T-1/${named}`],
      [`refs/task-phase/code/T-1/${named}`, other],
    ]) {
      fleet.inCode("update-ref", ...change);
      for (const args of [[], ["--takeover"]]) {
        const report = await one.pass("T-1", args);
        assert.deepEqual([report.exit_code, codesOf(report)], [65, ["TP_CODE_GONE"]], report.reason);
        assert.match(report.findings[0]?.fix ?? "", new RegExp(`\\+${named}:refs/task-phase/code/T-1/${named}$`));
      }
    }
    assert.equal(fleet.inCode("rev-parse", `refs/task-phase/code/T-1/${named}`), other);
    assert.equal(fleet.calls().length, 1);
    fleet.inCode("update-ref", `refs/task-phase/code/T-1/${named}`, named);
    assert.equal((await one.pass("T-1")).verdict, "accepted");
  });

  test("a branch that was forced to something else is named; --takeover goes on from what was accepted and leaves it", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    const env = { AGENT_FOREVER: "1", AGENT_FIRST: 'echo "$TASK_PHASE_PASS" >> "$TASK_PHASE_REPO/passes.txt"' };
    await one.pass("T-1", [], { env });
    const theirs = fleet.commitCode("task-phase/T-1", "theirs.txt", "main");
    for (const machine of [one, fleet.machine("two"), one]) {
      const report = await machine.pass("T-1", [], { env });
      assert.deepEqual([report.exit_code, codesOf(report)], [65, ["TP_CODE_MOVED"]], report.reason);
    }
    assert.equal(fleet.calls().length, 1);
    const meant = await one.pass("T-1", ["--takeover"], { env });
    assert.deepEqual([meant.verdict, codesOf(meant)], ["accepted", ["TP_CODE_BRANCH", "TP_CODE_BRANCH"]], meant.reason);
    assert.equal(fleet.inCode("show", `${fleet.named()}:passes.txt`), "1\n2");
    assert.equal(fleet.inCode("rev-parse", "task-phase/T-1"), theirs);
  });

  test("a branch that was set back is named, and the pass goes on from what was accepted", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    const env = { AGENT_FIRST: 'echo "$TASK_PHASE_PASS" >> "$TASK_PHASE_REPO/passes.txt"' };
    for (let pass = 1; pass <= 2; pass += 1) await one.pass("T-1", [], { env });
    fleet.inCode("update-ref", "refs/heads/task-phase/T-1", "task-phase/T-1~1");
    const report = await one.pass("T-1", [], { env });
    assert.deepEqual([report.verdict, codesOf(report)], ["accepted", ["TP_CODE_BRANCH"]], report.reason);
    assert.match(
      report.findings[0]?.message ?? "",
      /^task-phase\/T-1 of .* is behind the code that the last step of T-1 names/,
    );
    assert.equal(fleet.inCode("show", "task-phase/T-1:passes.txt"), "1\n2\n3");
  });

  test("a person's push to the branch of the code during a pass stays, and the next call says what to do", async (t) => {
    const fleet = makeOwn(t);
    const one = fleet.machine("one");
    const act = `cd '${fleet.folder}' && git clone -q code.git o && cd o && git config user.name o && git config user.email o@o && git checkout -qb task-phase/T-1 && echo t > theirs.txt && git add -A && git commit -qm theirs && git push -q origin task-phase/T-1`;
    const env = { AGENT_FIRST: `echo mine > "$TASK_PHASE_REPO/mine.txt"; (${act})` };
    const report = await one.pass("T-1", [], { env });
    assert.deepEqual([report.verdict, codesOf(report)], ["accepted", ["TP_CODE_BRANCH"]], report.reason);
    assert.deepEqual(codesOf(await one.pass("T-1")), ["TP_CODE_MOVED"]);
    fleet.git("o", "fetch", "-q", "origin", `refs/task-phase/code/T-1/${fleet.named()}`);
    fleet.git("o", "merge", "-q", "-m", "both", "FETCH_HEAD");
    fleet.git("o", "push", "-q", "origin", "HEAD");
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, codesOf(next)], ["accepted", []], next.reason);
    for (const file of ["mine.txt", "theirs.txt"]) fleet.inCode("show", `task-phase/T-1:${file}`);
  });
});

describe("words that lead elsewhere", { concurrency: 2 }, () => {
  const refused = async (fleet: OwnFleet, code: string, words: RegExp): Promise<void> => {
    const report = await fleet.machine("one").pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [78, [code]], report.reason);
    assert.match(report.findings[0]?.message ?? "", words);
    assert.deepEqual([fleet.calls(), fleet.codeRefs()], [[], []]);
    assert.equal(fleet.inRemote("for-each-ref", "refs/heads/task-phase"), "");
  };

  test("a link in the tasks' repository that leads out of it", async (t) => {
    const fleet = makeOwn(t, { config: "", repo: "../../link" });
    fleet.git(".", "clone", "-q", fleet.remote, "person");
    symlinkSync(fleet.path("app"), fleet.path("person/link"));
    fleet.git("person", "add", "-A");
    fleet.git("person", "commit", "-qm", "link");
    fleet.git("person", "push", "-q");
    await refused(fleet, "TP_CODE_PLACE", /^`repo` in the brief leads out of the clone through a link/);
    assert.equal(fleet.git("app", "status", "--porcelain"), "");
  });

  test("a link that fleet.prepare makes in the place of the code", async (t) => {
    const fleet = makeOwn(t, { fleet: `, prepare: [sh, -c, 'cd .. && mv app real && ln -s "$HOME" app']` });
    const report = await fleet.machine("one").pass("T-1");
    assert.deepEqual([report.exit_code, fleet.calls()], [78, []], report.reason);
  });

  test("fleet.code that is the tasks' own repository, by its name or by another one", async (t) => {
    for (const scheme of ["", "file://"]) {
      const fleet = makeOwn(t, { config: "" });
      fleet.git(".", "clone", "-q", fleet.remote, "person");
      const yaml = "person/tasks/task-phase.yaml";
      fleet.write(yaml, `fleet: { code: "${scheme}${fleet.remote}" }\n${fleet.read(yaml)}`);
      fleet.git("person", "commit", "-qam", "code");
      fleet.git("person", "push", "-q");
      await refused(fleet, "TP_CODE_PLACE", /^fleet\.code is the repository of the tasks/);
    }
  });

  test("fleet.code that leads nowhere, is a program, or holds a password", async (t) => {
    const urls = {
      "/nowhere.git": "TP_CODE_PLACE",
      "ext::sh": "TP_CONFIG_VALUE",
      "https://a:secret@h/x": "TP_CONFIG_VALUE",
    };
    for (const [url, code] of Object.entries(urls)) {
      const fleet = makeOwn(t, { config: `fleet: { code: "${url}" }\n` });
      const report = await fleet.machine("one").pass("T-1");
      assert.deepEqual([report.exit_code, codesOf(report)], [78, [code]], report.reason);
      assert.doesNotMatch(JSON.stringify(report), /secret/);
    }
  });

  test("code that nobody trusts is not fetched", async (t) => {
    const fleet = makeOwn(t);
    const own = { XDG_CACHE_HOME: fleet.path("cache"), XDG_STATE_HOME: fleet.path("state") };
    const env = { ...own, CALLS: fleet.path("calls"), TASK_PHASE_TRUST: "" };
    const run = async (...words: string[]) => await fleet.run("task-phase", words, { env });
    const claim = ["run", "--claim", "--remote", "remote.git", "--task", "T-1"];
    assert.equal((await run("trust", "--remote", "remote.git")).code, 0);
    const refusal = await run(...claim);
    assert.equal(refusal.code, 78);
    assert.match(refusal.stderr, /task-phase trust --remote \S*code\.git/);
    assert.equal(readdirSync(fleet.path("cache/task-phase/repos")).filter((name) => name.endsWith(".git")).length, 1);
    assert.equal((await run("trust", "--remote", "code.git")).code, 0);
    assert.equal((await run(...claim)).code, 0);
  });
});

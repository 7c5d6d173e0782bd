import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { describe, test } from "node:test";
import type { Report } from "../cli/task-world.ts";
import { until } from "../cli/until.ts";
import { clonesOf, codesOf, type Fleet, makeFleet, validator } from "../fleet/fleet-world.ts";

describe("a claimed pass", { concurrency: 2 }, () => {
  test("two machines in turn take a task from intake to done, each pass a claim and a verdict", async (t) => {
    const fleet = makeFleet(t, { files: { "work file.txt": "old\n" } });
    const machines = [fleet.machine("one"), fleet.machine("two")];
    for (let pass = 1; pass <= 5; pass += 1) {
      const report = await (machines[pass % 2] ?? fleet.machine("none")).pass("T-1");
      assert.deepEqual([report.verdict, report.pass, codesOf(report)], ["accepted", pass, []], report.reason);
    }
    assert.deepEqual(fleet.subjects("T-1"), [
      "task-phase: T-1 pass 1 begins (intake, mine)",
      "task-phase: T-1 intake → shape (accepted, pass 1)",
      "task-phase: T-1 pass 2 begins (shape, mine)",
      "task-phase: T-1 shape → implement (accepted, pass 2)",
      "task-phase: T-1 pass 3 is claimed (implement, mine)",
      "task-phase: T-1 pass 3 begins (implement, mine)",
      "task-phase: T-1 implement → verify (accepted, pass 3)",
      "task-phase: T-1 pass 4 begins (verify, mine)",
      "task-phase: T-1 verify → review (accepted, pass 4)",
      "task-phase: T-1 pass 5 begins (review, mine)",
      "task-phase: T-1 review → done (accepted, pass 5)",
    ]);
    assert.equal(fleet.onBranch("T-1", "work.txt"), "made by two\n");
    const runner = fleet.events("T-1").find(({ type }) => type === "pass_started")?.runner as Record<string, unknown>;
    assert.deepEqual([runner.worker, runner.host, runner.node], ["two", null, process.version]);
    assert.match(
      fleet.inRemote("log", "-1", "--format=%B", "task-phase/T-1"),
      /\nTask-Phase-Worker: two\nTask-Phase-Attempt: [0-9a-f]{12}\n/,
    );
    assert.equal(fleet.inRemote("rev-parse", "main"), fleet.git("first", "rev-parse", "HEAD"));
    const checked = await fleet.check("T-1");
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    const again = await fleet.machine("one").pass("T-1");
    assert.deepEqual([again.verdict, again.exit_code], [null, 0]);
    assert.equal(fleet.calls().length, 5);
  });

  test("the runner's own pass is a claim and a verdict like any other, on whatever machine", async (t) => {
    const fleet = makeFleet(t, { brief: [validator, "advance: auto"] });
    const machines = [fleet.machine("one"), fleet.machine("two")];
    const passes: string[] = [];
    for (let pass = 0; pass < 6; pass += 1) {
      const report = await (machines[pass % 2] ?? fleet.machine("none")).pass("T-1");
      assert.equal(report.verdict, "accepted", report.reason);
      passes.push(`${report.from} → ${report.to}`);
      if (report.to === "done") break;
    }
    assert.deepEqual(passes, ["implement → verify", "verify → review", "review → done"]);
    assert.equal(fleet.calls().length, 2);
    assert.deepEqual(fleet.subjects("T-1").slice(-4), [
      "task-phase: T-1 pass 2 begins (verify, no model)",
      "task-phase: T-1 verify → review (accepted, pass 2)",
      "task-phase: T-1 pass 3 begins (review, mine)",
      "task-phase: T-1 review → done (accepted, pass 3)",
    ]);
    const checked = await fleet.check("T-1");
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  });

  test("that asks a person ends with 22, and says where the answer goes", async (t) => {
    const fleet = makeFleet(t);
    const asks =
      "printf '## Q1: Which one?\\n\\n- Options: a; b\\n- Answer:\\n' > $TASK_PHASE_TASK_DIR/DECISIONS.md; exit";
    const end = await fleet.machine("one").claim("T-1", [], { env: { AGENT_FIRST: asks } });
    assert.equal(end.code, 22, end.stderr);
    assert.match(end.stderr, /^T-1 asks Q1: answer in DECISIONS\.md on the branch of the task/m);
    assert.match(fleet.onBranch("T-1", "tasks/T-1/DECISIONS.md"), /## Q1: Which one\?/);
  });

  test("the working tree is gone afterwards, and the next pass fetches only what is new", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    await one.pass("T-1");
    const [key = ""] = readdirSync(fleet.path(one.cache, "task-phase", "work"));
    const left = readdirSync(fleet.path(one.cache, "task-phase", "work", key));
    assert.deepEqual(left.sort(), ["T-1.git-work", "T-1.lock"]);
    assert.deepEqual(clonesOf(fleet, one), []);
    assert.equal((await one.pass("T-1")).verdict, "accepted");
    assert.equal(readdirSync(fleet.path(one.cache, "task-phase", "repos")).length, 2);
  });

  test("what an agent committed itself is in the verdict's commit, whose parent is the claim", async (t) => {
    const fleet = makeFleet(t);
    const env = {
      AGENT_FIRST:
        'cd "$TASK_PHASE_REPO"; echo a > a.txt; git add a.txt; git -c user.name=x -c user.email=x@y commit -qm mine; git switch -qc other',
    };
    const report = await fleet.machine("one").pass("T-1", [], { env });
    assert.equal(report.verdict, "accepted", report.reason);
    assert.equal(fleet.onBranch("T-1", "a.txt"), "a\n");
    assert.deepEqual(fleet.subjects("T-1"), [
      "task-phase: T-1 pass 1 begins (intake, mine)",
      "task-phase: T-1 intake → shape (accepted, pass 1)",
    ]);
  });

  test("the work of a rejected pass is in the branch, so that the next machine has it", async (t) => {
    const fleet = makeFleet(t);
    const env = {
      AGENT_FIRST:
        'echo half > "$TASK_PHASE_REPO/half.txt"; echo "- Phase: done" > "$TASK_PHASE_TASK_DIR/STATE.md"; exit 0',
    };
    const report = await fleet.machine("one").pass("T-1", [], { env });
    assert.deepEqual([report.verdict, report.exit_code], ["rejected", 20], report.reason);
    assert.equal(fleet.onBranch("T-1", "half.txt"), "half\n");
    assert.match(fleet.onBranch("T-1", "tasks/T-1/STATE.md"), /^- Phase: intake$/m);
    assert.equal((await fleet.machine("two").pass("T-1")).verdict, "accepted");
  });

  test("code that a pass changed in intake is committed with the pass, and the warning says so", async (t) => {
    const fleet = makeFleet(t);
    const env = { AGENT_FIRST: 'echo stray > "$TASK_PHASE_REPO/stray.txt"' };
    const report = await fleet.machine("one").pass("T-1", [], { env });
    assert.deepEqual([report.verdict, codesOf(report)], ["accepted", ["TP_STRAY_CODE"]], report.reason);
    const patch = "artifacts/passes/0001/changes.patch";
    assert.equal(report.findings[0]?.fix, `read ${patch}; both the change and that file are committed with this pass`);
    assert.equal(fleet.onBranch("T-1", "stray.txt"), "stray\n");
    assert.match(fleet.onBranch("T-1", `tasks/T-1/${patch}`), /stray/);
  });

  test("fleet.prepare makes the working tree ready, and what it leaves is in no commit", async (t) => {
    const fleet = makeFleet(t, { config: 'fleet: { prepare: [[sh, -c, "echo dep > dep.txt"]] }\n' });
    const env = { AGENT_FIRST: 'cp "$TASK_PHASE_REPO/dep.txt" "$TASK_PHASE_REPO/seen.txt"' };
    assert.equal((await fleet.machine("one").pass("T-1", [], { env })).verdict, "accepted");
    assert.equal(fleet.onBranch("T-1", "seen.txt"), "dep\n");
    assert.doesNotMatch(fleet.inRemote("ls-tree", "-r", "--name-only", "task-phase/T-1"), /^dep\.txt$/m);
  });

  test("a prepare that fails is a config error, and nothing was begun", async (t) => {
    const fleet = makeFleet(t, { config: 'fleet: { prepare: [[sh, -c, "echo no disk >&2; exit 3"]] }\n' });
    const report = await fleet.machine("one").pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [78, ["TP_PREPARE"]]);
    assert.match(report.findings[0]?.message ?? "", /it ended with 3: no disk$/);
    assert.deepEqual([fleet.calls(), fleet.inRemote("for-each-ref", "refs/heads/task-phase")], [[], ""]);
  });
});

describe("what git does not carry from machine to machine", { concurrency: 2 }, () => {
  const ignoring = { ".gitignore": "secret.txt\ntasks/*/.x\n" };
  const brief = [validator, "protected: [secret.txt]"];

  test("a protected path that git ignores comes from fleet.prepare, and is put back where a pass changes it", async (t) => {
    const config = 'fleet: { prepare: [[sh, -c, "echo secret > secret.txt"]] }\n';
    const fleet = makeFleet(t, { files: ignoring, brief, config });
    for (const name of ["one", "two"]) assert.equal((await fleet.machine(name).pass("T-1")).verdict, "accepted", name);
    const env = { AGENT_FIRST: 'echo changed > "$TASK_PHASE_REPO/secret.txt"' };
    const report = await fleet.machine("three").pass("T-1", [], { env });
    assert.deepEqual([report.verdict, report.exit_code], ["rejected", 20], report.reason);
    assert.match(report.reason, /secret\.txt/);
    assert.equal((await fleet.machine("two").pass("T-1")).verdict, "accepted");
  });

  test("where nobody supplies it, that is a config error before a model is called", async (t) => {
    const fleet = makeFleet(t, {
      files: ignoring,
      brief,
      config: 'fleet: { prepare: [[sh, -c, "test -z $SUPPLY || echo secret > secret.txt"]] }\n',
    });
    const first = await fleet.machine("one").pass("T-1", [], { env: { SUPPLY: "1" } });
    assert.equal(first.verdict, "accepted", first.reason);
    const report = await fleet.machine("two").pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [78, ["TP_PROTECTED_MISSING"]], report.reason);
    assert.deepEqual(fleet.calls(), ["one"]);
  });

  test("nor does the first pass begin without it; a glob may match nothing", async (t) => {
    const paths = "protected: [secret.txt, 'more/*.env']";
    const fleet = makeFleet(t, { files: { ".gitignore": "secret.txt\nmore/\n" }, brief: [validator, paths] });
    const report = await fleet.machine("one").pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [78, ["TP_PROTECTED_MISSING"]], report.reason);
    assert.match(report.findings[0]?.message ?? "", /: secret\.txt$/);
    assert.deepEqual([fleet.calls(), fleet.inRemote("for-each-ref", "refs/heads/task-phase")], [[], ""]);
  });

  test("a task that is done has not moved in an ordinary clone", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    for (let pass = 1; pass <= 5; pass += 1) assert.equal((await one.pass("T-1")).verdict, "accepted");
    fleet.git(".", "clone", "-q", "-b", "task-phase/T-1", fleet.remote, "ordinary");
    assert.match(fleet.read("ordinary/.git/info/exclude"), /^# git ls-files/);
    const end = await fleet.call("task-phase", ["status", "T-1", "--json"], { cwd: "ordinary" });
    assert.deepEqual((end.json() as { moved_since: unknown }).moved_since, null);
  });

  test("a check in the repo is the same check on each machine, wherever its clone is", async (t) => {
    const check = "#!/bin/sh\ntest -f code.txt\n";
    const fleet = makeFleet(t, {
      files: { "tools/check.sh": check },
      brief: ["validators: [{ name: tests, command: [sh, tools/check.sh] }]"],
    });
    for (let pass = 1; pass <= 5; pass += 1) {
      const report = await fleet.machine(`m${pass}`).pass("T-1");
      assert.deepEqual([report.verdict, report.pass], ["accepted", pass], report.reason);
    }
    assert.equal((await fleet.check("T-1")).code, 0);
  });
});

/** A person's commit on main: T-2 depends on T-1. */
function needT1(fleet: Fleet): void {
  fleet.git(".", "clone", "-q", fleet.remote, "person");
  const readme = "person/tasks/T-2/README.md";
  fleet.write(readme, fleet.read(readme).replace("id: T-2\n", "id: T-2\ndepends_on: [T-1]\n"));
  fleet.git("person", "commit", "-qam", "T-2 needs T-1");
  fleet.git("person", "push", "-q");
}

describe("a task that is done", { concurrency: 2 }, () => {
  test("names a command that opens it again in a clone of the remote, also once its branch is merged", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    for (let pass = 1; pass <= 5; pass += 1) {
      const report = await one.pass("T-1");
      assert.equal(report.verdict, "accepted", report.reason);
      assert.doesNotMatch(JSON.stringify(report), /task-phase resume/);
    }
    const word = 'task-phase resume --task-dir tasks/T-1 --to intake --reason "..."';
    const told = (branch: string) =>
      `the task is done; nothing to do. A person reopens it with: git switch ${branch} && ${word} (in a clone of the remote; then commit and push)`;
    assert.equal((await one.pass("T-1")).reason, told("task-phase/T-1"));
    fleet.git(".", "clone", "-q", fleet.remote, "person");
    fleet.inRemote("update-ref", "refs/heads/main", "task-phase/T-1");
    fleet.inRemote("update-ref", "-d", "refs/heads/task-phase/T-1");
    assert.equal((await fleet.machine("two").pass("T-1")).reason, told("main"));
    fleet.inRemote("branch", "task-phase/T-1", "main");
    fleet.git("person", "switch", "-q", "task-phase/T-1");
    const words = ["resume", "--task-dir", "tasks/T-1", "--to", "intake", "--reason", "again"];
    const resumed = await fleet.call("task-phase", words, { cwd: "person" });
    assert.equal(resumed.code, 0, resumed.stderr);
    fleet.git("person", "add", "-A");
    fleet.git("person", "commit", "-qm", "once more");
    fleet.git("person", "push", "-q");
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.pass], ["accepted", 6], next.reason);
  });
});

describe("where the branch of a task is and begins", { concurrency: 2 }, () => {
  test("fleet.base and fleet.ref are followed, by the first pass and by those after it", async (t) => {
    const fleet = makeFleet(t, { config: 'fleet: { base: stable, ref: "agents/{id}" }\n' });
    fleet.git(".", "clone", "-q", fleet.remote, "person");
    fleet.git("person", "switch", "-qc", "stable");
    fleet.write("person/stable.txt", "stable\n");
    fleet.git("person", "add", "-A");
    fleet.git("person", "commit", "-qm", "stable");
    fleet.git("person", "push", "-q", "origin", "stable");
    const one = fleet.machine("one");
    for (const pass of [1, 2]) {
      const report = await one.pass("T-1");
      assert.deepEqual([report.verdict, report.pass], ["accepted", pass], report.reason);
    }
    assert.equal(fleet.inRemote("show", "agents/T-1:stable.txt"), "stable\n");
    assert.equal(fleet.inRemote("for-each-ref", "refs/heads/task-phase"), "");
    assert.equal(fleet.inRemote("rev-list", "--count", "stable..agents/T-1"), "4\n");
  });

  for (const [after, merges] of [
    ["merged", true],
    ["done", false],
  ] as const) {
    test(`with \`after: ${after}\` a task waits until what it needs is ${after}`, async (t) => {
      const fleet = makeFleet(t, { tasks: ["T-1", "T-2"], config: `fleet: { after: ${after} }\n` });
      needT1(fleet);
      const one = fleet.machine("one");
      // The branch of T-2 begins before T-1 is done: what it holds of T-1 is older than what counts.
      fleet.inRemote("branch", "task-phase/T-2", "main");
      for (let pass = 0; pass < 4; pass += 1) await one.pass("T-1");
      const waits = await one.pass("T-2");
      assert.deepEqual([waits.verdict, waits.exit_code], [null, 21], waits.reason);
      assert.match(waits.reason, /waits for T-1/);
      await one.pass("T-1");
      if (merges) {
        assert.equal((await one.pass("T-2")).exit_code, 21);
        fleet.inRemote("update-ref", "refs/heads/main", "task-phase/T-1");
      }
      const goes = await one.pass("T-2");
      assert.deepEqual([goes.verdict, goes.pass], ["accepted", 1], goes.reason);
    });
  }

  test("a task that waits gets no branch, so that its first pass begins with the merged code that it needs", async (t) => {
    const fleet = makeFleet(t, { tasks: ["T-1", "T-2"], config: "fleet: {}\n" });
    needT1(fleet);
    const one = fleet.machine("one");
    for (let pass = 1; pass <= 5; pass += 1) {
      const waits = await one.pass("T-2");
      assert.deepEqual([waits.exit_code, waits.reason], [21, "the task waits for T-1, which is not done"]);
      assert.equal((await one.pass("T-1")).verdict, "accepted");
    }
    const unmerged = await one.pass("T-2");
    assert.deepEqual(
      [unmerged.exit_code, unmerged.reason],
      [21, "the task waits for T-1, which is done but not merged (task-phase land T-1, or merge its branch)"],
    );
    assert.equal(fleet.inRemote("for-each-ref", "--format=%(refname)", "refs/heads/task-phase/T-2"), "");
    fleet.inRemote("update-ref", "refs/heads/main", "task-phase/T-1");
    assert.equal((await one.pass("T-2")).verdict, "accepted");
    assert.equal(fleet.onBranch("T-2", "work.txt"), "made by one\n");
  });

  test("a person's word in the base branch is obeyed once, on the branch that all machines see", async (t) => {
    const fleet = makeFleet(t);
    fleet.git(".", "clone", "-q", fleet.remote, "person");
    fleet.write("person/tasks/T-1/CONTROL.md", "# Control\n\n- [ ] ABORT\n");
    fleet.git("person", "add", "-A");
    fleet.git("person", "commit", "-qm", "stop");
    fleet.git("person", "push", "-q");
    const one = fleet.machine("one");
    assert.equal((await one.pass("T-1")).exit_code, 25);
    assert.match(fleet.onBranch("T-1", "tasks/T-1/CONTROL.md"), /^- \[x\] ABORT/m);
    assert.equal((await one.pass("T-1")).verdict, "accepted");
  });

  for (const [name, config, code] of [
    ["a base that is not there", "fleet: { base: nowhere }\n", "TP_FLEET_BASE"],
    ["a cache of its own", "fleet: { clone: { cache: /srv/cache } }\n", "TP_CLONE_CACHE"],
    ["a clone that leaves files out", 'fleet: { clone: { filter: "blob:none" } }\n', "TP_CLONE_FILTER"],
  ] as const) {
    test(`${name} is refused, and no working tree is left`, async (t) => {
      const fleet = makeFleet(t, { config });
      const one = fleet.machine("one");
      const report = await one.pass("T-1");
      assert.deepEqual([report.exit_code, codesOf(report)], [78, [code]]);
      assert.deepEqual(clonesOf(fleet, one), []);
    });
  }
});

describe("a claim that somebody else holds", { concurrency: 2 }, () => {
  const hang = { AGENT_NAP: "30" };

  test("is waited for until its time is over, and can be taken over before", async (t) => {
    const fleet = makeFleet(t);
    const [one, two] = [fleet.machine("one"), fleet.machine("two")];
    const killed = await one.claim("T-1", ["--attempt", "first"], {
      env: { ...hang, AGENT_FIRST: "kill -9 $PPID" },
    });
    assert.equal(killed.signal, "SIGKILL");
    const refused = await two.pass("T-1");
    assert.deepEqual([refused.exit_code, codesOf(refused)], [75, ["TP_CLAIMED"]]);
    const { task, next_eligible_at: until } = refused as unknown as { task: string; next_eligible_at: string };
    assert.deepEqual(
      [task, refused.findings[0]?.message],
      ["T-1", `pass 1 of T-1 is claimed by one (first) until ${until}`],
    );
    const taken = await two.pass("T-1", ["--takeover"]);
    assert.deepEqual([taken.verdict, taken.pass], ["accepted", 2], taken.reason);
    assert.deepEqual(fleet.subjects("T-1").slice(1), [
      "task-phase: T-1 pass 2 begins (intake, mine)",
      "task-phase: T-1 intake → shape (accepted, pass 2)",
    ]);
    const interrupted = fleet.events("T-1").find(({ verdict }) => verdict === "interrupted");
    assert.equal(interrupted?.pass, 1);
    // The one that was killed comes back, and finds that its pass was closed by the other.
    const back = await one.pass("T-1");
    assert.deepEqual([back.verdict, back.from, codesOf(back)], ["accepted", "shape", ["TP_SUPERSEDED"]], back.reason);
    assert.match(fleet.inRemote("for-each-ref", "refs/task-phase/lost/T-1"), /refs\/task-phase\/lost\/T-1\/1-first\n/);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("holds nobody up once the machine that was killed starts again", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    await one.claim("T-1", [], { env: { ...hang, AGENT_FIRST: "kill -9 $PPID" } });
    const back = await one.pass("T-1");
    assert.deepEqual([back.verdict, back.pass, codesOf(back)], ["accepted", 2, ["TP_RECOVERED"]], back.reason);
    assert.deepEqual(fleet.subjects("T-1").slice(1, 2), ["task-phase: T-1 intake → intake (interrupted, pass 1)"]);
    assert.equal((await fleet.check("T-1")).code, 0);
  });
});

describe("bad words for a claim", { concurrency: 2 }, () => {
  const cases: Readonly<Record<string, readonly [string[], string]>> = {
    "no remote": [["--task", "T-1"], "TP_USAGE_CLAIM"],
    "no task": [["--remote", "remote.git"], "TP_USAGE_CLAIM"],
    "a dry run": [["--remote", "remote.git", "--task", "T-1", "--dry-run"], "TP_USAGE_CLAIM"],
    "an attempt that is a path": [
      ["--remote", "remote.git", "--task", "T-1", "--attempt", "../x"],
      "TP_USAGE_BAD_VALUE",
    ],
  };
  for (const [name, [words, code]] of Object.entries(cases)) {
    test(name, async (t) => {
      const fleet = makeFleet(t);
      const env = { XDG_CACHE_HOME: fleet.path("cache"), XDG_STATE_HOME: fleet.path("state") };
      const end = await fleet.run("task-phase", ["run", "--claim", "--json", ...words], { env });
      const report = end.json() as { findings: { code: string }[] };
      assert.deepEqual([end.code, report.findings.map((finding) => finding.code)], [64, [code]], end.stderr);
    });
  }

  test("a remote that nobody trusts runs nothing", async (t) => {
    const fleet = makeFleet(t);
    const env = {
      XDG_CACHE_HOME: fleet.path("cache"),
      XDG_STATE_HOME: fleet.path("state"),
      CALLS: fleet.path("calls"),
      TASK_PHASE_TRUST: "",
    };
    const claim = ["run", "--claim", "--remote", "remote.git", "--task", "T-1"];
    assert.equal((await fleet.run("task-phase", claim, { env })).code, 78);
    assert.equal((await fleet.run("task-phase", ["trust", "--remote", "remote.git"], { env })).code, 0);
    assert.equal((await fleet.run("task-phase", claim, { env })).code, 0);
    assert.equal((await fleet.run("task-phase", ["trust", "--revoke", "--remote", "remote.git"], { env })).code, 0);
    assert.equal((await fleet.run("task-phase", claim, { env })).code, 78);
  });

  test("a remote that does not answer is asked again, until a signal ends the call, and nothing is counted", async (t) => {
    const fleet = makeFleet(t);
    fleet.write("broken.git/HEAD", "ref: refs/heads/main\n");
    const env = { XDG_CACHE_HOME: fleet.path("cache"), XDG_STATE_HOME: fleet.path("state") };
    const words = ["run", "--claim", "--json", "--remote", "broken.git", "--task", "T-1"];
    const repos = fleet.path("cache", "task-phase", "repos");
    const isFetching = () => existsSync(repos) && readdirSync(repos).some((name) => name.endsWith(".lock"));
    const stop = async (child: ChildProcess): Promise<void> => {
      await until(isFetching);
      child.kill("SIGTERM");
    };
    const end = await fleet.run("task-phase", words, { env, onStart: (child) => void stop(child) });
    const report = end.json() as { task: string; findings: { code: string }[] };
    assert.deepEqual(
      [end.code, report.task, report.findings.map(({ code }) => code)],
      [143, "T-1", ["TP_REMOTE_UNREACHABLE"]],
    );
  });

  test("a remote without a commit is named, and not the cache", async (t) => {
    const fleet = makeFleet(t);
    fleet.git(".", "init", "-q", "--bare", "empty.git");
    const env = { ...fleet.machine("one").env };
    const url = fleet.path("empty.git");
    for (const words of [
      ["run", "--claim", "--remote", url, "--task", "T-1"],
      ["dispatch", "--once", "--remote", url],
    ]) {
      const end = await fleet.call("task-phase", [...words, "--json"], { env });
      const [finding, ...more] = (end.json() as unknown as Report).findings;
      assert.deepEqual([end.code, finding?.code, finding?.file, more], [64, "TP_REMOTE_EMPTY", url, []], words[0]);
    }
  });

  test("a remote without task folders is named, and not the cache", async (t) => {
    const fleet = makeFleet(t);
    fleet.git(".", "init", "-q", "-b", "main", "bare-of-tasks");
    fleet.git("bare-of-tasks", "commit", "-q", "--allow-empty", "-m", "nothing yet");
    const url = fleet.path("bare-of-tasks");
    const words = ["run", "--claim", "--json", "--remote", url, "--task", "T-1"];
    const end = await fleet.call("task-phase", words, { env: { ...fleet.machine("one").env } });
    const [finding] = (end.json() as unknown as Report).findings;
    assert.deepEqual([end.code, finding?.code, finding?.file], [64, "TP_GIT_NO_TASKS", url]);
  });

  test("a path that is gone is a wrong word, but a lost mount if it was fetched before", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    assert.equal((await one.pass("T-1")).verdict, "accepted");
    renameSync(fleet.remote, fleet.path("away.git"));
    const lost = await one.pass("T-1", [], { now: hurriedClock() });
    assert.deepEqual([lost.exit_code, codesOf(lost)], [75, ["TP_REMOTE_UNREACHABLE"]], lost.reason);
    const never = await fleet.machine("two").pass("T-1");
    assert.deepEqual([never.exit_code, codesOf(never)], [64, ["TP_REMOTE_URL"]], never.reason);
    renameSync(fleet.path("away.git"), fleet.remote);
    assert.equal((await one.pass("T-1")).verdict, "accepted");
  });
});

/** Each look at it is half a minute later, so that nobody waits for a remote in vain. */
function hurriedClock(): () => Date {
  let at = Date.now();
  return () => {
    at += 30_000;
    return new Date(at);
  };
}

import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { basename, relative } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { readAttempts } from "../../lib/rules/claim.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Report } from "../cli/task-world.ts";
import { until } from "../cli/until.ts";
import { codesOf, type Fleet, makeFleet, makeReviewed } from "../fleet/fleet-world.ts";
import { type Fault, serveGit } from "../fleet/git-server.ts";

async function passOver(fleet: Fleet, url: string, options: { onStart?: never } = {}): Promise<Report> {
  const env = {
    XDG_CACHE_HOME: fleet.path("cache"),
    XDG_STATE_HOME: fleet.path("state"),
    WHO: "one",
    CALLS: fleet.path("calls"),
  };
  const end = await fleet.run("task-phase", ["run", "--claim", "--json", "--remote", url, "--task", "T-1"], {
    env,
    ...options,
  });
  const report = end.json() as unknown as Report;
  assert.equal(end.code, report.exit_code, end.stderr);
  return report;
}

describe("a push whose answer does not come", { concurrency: 2 }, () => {
  const cases: Readonly<Record<string, readonly Fault[]>> = {
    "of the claim, which was taken": ["cut"],
    "of the claim, which was not taken": ["refuse"],
    "of the claim, three times": ["refuse", "refuse", "cut"],
    "of the claim, from a proxy that is broken": ["garble"],
  };
  for (const [name, faults] of Object.entries(cases)) {
    test(`${name}, is accepted once`, async (t) => {
      const fleet = makeFleet(t);
      const server = await serveGit(t, fleet);
      server.faults.push(...faults);
      const report = await passOver(fleet, server.url);
      assert.deepEqual([report.verdict, report.exit_code, codesOf(report)], ["accepted", 0, []], report.reason);
      assert.equal(fleet.subjects("T-1").length, 2);
      assert.equal((await fleet.check("T-1")).code, 0);
    });
  }

  test("of the verdict, which was taken, is accepted once", async (t) => {
    const fleet = makeFleet(t);
    const server = await serveGit(t, fleet);
    // The claim is the first push; what comes behind it is the verdict's.
    const hook = fleet.write("remote.git/hooks/post-receive", `#!/bin/sh\ntouch '${fleet.path("claimed")}'\n`);
    chmodSync(hook, 0o755);
    const pass = passOver(fleet, server.url);
    while (!fleet.exists("claimed")) await new Promise((resolve) => setTimeout(resolve, 5));
    server.faults.push("cut");
    const report = await pass;
    assert.deepEqual([report.verdict, report.exit_code, codesOf(report)], ["accepted", 0, []], report.reason);
    assert.deepEqual([fleet.subjects("T-1").length, server.faults.length], [2, 0]);
  });
});

/** A shell command for the agent: another clone changes the branch while the pass runs. */
const meanwhile = (fleet: Fleet, act: string): string =>
  `cd '${fleet.folder}' && git clone -q -b task-phase/T-1 remote.git other && cd other && git config user.name o && git config user.email o@o && ${act}`;

describe("a remote that moves", { concurrency: 2 }, () => {
  test("a person's commit on the branch during a pass stands, and the pass is lost", async (t) => {
    const fleet = makeFleet(t);
    const act = "echo theirs > theirs.txt && git add -A && git commit -qm theirs && git push -q";
    const env = { AGENT_FIRST: meanwhile(fleet, act) };
    const report = await fleet.machine("one").pass("T-1", ["--attempt", "mine"], { env });
    assert.deepEqual([report.verdict, report.exit_code, codesOf(report)], [null, 75, ["TP_SUPERSEDED"]], report.reason);
    assert.equal(fleet.onBranch("T-1", "theirs.txt"), "theirs\n");
    assert.match(fleet.inRemote("show", "refs/task-phase/lost/T-1/1-mine:tasks/T-1/STATE.md"), /told by one/);
    const next = await fleet.machine("one").pass("T-1", ["--takeover"]);
    assert.deepEqual([next.verdict, next.pass], ["accepted", 2], next.reason);
    assert.equal(fleet.onBranch("T-1", "theirs.txt"), "theirs\n");
  });

  test("a branch that somebody moves ends the agent, which works for nobody any more", async (t) => {
    const fleet = makeFleet(t, { config: "control: { poll: 1s }\n" });
    const control = `printf '# Control\\n\\n- [ ] PAUSE\\n' > tasks/T-1/CONTROL.md`;
    const act = `${control} && git add -A && git commit -qm pause && git push -q`;
    const env = { AGENT_FIRST: `(${meanwhile(fleet, act)}); exec sleep 50` };
    const one = fleet.machine("one");
    const report = await one.pass("T-1", ["--attempt", "mine"], { env });
    assert.deepEqual([report.verdict, report.exit_code, codesOf(report)], [null, 75, ["TP_SUPERSEDED"]], report.reason);
    const kept = fleet.inRemote("log", "-1", "--format=%s", "refs/task-phase/lost/T-1/1-mine");
    assert.match(kept, /interrupted, pass 1/, "the agent did not sleep to its end");
    for (const name of ["two", "one"]) {
      const next = await fleet.machine(name).pass("T-1");
      assert.deepEqual([next.verdict, next.exit_code], [null, 25], next.reason);
      assert.match(next.reason, /PAUSE/);
    }
    assert.equal(fleet.calls().length, 1);
  });

  /** A person's edits of T-1 during pass 2, and the next pass of another machine after that one is lost. */
  async function editMeanwhile(t: TestContext, edit: string) {
    const fleet = makeFleet(t);
    assert.equal((await fleet.machine("one").pass("T-1")).to, "shape");
    const act = `${edit} && git add -A && git commit -qm theirs && git push -q`;
    const lost = await fleet.machine("one").pass("T-1", [], { env: { AGENT_FIRST: meanwhile(fleet, act) } });
    assert.deepEqual(codesOf(lost), ["TP_SUPERSEDED"], lost.reason);
    const next = await fleet.machine("two").pass("T-1");
    const ends = fleet.events("T-1").map(({ type, verdict }) => verdict ?? type);
    return { fleet, next, ends, onBranch: (file: string) => fleet.onBranch("T-1", `tasks/T-1/${file}`) };
  }

  test("a person's edits during a pass are taken by the next claim, and none is called the pass's", async (t) => {
    const edit = [
      "sed -i 's/^- Objective:.*/- Objective: what a person wants/' tasks/T-1/STATE.md",
      "printf '\\nA person was here.\\n' >> tasks/T-1/STATE.md",
      "printf -- '- [ ] a step of theirs\\n' > tasks/T-1/TASKS.md",
      "printf '\\nMore of the brief.\\n' >> tasks/T-1/README.md",
      "printf '# Control\\n\\n- [ ] RETRY\\n' > tasks/T-1/CONTROL.md",
    ].join(" && ");
    const { fleet, next, ends, onBranch } = await editMeanwhile(t, edit);
    assert.deepEqual([next.verdict, next.from, next.to], ["accepted", "shape", "implement"], next.reason);
    assert.match(onBranch("STATE.md"), /^- Objective: what a person wants$[\s\S]*^A person was here\.$/m);
    assert.deepEqual(
      [onBranch("TASKS.md"), /More of the brief/.test(onBranch("README.md"))],
      ["- [ ] a step of theirs\n", true],
    );
    assert.doesNotMatch(onBranch("CONTROL.md"), /refused/);
    assert.ok(ends.indexOf("interrupted") < ends.indexOf("state_edited"), ends.join());
    assert.ok(codesOf(next).includes("TP_STATE_EDITED"), codesOf(next).join());
    assert.throws(() => onBranch("artifacts/passes/0002/STATE.proposed.md"));
    const check = await fleet.check("T-1");
    assert.equal(check.code, 0, check.stdout);
  });

  test("a person's edit during a pass that no rule allows is refused by the next claim, and kept", async (t) => {
    const edit = "sed -i 's/^- Phase:.*/- Phase: done/' tasks/T-1/STATE.md";
    const { fleet, next, onBranch, ends } = await editMeanwhile(t, edit);
    assert.deepEqual([next.exit_code, next.verdict], [20, null], next.reason);
    assert.match(
      next.reason,
      /^the hand edit of STATE\.md is refused: .*kept at artifacts\/passes\/refused\/\d+-STATE\.md$/,
    );
    assert.match(onBranch(/artifacts\/\S+/.exec(next.reason)?.[0] ?? ""), /^- Phase: done$/m);
    assert.match(onBranch("STATE.md"), /^- Phase: shape$/m);
    assert.deepEqual(ends.slice(-2), ["interrupted", "edit_refused"]);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  const theirs = "git commit -q --allow-empty -m theirs && git push -q";

  for (const name of ["one", "two"]) {
    test(`a claim whose work is kept as lost holds nobody up: ${name} closes it with its cost`, async (t) => {
      const fleet = makeFleet(t, { model: "estimate_usd: 0.5" });
      const lost = await fleet.machine("one").pass("T-1", [], { env: { AGENT_FIRST: meanwhile(fleet, theirs) } });
      assert.deepEqual(codesOf(lost), ["TP_SUPERSEDED"], lost.reason);
      const next = await fleet.machine(name).pass("T-1");
      assert.deepEqual([next.verdict, next.pass], ["accepted", 2], next.reason);
      const closed = fleet.events("T-1").find(({ verdict }) => verdict === "interrupted");
      assert.equal(closed?.pass, 1);
      const { used } = readAttempts(fleet.events("T-1") as unknown as TaskEvent[])[0] ?? {};
      assert.equal(used?.moneyUsd, 0.5);
      assert.equal((await fleet.check("T-1")).code, 0);
    });
  }

  test("a claim on a branch that somebody moved holds others up as long as its work may go on", async (t) => {
    const fleet = makeFleet(t, { config: "control: { poll: 1h }\n" });
    const go = fleet.path("go");
    const act = `(${meanwhile(fleet, theirs)}); touch '${fleet.path("moved")}'; until [ -e '${go}' ]; do sleep 0.05; done`;
    const working = fleet.machine("one").pass("T-1", [], { env: { AGENT_FIRST: act }, apart: true });
    await until(() => fleet.exists("moved"));
    const held = await fleet.machine("two").pass("T-1");
    assert.deepEqual([held.exit_code, codesOf(held)], [75, ["TP_CLAIMED"]], held.reason);
    fleet.write("go", "");
    assert.deepEqual(codesOf(await working), ["TP_SUPERSEDED"]);
    const next = await fleet.machine("two").pass("T-1");
    assert.deepEqual([next.verdict, next.pass], ["accepted", 2], next.reason);
  });

  test("a pass that loses its claim behind its reviewers says that they ran, and keeps what they said", async (t) => {
    const fleet = await makeReviewed(t);
    const env = { REVIEW_FIRST: meanwhile(fleet, theirs) };
    const report = await fleet.machine("one").pass("T-1", ["--attempt", "mine"], { env });
    assert.deepEqual([report.verdict, report.exit_code, codesOf(report)], [null, 75, ["TP_SUPERSEDED"]], report.reason);
    const [{ message = "", fix = "" } = {}] = report.findings;
    assert.match(
      message,
      /^pass 2 does not count: task-phase\/T-1 of .* was moved after its reviewers or its first checks ran/,
    );
    assert.match(fix ?? "", /the work is kept as refs\/task-phase\/lost\/T-1\/2-mine$/);
    const journal = fleet.inRemote("show", "refs/task-phase/lost/T-1/2-mine:tasks/T-1/artifacts/journal.jsonl");
    assert.match(journal, /"type":"reviewed"/);
    assert.deepEqual(fleet.calls(), ["first", "onesecurity"]);
    const next = await fleet.machine("two").pass("T-1");
    assert.deepEqual([next.verdict, next.pass], ["accepted", 2], next.reason);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("a branch that was forced back during a pass is not taken for the claim", async (t) => {
    const fleet = makeFleet(t);
    const act = "git reset -q --hard HEAD~1 && git push -qf";
    const report = await fleet.machine("one").pass("T-1", [], { env: { AGENT_FIRST: meanwhile(fleet, act) } });
    assert.deepEqual([report.verdict, codesOf(report)], [null, ["TP_SUPERSEDED"]], report.reason);
    assert.equal(fleet.inRemote("rev-parse", "task-phase/T-1"), fleet.inRemote("rev-parse", "main"));
  });

  test("a branch that was deleted during a pass stays deleted, and the work is kept", async (t) => {
    const fleet = makeFleet(t);
    const act = "git push -q origin :task-phase/T-1";
    const report = await fleet.machine("one").pass("T-1", [], { env: { AGENT_FIRST: meanwhile(fleet, act) } });
    assert.deepEqual([report.verdict, codesOf(report)], [null, ["TP_SUPERSEDED"]], report.reason);
    assert.match(fleet.inRemote("for-each-ref"), /refs\/task-phase\/lost\/T-1\/1-/);
  });

  test("a journal that was written anew is named, and nothing is repaired or pushed", async (t) => {
    const fleet = makeFleet(t);
    const [one, two] = [fleet.machine("one"), fleet.machine("two")];
    for (const machine of [one, two]) await machine.pass("T-1");
    fleet.git(".", "clone", "-q", "-b", "task-phase/T-1", fleet.remote, "forger");
    const journal = "forger/tasks/T-1/artifacts/journal.jsonl";
    fleet.write(journal, fleet.read(journal).replace('"accepted"', '"rejected"'));
    fleet.git("forger", "commit", "-qam", "forged");
    fleet.git("forger", "push", "-q");
    const tip = fleet.inRemote("rev-parse", "task-phase/T-1");
    for (const machine of [one, two]) {
      const report = await machine.pass("T-1");
      assert.deepEqual([report.exit_code, codesOf(report)], [65, ["TP_JOURNAL_BROKEN"]], report.reason);
    }
    assert.equal(fleet.inRemote("rev-parse", "task-phase/T-1"), tip);
    assert.equal(fleet.calls().length, 2);
  });

  test("a branch that was forced back between two passes is named by whoever saw it before", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    for (let pass = 0; pass < 3; pass += 1) await one.pass("T-1");
    fleet.inRemote("update-ref", "refs/heads/task-phase/T-1", "task-phase/T-1~5");
    const report = await one.pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [65, ["TP_JOURNAL_REWOUND"]], report.reason);
    assert.equal(fleet.calls().length, 3);
    const meant = await one.pass("T-1", ["--takeover"]);
    assert.deepEqual([meant.verdict, meant.pass], ["accepted", 2], meant.reason);
  });
});

describe("a remote that refuses", { concurrency: 2 }, () => {
  const refusing = (fleet: Fleet, when: string): void => {
    const hook = `#!/bin/sh\nif ${when}; then echo 'no pushes to task-phase here' >&2; exit 1; fi\n`;
    chmodSync(fleet.write("remote.git/hooks/pre-receive", hook), 0o755);
  };

  test("the claim: nothing was begun, and its words are told", async (t) => {
    const fleet = makeFleet(t);
    refusing(fleet, "true");
    const report = await fleet.machine("one").pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [1, ["TP_PUSH_REFUSED"]], report.reason);
    assert.match(report.findings[0]?.message ?? "", /pre-receive hook declined.*no pushes to task-phase here/);
    assert.deepEqual(fleet.calls(), []);
  });

  test("the verdict: it is not told as accepted, and pushed by the next call once that is allowed", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    refusing(fleet, `[ -e '${fleet.path("calls")}' ]`);
    const report = await one.pass("T-1");
    assert.deepEqual(
      [report.verdict, report.exit_code, codesOf(report)],
      [null, 1, ["TP_PUSH_REFUSED"]],
      report.reason,
    );
    assert.equal(fleet.subjects("T-1").length, 1);
    chmodSync(fleet.path("remote.git/hooks/pre-receive"), 0o644);
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.from, codesOf(next)], ["accepted", "shape", ["TP_RECOVERED"]], next.reason);
    assert.deepEqual(fleet.subjects("T-1").slice(1, 2), ["task-phase: T-1 intake → shape (accepted, pass 1)"]);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  test("the verdict, but not the ref of lost work: that is a copy, and the verdict is pushed once that is allowed", async (t) => {
    const fleet = makeFleet(t);
    const [one, two] = [fleet.machine("one"), fleet.machine("two")];
    const hook = `#!/bin/sh\ncase $1 in refs/heads/*) [ ! -e '${fleet.path("calls")}' ] ;; esac\n`;
    chmodSync(fleet.write("remote.git/hooks/update", hook), 0o755);
    for (let call = 0; call < 2; call += 1) {
      const report = await one.pass("T-1", ["--attempt", "mine"]);
      assert.deepEqual([report.exit_code, codesOf(report)], [1, ["TP_PUSH_REFUSED"]], report.reason);
      assert.match(
        report.findings[0]?.fix ?? "",
        /on this machine.*and a copy is refs\/task-phase\/lost\/T-1\/1-mine$/,
      );
    }
    assert.deepEqual(codesOf(await two.pass("T-1")), ["TP_CLAIMED"]);
    assert.equal(fleet.calls().length, 1);
    chmodSync(fleet.path("remote.git/hooks/update"), 0o644);
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.from, codesOf(next)], ["accepted", "shape", ["TP_RECOVERED"]], next.reason);
    assert.deepEqual(fleet.subjects("T-1").slice(1, 2), ["task-phase: T-1 intake → shape (accepted, pass 1)"]);
    assert.equal((await fleet.check("T-1")).code, 0);
  });

  const refuseLost = (fleet: Fleet): void => {
    const hook = `#!/bin/sh\ncase $1 in refs/task-phase/*) exit 1 ;; esac\n`;
    chmodSync(fleet.write("remote.git/hooks/update", hook), 0o755);
  };
  const keptIn = ({ findings }: Report): string => {
    const lost = findings.find(({ code }) => code === "TP_SUPERSEDED");
    return /so it is kept in (\S+)$/.exec(lost?.fix ?? "")?.[1] ?? "";
  };
  const keptSubject = (fleet: Fleet, report: Report): string =>
    fleet.git(relative(fleet.folder, keptIn(report)), "log", "-1", "--format=%s");

  test("the ref of lost work: its working tree is kept aside, and the next pass goes on", async (t) => {
    const fleet = makeFleet(t);
    refuseLost(fleet);
    const act = "echo theirs > theirs.txt && git add -A && git commit -qm theirs && git push -q";
    const env = { AGENT_FIRST: meanwhile(fleet, act) };
    const one = fleet.machine("one");
    const report = await one.pass("T-1", [], { env });
    assert.deepEqual([report.exit_code, codesOf(report)], [75, ["TP_SUPERSEDED"]], report.reason);
    const next = await one.pass("T-1", ["--takeover"]);
    assert.equal(next.verdict, "accepted", next.reason);
    assert.match(keptSubject(fleet, report), /^task-phase: T-1 intake → shape/);
  });

  test("the ref of lost work, twice for the same pass of an attempt: both working trees are kept", async (t) => {
    const fleet = makeFleet(t);
    refuseLost(fleet);
    const one = fleet.machine("one");
    const lose = async (): Promise<string> => {
      const act = `rm -rf '${fleet.path("other")}'; ${meanwhile(fleet, "git push -q origin :task-phase/T-1")}`;
      const report = await one.pass("T-1", ["--takeover", "--attempt", "host1"], { env: { AGENT_FIRST: act } });
      assert.deepEqual([report.exit_code, codesOf(report)], [75, ["TP_SUPERSEDED"]], report.reason);
      return keptIn(report);
    };
    const folders = [await lose(), await lose(), await lose()];
    assert.deepEqual(
      folders.map((each) => basename(each)),
      ["1-host1", "1-host1-2", "1-host1-3"],
    );
    for (const folder of folders)
      assert.match(fleet.git(relative(fleet.folder, folder), "log", "-1", "--format=%s"), /intake → shape/);
  });

  test("the verdict, and then the ref of lost work: the call that finds it lost keeps it", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    refusing(fleet, `[ -e '${fleet.path("calls")}' ]`);
    assert.deepEqual(codesOf(await one.pass("T-1")), ["TP_PUSH_REFUSED"]);
    chmodSync(fleet.path("remote.git/hooks/pre-receive"), 0o644);
    refuseLost(fleet);
    fleet.git(".", "clone", "-q", "-b", "task-phase/T-1", fleet.remote, "other");
    fleet.git("other", "commit", "-q", "--allow-empty", "-m", "theirs");
    fleet.git("other", "push", "-q");
    const report = await one.pass("T-1", ["--takeover"]);
    assert.deepEqual(
      [report.verdict, codesOf(report)],
      ["accepted", ["TP_SUPERSEDED", "TP_INTERRUPTED"]],
      report.reason,
    );
    assert.match(keptSubject(fleet, report), /^task-phase: T-1 intake → shape/);
    assert.equal(
      report.findings.find(({ code }) => code === "TP_INTERRUPTED")?.message,
      "pass 1 was interrupted; STATE.md is the branch's, and the pass's work is not on the branch: it may be under refs/task-phase/lost/T-1/ in the remote, or on the machine that did the pass",
    );
  });
});

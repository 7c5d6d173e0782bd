import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import type { Report } from "../cli/task-world.ts";
import { codesOf, type Fleet, type Machine, makeFleet } from "../fleet/fleet-world.ts";

async function assertRewound(machine: Machine, events: number): Promise<Report> {
  const report = await machine.pass("T-1");
  assert.deepEqual([report.exit_code, codesOf(report)], [65, ["TP_JOURNAL_REWOUND"]], report.reason);
  assert.match(report.findings[0]?.message ?? "", new RegExp(`^the journal had ${events} events at commit `));
  return report;
}

/** Types what the finding says. */
function restore(fleet: Fleet, { findings }: Report): void {
  const [, command = "exit 1"] = /^(.+) puts it back; /.exec(findings[0]?.fix ?? "") ?? [];
  execFileSync("sh", ["-c", command], { cwd: fleet.folder, stdio: "pipe" });
}

const back = (fleet: Fleet, steps: number) =>
  fleet.inRemote("update-ref", "refs/heads/task-phase/T-1", `task-phase/T-1~${steps}`);

const remove = (fleet: Fleet) => fleet.inRemote("update-ref", "-d", "refs/heads/task-phase/T-1");

describe("a branch whose commits were taken away", { concurrency: 2 }, () => {
  test("is refused at each call of the machine that pushed them, until it is told to go on from what is there", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    for (let pass = 0; pass < 2; pass += 1) await one.pass("T-1");
    back(fleet, 2);
    for (let call = 0; call < 2; call += 1) await assertRewound(one, 6);
    assert.equal(fleet.calls().length, 2);
    const meant = await one.pass("T-1", ["--takeover"]);
    assert.deepEqual([meant.verdict, meant.pass], ["accepted", 2], meant.reason);
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.pass], ["accepted", 3], next.reason);
  });

  test("is refused at each call if it was deleted, and the command that is printed restores what was pushed", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    await one.pass("T-1");
    const tip = fleet.inRemote("rev-parse", "task-phase/T-1");
    remove(fleet);
    const reports = [await assertRewound(one, 4), await assertRewound(one, 4)];
    for (const report of reports) restore(fleet, report);
    assert.equal(fleet.inRemote("rev-parse", "task-phase/T-1"), tip);
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.pass], ["accepted", 2], next.reason);
  });

  test("is refused by a machine that only saw them, whatever it did for other tasks since", async (t) => {
    const fleet = makeFleet(t, { tasks: ["T-1", "T-2"] });
    const [one, two] = [fleet.machine("one"), fleet.machine("two")];
    for (const machine of [one, two]) await machine.pass("T-1");
    remove(fleet);
    for (const machine of [one, two]) assert.equal((await machine.pass("T-2")).verdict, "accepted");
    // What one saw is older than what two pushed on top of it.
    await assertRewound(one, 4);
    await assertRewound(two, 6);
  });

  test("is not restored over commits that nobody has looked at yet", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    for (let pass = 0; pass < 2; pass += 1) await one.pass("T-1");
    const tip = fleet.inRemote("rev-parse", "task-phase/T-1");
    back(fleet, 2);
    fleet.git(".", "clone", "-q", "-b", "task-phase/T-1", fleet.remote, "person");
    const push = (words: string) => {
      fleet.git("person", "commit", "-q", "--allow-empty", "-m", words);
      fleet.git("person", "push", "-q");
    };
    push("first");
    const stale = await assertRewound(one, 6);
    push("second");
    assert.throws(() => restore(fleet, stale), /stale info/);
    restore(fleet, await assertRewound(one, 6));
    assert.equal(fleet.inRemote("rev-parse", "task-phase/T-1"), tip);
  });

  test("is not refused if it was merged before it was deleted", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    await one.pass("T-1");
    fleet.inRemote("update-ref", "refs/heads/main", "task-phase/T-1");
    remove(fleet);
    const next = await one.pass("T-1");
    assert.deepEqual([next.verdict, next.pass], ["accepted", 2], next.reason);
  });
});

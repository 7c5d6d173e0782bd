import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { clonesOf, codesOf, type Fleet, type Machine, makeFleet } from "./fleet-world.ts";

/**
 * In the place of git: counts the runner's calls, of which some run at the same time, and at call KILL_AT kills the runner, `before` git runs or
 * `after` it has ended.
 */
const killingGit = (real: string, counter: string) => `#!/bin/sh
n=1
until mkdir "${counter}.$n" 2> /dev/null; do n=$((n + 1)); done
if [ "$n" = "$KILL_AT" ] && [ "$KILL_WHEN" = before ]; then kill -9 "$PPID"; exit 1; fi
"${real}" "$@"
status=$?
if [ "$n" = "$KILL_AT" ] && [ "$KILL_WHEN" = after ]; then kill -9 "$PPID"; fi
exit $status
`;

export type When = "before" | "after";

/**
 * Kills a claimed pass at one of its calls of git, and lets either the same machine or another one go on until the task
 * has moved twice. False: the pass has fewer calls.
 */
export async function killAt(
  t: TestContext,
  call: number,
  when: When,
  next: "same" | "other",
  make: (t: TestContext) => Fleet | Promise<Fleet> = makeFleet,
): Promise<boolean> {
  const fleet = await make(t);
  const earlier = fleet.inRemote("for-each-ref", "refs/heads/task-phase/T-1") === "" ? 0 : verdictsOf(fleet).length;
  const one = fleet.machine("one");
  const real = fleet.git(".", "--exec-path").trim();
  const git = fleet.write("bin/git", killingGit(path.join(real, "git"), fleet.path("counter")));
  chmodSync(git, 0o755);
  const env = { PATH: `${path.dirname(git)}:${process.env.PATH}`, KILL_AT: String(call), KILL_WHEN: when };
  const killed = await one.claim("T-1", ["--attempt", "first"], { env });
  if (killed.signal !== "SIGKILL") {
    assert.equal(killed.code, 0, killed.stderr);
    // A call that the runner ends itself has no end to be killed after.
    return fleet.exists(`counter.${call}`);
  }
  const other = next === "same" ? one : fleet.machine("two");
  const reports = [await other.pass("T-1", next === "same" ? [] : ["--takeover"])];
  // Whoever was killed comes back later, and must not take what the other one has.
  if (next === "other") reports.push(await one.pass("T-1"));
  for (const report of reports) assert([0, 75].includes(report.exit_code), `${report.exit_code}: ${report.reason}`);
  await assertWhole(fleet, one, earlier + reports.filter(({ verdict }) => verdict === "accepted").length);
  for (const code of reports.flatMap(codesOf))
    assert.match(code, /^TP_(RECOVERED|SUPERSEDED|INTERRUPTED|CLAIMED|CODE_BRANCH)$/);
  return true;
}

const verdictsOf = (fleet: Fleet) => fleet.events("T-1").filter(({ type }) => type === "verdict");

/** Each pass has one verdict, each verdict one commit behind its claim, and nothing of the kill is left. */
async function assertWhole(fleet: Fleet, machine: Machine, accepted: number): Promise<void> {
  const events = fleet.events("T-1");
  const started = events.filter(({ type }) => type === "pass_started").map(({ pass }) => pass);
  const verdicts = verdictsOf(fleet);
  assert.deepEqual(
    verdicts.map(({ pass }) => pass),
    started,
    "each pass that began has one verdict",
  );
  const counted = verdicts.filter(({ verdict }) => verdict === "accepted").length;
  // The verdict of the killed run counts too, where it was durable before the kill.
  assert([accepted, accepted + 1].includes(counted), `${counted} accepted, ${accepted} told`);
  const reviews = fleet.calls().filter((name) => name.endsWith("security")).length;
  const claims = events.filter(({ type }) => type === "claimed").length;
  assert(fleet.calls().length - reviews <= started.length, "no model is called without a claim");
  assert(reviews <= claims, "no reviewer is called without a claim");
  const checked = await fleet.check("T-1");
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  assert.deepEqual(clonesOf(fleet, machine), []);
  assert.equal(fleet.inRemote("rev-parse", "main"), fleet.git("first", "rev-parse", "HEAD"));
}

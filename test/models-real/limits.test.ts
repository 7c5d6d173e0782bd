import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CliName } from "../../lib/documents/config/adapter-names.ts";
import { scenarios } from "../scripted-server/scenarios.ts";
import { type InstalledCli, readInstalled } from "./installed.ts";
import { type RealOutcome, runReal } from "./real-world.ts";

const unavailable = (end: string): RealOutcome => ({
  exit: 24,
  verdict: "unavailable",
  end,
  progress: [],
  survivors: [],
  left: [],
});

interface NamedReset {
  readonly scenario: "rate_limit" | "plan_limit";
  readonly seconds: number;
  readonly cause: "rate_limit" | "quota";
  /** How far the named time may be off: one CLI names minutes only. */
  readonly offByS: number;
}

/** The limit whose end the CLI names. claude and codex name only that of a subscription. */
const namedReset: Readonly<Record<CliName, NamedReset>> = {
  pi: { scenario: "rate_limit", seconds: 3_600, cause: "rate_limit", offByS: 2 },
  claude: { scenario: "plan_limit", seconds: 3_600, cause: "quota", offByS: 2 },
  codex: { scenario: "plan_limit", seconds: 3_600, cause: "rate_limit", offByS: 61 },
  gemini: { scenario: "rate_limit", seconds: 3_600, cause: "rate_limit", offByS: 2 },
  opencode: { scenario: "rate_limit", seconds: 3_600, cause: "rate_limit", offByS: 2 },
  copilot: { scenario: "rate_limit", seconds: 3_600, cause: "rate_limit", offByS: 2 },
  qwen: { scenario: "rate_limit", seconds: 3_600, cause: "rate_limit", offByS: 2 },
};

function testLimits(cli: InstalledCli, named: NamedReset): void {
  test("429 with the time of its end: unavailable until then, and nobody is asked before", async (t) => {
    const { scenario, seconds, cause, offByS } = named;
    const login = scenario === "plan_limit" && cli.name === "claude" ? "subscription" : "key";
    const started = Date.now();
    const pass = await runReal(t, cli, { name: "429, end named", scenario: scenarios[scenario](seconds), login });
    assert.deepEqual(pass.outcome, unavailable(`limited: ${cause}`));
    assert.ok(pass.end.kind === "limited" && pass.end.until !== null, "no time was read");
    const until = Date.parse(pass.end.until);
    const [first, last] = [started, Date.now()].map((time) => time + seconds * 1_000);
    assert.ok(until >= Number(first) - offByS * 1_000 && until <= Number(last) + offByS * 1_000, pass.end.until);
    if (until < Date.now() + 2_000) return;
    const asked = pass.server.seen.length;
    const again = (await pass.run([])).json();
    assert.deepEqual(
      { exit: again.exit_code, pass: again.pass, next: Date.parse(String(again.next_eligible_at)) },
      { exit: 24, pass: null, next: Math.ceil(until / 1_000) * 1_000 },
    );
    assert.equal(pass.server.seen.length, asked);
  });

  test("429 without a time: unavailable, and it cools down", async (t) => {
    const pass = await runReal(t, cli, { name: "429, no end named", scenario: scenarios.rate_limit(null) });
    assert.deepEqual(pass.outcome, unavailable("limited: rate_limit"));
    assert.ok(pass.end.kind === "limited" && pass.end.until === null);
    assert.ok(Date.parse(String(pass.report.next_eligible_at)) > Date.now());
  });

  test("an empty account: unavailable", async (t) => {
    const pass = await runReal(t, cli, { name: "empty account", scenario: scenarios.quota() });
    assert.deepEqual(pass.outcome, unavailable("limited: quota"));
  });

  test("overloaded: unavailable", async (t) => {
    const pass = await runReal(t, cli, { name: "529 or 503", scenario: scenarios.overloaded() });
    assert.deepEqual(pass.outcome, unavailable("limited: overloaded"));
  });
}

/** As of a provider that wants a pause; for these two the limit above is that of a subscription. */
function testLongWait(cli: InstalledCli): void {
  test("told to come back in an hour: unavailable at once, until then if it names the time", async (t) => {
    const started = Date.now();
    const pass = await runReal(t, cli, { name: "long wait", scenario: scenarios.rate_limit(3_600) });
    assert.deepEqual(pass.outcome, unavailable("limited: rate_limit"));
    const until = Date.parse(String(pass.end.kind === "limited" ? pass.end.until : null));
    if (cli.name === "claude") assert.ok(Number.isNaN(until));
    else assert.ok(until >= started + 3_600_000 && until <= Date.now() + 3_600_000, String(until));
    assert.ok(Date.parse(String(pass.report.next_eligible_at)) > Date.now());
  });
}

for (const cli of readInstalled()) {
  describe(`${cli.name} ${cli.version}`, () => {
    testLimits(cli, namedReset[cli.name]);
    if (namedReset[cli.name].scenario === "plan_limit") testLongWait(cli);

    test("a prompt that the model does not take: no limit, and no progress", async (t) => {
      const pass = await runReal(t, cli, { name: "prompt too long for the model", scenario: scenarios.context() });
      const judged = { exit: 23, verdict: "no_progress", end: "exited, with a result" };
      assert.deepEqual(pass.outcome, { ...unavailable(""), ...judged });
      assert.match(String(pass.record.note), /too long|exceeds|context|ran out of room/i);
    });

    test("401: a failed login, and no cooldown that would hide it", async (t) => {
      const pass = await runReal(t, cli, { name: "401", scenario: scenarios.auth() });
      assert.deepEqual(pass.outcome, unavailable("auth_failed"));
      assert.throws(() => pass.task.read("../.task-phase/cooldowns.json"), { code: "ENOENT" });
    });
  });
}

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { until } from "../cli/until.ts";
import { codesOf, type Fleet, makeFleet, validator } from "../fleet/fleet-world.ts";
import { type Receiver, receive } from "../notify/arrange.ts";

const paths = ({ received }: Receiver): string[] => received.map(({ method, path }) => `${method} ${path}`);

describe("the monitor of a claimed pass", { concurrency: 2 }, () => {
  async function monitored(t: TestContext, config = ""): Promise<{ there: Receiver; fleet: Fleet }> {
    const there = await receive(t, 200);
    const notify = `notify: { ping: "${there.origin}/ping/key" }\n`;
    return { there, fleet: makeFleet(t, { config: `${notify}${config}` }) };
  }

  test("hears that a call went as it should, and that one could not be begun", async (t) => {
    const { there, fleet } = await monitored(t);
    const one = fleet.machine("one");
    assert.equal((await one.pass("T-1")).verdict, "accepted");
    assert.deepEqual(paths(there), ["GET /ping/key"]);
    const report = await one.pass("T-9");
    assert.equal(report.exit_code, 64, report.reason);
    assert.deepEqual(paths(there), ["GET /ping/key", "GET /ping/key/fail"]);
  });

  test("hears that a working tree could not be made ready", async (t) => {
    const { there, fleet } = await monitored(t, 'fleet: { prepare: [[sh, -c, "exit 3"]] }\n');
    assert.equal((await fleet.machine("one").pass("T-1")).exit_code, 78);
    assert.deepEqual(paths(there), ["GET /ping/key/fail"]);
  });

  test("hears nothing of a call that comes second, nor of a remote that nobody trusts", async (t) => {
    const { there, fleet } = await monitored(t);
    const hang = { AGENT_FIRST: "kill -9 $PPID" };
    await fleet.machine("one").claim("T-1", [], { env: hang });
    const second = await fleet.machine("two").pass("T-1");
    assert.deepEqual([second.exit_code, codesOf(second)], [75, ["TP_CLAIMED"]]);
    const untrusted = await fleet.machine("three").pass("T-1", [], { env: { TASK_PHASE_TRUST: "" } });
    assert.equal(untrusted.exit_code, 78);
    assert.deepEqual(paths(there), []);
  });
});

describe("a holder that froze while another machine took its pass over", { concurrency: 2 }, () => {
  const later = () => new Date(Date.now() + 24 * 3_600_000);
  // However long it is frozen, it learns by its push alone that it was overtaken.
  const patient = { poll: "control: { poll: 1h }\n", timeout: "1h" };

  for (const [name, takes] of [
    ["by --takeover", (fleet: Fleet) => fleet.machine("two").pass("T-1", ["--takeover"])],
    ["once the claim had run out", (fleet: Fleet) => fleet.machine("two").pass("T-1", [], { now: later })],
  ] as const) {
    test(`calls no webhook when it wakes, ${name}: that belongs to a verdict which was pushed`, async (t) => {
      const there = await receive(t, 200);
      const config = `notify: { webhook: "${there.origin}" }\n${patient.poll}`;
      const fleet = makeFleet(t, { config, timeout: patient.timeout });
      const one = fleet.machine("one");
      for (let pass = 0; pass < 4; pass += 1) assert.equal((await one.pass("T-1")).verdict, "accepted");
      const awake = fleet.path("awake");
      const env = { AGENT_FIRST: `touch ${fleet.path("works")}; while [ ! -e ${awake} ]; do sleep 0.05; done` };
      let pid = 0;
      const onStart = (child: { readonly pid?: number | undefined }) => {
        pid = child.pid ?? 0;
      };
      const frozen = one.pass("T-1", ["--attempt", "old"], { env, onStart });
      await until(() => existsSync(fleet.path("works")));
      process.kill(pid, "SIGSTOP");
      const taken = await takes(fleet);
      assert.deepEqual([taken.verdict, taken.to, taken.pass], ["accepted", "done", 6], taken.reason);
      const tip = fleet.inRemote("rev-parse", "task-phase/T-1");
      fleet.write("awake", "");
      process.kill(pid, "SIGCONT");
      const woken = await frozen;
      assert.deepEqual([woken.verdict, woken.exit_code, codesOf(woken)], [null, 75, ["TP_SUPERSEDED"]], woken.reason);
      assert.equal(fleet.inRemote("rev-parse", "task-phase/T-1"), tip);
      // What it would have told: the task is done there as well, by a pass that counts for nothing.
      assert.match(fleet.inRemote("show", "refs/task-phase/lost/T-1/5-old:tasks/T-1/STATE.md"), /^- Phase: done$/m);
      const told = there.received.map(({ body }) => JSON.parse(body) as { event: string; pass: number });
      assert.deepEqual(
        told.map(({ event, pass }) => [event, pass]),
        [["task.done", 6]],
      );
    });
  }
});

test("a task that is refused again and again in new working trees is told of once, until the refusal is another one", async (t) => {
  const there = await receive(t, 200);
  const brief = [validator, "protected: [local.env]"];
  const files = { ".gitignore": "local.env\n" };
  const prepare = 'fleet: { prepare: [[sh, -c, "test -z $SUPPLY || echo secret > local.env"]] }\n';
  const fleet = makeFleet(t, { config: `notify: { webhook: "${there.origin}" }\n${prepare}`, brief, files });
  const [one, two] = [fleet.machine("one"), fleet.machine("two")];
  for (const [supplied, calls, told] of [
    [1, 2, 1],
    [2, 2, 2],
  ] as const) {
    assert.equal((await one.pass("T-1", [], { env: { SUPPLY: "1" } })).pass, supplied);
    for (let call = 0; call < calls; call += 1) {
      const report = await two.pass("T-1");
      assert.deepEqual([report.exit_code, codesOf(report)], [78, ["TP_PROTECTED_MISSING"]], report.reason);
    }
    assert.equal(there.received.length, told);
  }
});

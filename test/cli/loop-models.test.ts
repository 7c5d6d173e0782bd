import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LoopJson } from "./loop-world.ts";
import { after, type ModelsWorld, makeModelsWorld, noon, said, works } from "./models-world.ts";

interface Night {
  readonly report: LoopJson;
  /** Each sleep, in seconds after noon: when it began and how long it was. */
  readonly sleeps: readonly (readonly [number, number])[];
  /** stderr. */
  readonly told: string;
}

/** A loop whose clock only sleeping moves. */
async function loop(world: ModelsWorld, ...args: readonly string[]): Promise<Night> {
  let at = noon.getTime();
  const sleeps: [number, number][] = [];
  const end = await world.call("task-phase-loop", ["--json", "--tasks-root", world.path("tasks"), ...args], {
    env: { PATH: world.env.PATH ?? "" },
    now: () => new Date(at),
    sleep: async (ms) => {
      sleeps.push([(at - noon.getTime()) / 1000, ms / 1000]);
      at += ms;
    },
  });
  return { report: end.json() as unknown as LoopJson, sleeps, told: end.stderr };
}

const models = (night: Night) => night.report.passes.map(({ model, verdict }) => `${model} ${verdict}`);

/** Limited at the first call, and at work from then on. */
function limitedOnce(world: ModelsWorld, program: "claude" | "codex", says: string): void {
  const mark = world.path(`limited-${program}`);
  world.write(`limit-${program}`, says);
  const does = `if [ ! -e '${mark}' ]; then touch '${mark}'; cat '${world.path(`limit-${program}`)}'; exit 0; fi\n${works}`;
  world.act(program, { says: said[program].done, does });
}

test("a model that crashes is set aside for the call, and the next one is asked", async (t) => {
  const world = await makeModelsWorld(t);
  world.act("claude", { says: "", does: "echo 'Error: no field x' >&2\n", exit: 3 });
  world.act("codex", { says: said.codex.done, does: works });
  const night = await loop(world, "--max-passes", "2");
  assert.deepEqual(models(night), ["claude unavailable", "codex accepted", "codex accepted"]);
  const crash = "the model ended with exit code 3 and changed nothing: Error: no field x";
  assert.match(world.read("tasks/T-1/log.txt"), new RegExp(`unavailable: ${crash}`));
  const alone = await loop(world, "--models", "claude");
  assert.deepEqual([alone.report.exit_code, models(alone)], [24, ["claude unavailable"]]);
  assert.ok(
    alone.report.reason.includes(`claude is set aside for the rest of this call: ${crash}`),
    alone.report.reason,
  );
});

describe("a limited model in a loop", () => {
  test("is passed over, and comes back by itself", async (t) => {
    const world = await makeModelsWorld(t);
    limitedOnce(world, "claude", said.claude.planLimit(after(90)));
    limitedOnce(world, "codex", said.codex.limit);
    const night = await loop(world, "--max-passes", "3");
    assert.deepEqual(models(night), [
      "claude unavailable",
      "codex unavailable",
      "claude accepted",
      "claude accepted",
      "claude accepted",
    ]);
    // Until the first is back, in slices of at most a minute.
    assert.deepEqual(night.sleeps, [
      [0, 60],
      [60, 30],
    ]);
    assert.equal(night.report.exit_code, 3);
  });

  test("is not waited for beyond --max-seconds: 24, and when it would be back", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    limitedOnce(world, "claude", said.claude.planLimit(after(7200)));
    const night = await loop(world, "--max-seconds", "3600");
    assert.deepEqual(
      [night.report.exit_code, night.report.next_eligible_at, night.sleeps],
      [24, after(7200).toISOString(), []],
    );
    const tick = await loop(world, "--max-seconds", "3600");
    assert.deepEqual([tick.report.exit_code, tick.report.iteration, world.calls("claude")], [24, 0, 1]);
    assert.equal(tick.report.next_eligible_at, after(7200).toISOString());
  });

  test("is waited for at most as long as --max-wait says, and the log says until when", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    limitedOnce(world, "claude", said.claude.planLimit(after(7200)));
    const short = await loop(world, "--max-wait", "1h");
    assert.deepEqual(
      [short.report.exit_code, short.sleeps, short.report.next_eligible_at],
      [24, [], after(7200).toISOString()],
    );
    assert.match(short.report.reason, /is longer than --max-wait 1h$/);
    const night = await loop(world, "--max-passes", "1");
    assert.deepEqual([night.report.exit_code, night.sleeps.length], [3, 120]);
    assert.equal(night.told.split(`waiting until ${after(7200).toISOString()}: `).length, 2, night.told);
  });

  test("is asked again as soon as a person takes its cooldown away", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    limitedOnce(world, "claude", said.claude.planLimit(after(7200)));
    let at = noon.getTime();
    let slices = 0;
    const end = await world.call(
      "task-phase-loop",
      ["--json", "--tasks-root", world.path("tasks"), "--max-passes", "1"],
      {
        env: { PATH: world.env.PATH ?? "" },
        now: () => new Date(at),
        sleep: async (ms) => {
          at += ms;
          slices += 1;
          if (slices === 3) world.write("tasks/.task-phase/cooldowns.json", "{}\n");
        },
      },
    );
    const report = end.json() as unknown as LoopJson;
    assert.deepEqual([report.passes.map(({ verdict }) => verdict), slices], [["unavailable", "accepted"], 3]);
  });
});

test("a model that cannot log in is asked once, and the others do the work", async (t) => {
  const world = await makeModelsWorld(t);
  world.act("claude", { says: said.claude.unauthorised });
  const night = await loop(world, "--max-passes", "3");
  assert.deepEqual(models(night), ["claude unavailable", "codex accepted", "codex accepted", "codex accepted"]);
  assert.equal(world.calls("claude"), 1);
});

test("where none can log in, it stops with 24 and does not wait", async (t) => {
  const world = await makeModelsWorld(t, { models: ["claude"] });
  world.act("claude", { says: said.claude.unauthorised });
  const night = await loop(world);
  assert.deepEqual([night.report.exit_code, models(night), night.sleeps], [24, ["claude unavailable"], []]);
});

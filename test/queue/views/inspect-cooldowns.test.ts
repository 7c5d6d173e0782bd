import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCooldowns } from "../../../lib/agents/select/cooldowns.ts";
import { loadConfig } from "../../../lib/documents/config/load-config.ts";
import { inspectCooldowns } from "../../../lib/queue/views/inspect-cooldowns.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { makeWorld } from "../../cli/arrange.ts";
import { portsOf } from "../../cli/task-world.ts";

const noon = new Date("2026-11-21T12:00:00.000Z");
const seconds = noon.getTime() / 1_000;
const models = (...names: string[]) =>
  `models: [${names.map((name) => `{ name: ${name}, adapter: command, command: [${name === "gone" ? "no-such-program" : "cat"}] }`).join(", ")}]\n`;

/** The cooldowns that a reader sees, by model and seconds from noon on. */
function look(
  t: Parameters<typeof makeWorld>[0],
  yaml: string,
  cooling: Readonly<Record<string, number>>,
  runtimeRoot?: string,
  inClones: Readonly<Record<string, number>> = {},
) {
  const world = makeWorld(t);
  world.write("tasks/task-phase.yaml", yaml);
  const note = (folder: string, all: typeof cooling) => {
    const notes = Object.entries(all).map(([model, after]) => ({
      ...{ model, until: seconds + after, observedAt: seconds, reason: "429" },
    }));
    world.write(`${folder}/.task-phase/cooldowns.json`, formatCooldowns(notes));
  };
  note(runtimeRoot ?? "tasks", cooling);
  note("clones", inClones);
  const place = placeOf(world.path("tasks/T-1"));
  const ports = portsOf(world, () => noon);
  const config = loadConfig({ ...ports, configFlag: null, taskDir: place.taskDir });
  return inspectCooldowns(
    place,
    config,
    runtimeRoot === undefined
      ? { ...ports, clonesRoot: world.path("clones") }
      : { ...ports, runtimeRoot: world.path(runtimeRoot) },
  );
}

const later = (after: number) => new Date(noon.getTime() + after * 1_000).toISOString();

test("a model that cools down is shown, and as long as another can be called nothing waits", (t) => {
  const seen = look(t, models("a", "b"), { b: 60 });
  assert.deepEqual(
    seen.cooldowns.map(({ model, until }) => [model, until]),
    [["b", later(60)]],
  );
  assert.deepEqual([seen.nextEligibleAt, seen.unavailable], [null, null]);
});

test("if all models cool down, the first that comes back says when, and a model that is missing does not", (t) => {
  const all = look(t, models("b", "a"), { b: 60, a: 90 });
  assert.deepEqual(
    all.cooldowns.map(({ model }) => model),
    ["a", "b"],
  );
  assert.deepEqual([all.nextEligibleAt, all.unavailable], [later(60), null]);
  assert.equal(look(t, models("gone", "a"), { a: 90 }).nextEligibleAt, later(90));
});

test("the limits that passes in clones met are shown with the others, and of two the later end", (t) => {
  const { cooldowns, nextEligibleAt } = look(t, models("a", "b"), { a: 60, b: 90 }, undefined, { a: 300, b: 30 });
  const ends = cooldowns.map(({ model, until }) => [model, until]);
  assert.deepEqual(ends, [
    ["a", later(300)],
    ["b", later(90)],
  ]);
  assert.equal(nextEligibleAt, later(90));
});

test("if waiting helps no model, the reason names each", (t) => {
  const { nextEligibleAt, unavailable } = look(t, models("gone"), {});
  assert.equal(nextEligibleAt, null);
  assert.match(unavailable ?? "", /^no model can be called: gone.*no-such-program/);
  assert.equal(look(t, "models: []\n", {}).unavailable, "no model is configured");
});

test("notes that are kept in another place are read there", (t) => {
  assert.equal(look(t, models("a"), { a: 60 }, "elsewhere").nextEligibleAt, later(60));
});

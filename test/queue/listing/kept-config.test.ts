import assert from "node:assert/strict";
import { chmodSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { type TestContext, test } from "node:test";
import { loadConfig } from "../../../lib/documents/config/load-config.ts";
import { type KeptConfig, readConfig } from "../../../lib/queue/listing/kept-config.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { makeWorld } from "../../cli/arrange.ts";

/** A task-phase.yaml that changed long ago, as the clock says. */
function place(t: TestContext) {
  const world = makeWorld(t);
  const clock = t.mock.timers;
  clock.enable({ apis: ["Date"], now: Date.now() + 60_000 });
  const pattern = "[{ name: mine, adapter: command, command: [cat], rate_limit_patterns: [Slow down] }]";
  const write = (priority: number, name = "tasks/task-phase.yaml") =>
    world.write(name, `models: ${pattern}\ndefaults: { priority: ${priority} }\n`);
  const request = (env = {}) => ({
    ...{ env: { ...world.env, ...env }, home: world.path("home"), cwd: world.folder },
    ...{ configFlag: null, taskDir: world.path("tasks/any") },
  });
  const file = write(7);
  /** The priority that is read with this configuration kept, and whether the kept one was taken. */
  const read = (before: KeptConfig | null, env = {}) => {
    const { config, kept } = readConfig(request(env), before);
    return [config.defaults.priority, before !== null && kept === before];
  };
  const { kept } = readConfig(request(), null);
  return { world, clock, write, request, file, read, kept: kept ?? assert.fail("nothing is kept") };
}

test("a configuration whose file is as it was is taken from the index, with its patterns", (t) => {
  const { request, read, kept } = place(t);
  assert.deepEqual(read(kept), [7, true]);
  assert.deepEqual(kept.config.models[0]?.patterns.length, 1);
  assert.deepEqual(readConfig(request(), kept).config, loadConfig(request()));
});

test("a file that changed, or that changed a moment ago, is read", (t) => {
  const { world, clock, write, file, request, read, kept } = place(t);
  write(8);
  assert.deepEqual(read(kept), [8, false]);
  clock.setTime(Date.now() - 60_000);
  assert.equal(readConfig(request(), null).kept, null);
  write(9, "other.yaml");
  renameSync(world.path("other.yaml"), file);
  assert.deepEqual(read(kept), [9, false]);
});

test("a file in another place is read, and without a file nothing is kept", (t) => {
  const { world, write, file, request, read, kept } = place(t);
  const env = { TASK_PHASE_CONFIG: write(9, "other.yaml") };
  assert.deepEqual(read(kept, env), [9, false]);
  assert.deepEqual(read(kept), [7, true]);
  symlinkSync("other.yaml", world.path("link.yaml"));
  const linked = readConfig(request({ TASK_PHASE_CONFIG: world.path("link.yaml") }), null).kept;
  write(10, "other.yaml");
  assert.deepEqual(read(linked, { TASK_PHASE_CONFIG: world.path("link.yaml") }), [10, false]);
  rmSync(file);
  assert.deepEqual(readConfig(request(), kept).kept, null);
  assert.deepEqual(read(kept), [undefined, false]);
});

test("a file whose folder another user may write, or that became a link, is refused although it was kept", (t) => {
  const { world, file, read, kept } = place(t);
  const refused = (code: string) =>
    assert.throws(
      () => read(kept),
      (error) => error instanceof TaskPhaseError && error.findings[0]?.code === code,
    );
  chmodSync(dirname(file), 0o777);
  refused("TP_OWNER");
  chmodSync(dirname(file), 0o755);
  renameSync(file, world.path("real.yaml"));
  symlinkSync("../real.yaml", file);
  refused("TP_CONFIG_FILE");
});

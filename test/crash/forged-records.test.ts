import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { readHistory } from "../../lib/rules/add-event.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { formatEvent } from "../../lib/store/journal.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { assertSound, type CrashWorld, makeCrashWorld } from "./crash-world.ts";
import { cutOffAtWork } from "./cut-off-at-work.ts";

/** As a verdict would wait that accepts the pass which was cut off and ends the task. */
function forgeVerdict(world: CrashWorld, changes: Readonly<Record<string, unknown>>): void {
  const journal = readFileSync(world.path("tasks/T-1/artifacts/journal.jsonl"));
  const lines = journal.toString().trimEnd().split("\n");
  const events = world.journal() as unknown as TaskEvent[];
  const { unfinishedPass: pass, state } = readHistory(events);
  const real = events.findLast(({ type }) => type === "verdict");
  assert(real !== undefined && pass !== null && state !== null);
  const done = state.replace(/^- Phase: \w+$/m, "- Phase: done");
  const event = { ...real, pass, from: "implement", proposed: "done", to: "done", state: done, ...changes };
  const { line } = formatEvent(sha256(lines.at(-1) ?? ""), lines.length + 1, event as TaskEvent);
  const at = { size: journal.length, sha256: sha256(journal) };
  const { mark } = JSON.parse(readFileSync(path.join(world.anchor(), "current.json"), "utf8")) as {
    mark: { id: string };
  };
  const commit = { version: 1, journal: at, line, state: event.state, files: [], ends_pass: true, ends: mark.id };
  writeFileSync(path.join(world.anchor(), `checkpoint-${mark.id}`), "");
  writeFileSync(path.join(world.anchor(), "commit.json"), JSON.stringify(commit));
}

test("a verdict that an agent wrote into the state folder before it killed the runner is not carried out", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("implement");
  const before = await cutOffAtWork(world);
  const last = world.journal().findLast(({ type }) => type === "verdict");
  const record = world.read(`tasks/T-1/artifacts/passes/${String(last?.pass).padStart(4, "0")}/pass.json`);
  const forgeries: Readonly<Record<string, () => void>> = {
    "from implement to done": () => forgeVerdict(world, {}),
    "to the next phase, without its record": () => {
      const state = before.state.replace(/^- Phase: \w+$/m, "- Phase: verify");
      forgeVerdict(world, { proposed: "verify", to: "verify", state });
    },
    "to the next phase, by the record of an earlier pass": () => {
      const state = before.state.replace(/^- Phase: \w+$/m, "- Phase: verify");
      forgeVerdict(world, { proposed: "verify", to: "verify", state, record_sha256: sha256(record) });
      const pass = readdirSync(world.path("tasks/T-1/artifacts/passes")).filter((name) => /^\d+$/.test(name)).length;
      world.write(`tasks/T-1/artifacts/passes/${String(pass).padStart(4, "0")}/pass.json`, record);
    },
  };
  for (const [what, forge] of Object.entries(forgeries)) {
    await t.test(what, async () => {
      world.reset();
      forge();
      const end = await world.inside("run", ["--model", "nobody"]);
      assert.equal(end.code, 64, end.output);
      await assertSound(world, before, ["interrupted"]);
      assert(existsSync(path.join(world.anchor(), "refused.json")));
    });
  }
  world.reset();
  forgeVerdict(world, {});
  const { code, output } = await world.inside("run", ["--model", "honest"]);
  assert.equal(code, 0, output);
  assert.match(output, /not accepted, since no runner wrote it: .*TP_COMMIT_REFUSED/);
  assert.match(world.state(), /^- Phase: verify$/m);
});

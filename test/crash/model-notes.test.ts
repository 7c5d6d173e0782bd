import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { programWords } from "../cli/arrange.ts";
import { type ModelsWorld, makeModelsWorld, said, works } from "../cli/models-world.ts";

const preload = pathToFileURL(path.join(import.meta.dirname, "kill-before.js")).href;
const momentsPerPass = 5;

test("a run that is killed while it notes a limit loses nothing of it, and is not taken for an intruder", async (t) => {
  const world = await makeModelsWorld(t, { models: ["claude"] });
  const kept = `${world.folder}.kept`;
  t.after(() => rmSync(kept, { recursive: true, force: true }));
  await world.pass({ now: new Date() });
  const begun = world.runtime("changelog/claude.md");
  const limit = said.claude.planLimit(new Date((Math.floor(Date.now() / 1_000) + 3_600) * 1_000));
  world.act("claude", { says: limit });
  cpSync(world.folder, kept, { recursive: true, preserveTimestamps: true });
  const restore = () => {
    rmSync(world.folder, { recursive: true });
    cpSync(kept, world.folder, { recursive: true, preserveTimestamps: true });
  };
  // Listed on a copy, as each moment is played: there no file has the figures that a cache knows.
  restore();
  const list = world.path("calls", "list.txt");
  assert.equal(await start(world, `at=0&list=${encodeURIComponent(list)}`), null);
  const calls = readFileSync(list, "utf8").trimEnd().split("\n");
  const accepted = journalled({ read: (name) => readFileSync(path.join(kept, name), "utf8") }).length;
  let played = 0;
  for (const at of momentsOf(calls)) {
    restore();
    assert.equal(await start(world, `at=${at}&half`), "SIGKILL");
    // A run may make some calls more than the one that was listed, such as those for a second folder for git, so that
    // the first moment comes before its verdict waits.
    if (journalled(world).length === accepted && !isWaiting(world)) continue;
    played += 1;
    world.act("claude", { says: said.claude.done, does: works });
    const moment = `killed before ${at}: ${calls[at - 1]}`;
    const recovering = await world.pass({ now: new Date() });
    assert.deepEqual(
      [recovering.exit_code, recovering.verdict],
      [24, null],
      `${moment}\n${recovering.reason}\n${JSON.stringify(recovering.findings)}`,
    );
    assert.deepEqual(Object.keys(world.cooldowns()), ["claude"], moment);
    for (const finding of recovering.findings) assert.doesNotMatch(finding.message, /restored/, moment);
    const log = world.runtime("changelog/claude.md");
    assert(log.startsWith(begun), moment);
    const verdicts = [...log.matchAll(/^- Verdict: (\w+)$/gm)].map(([, verdict]) => verdict);
    assert.deepEqual(verdicts, journalled(world), moment);
    assert.deepEqual(listLeft(world), [], moment);
    const next = await world.pass({ now: new Date(Date.now() + 4_000_000) });
    assert.deepEqual([next.verdict, next.findings], ["accepted", []], moment);
  }
  assert(played >= momentsPerPass - 1, `${played} moments`);
});

function isWaiting(world: ModelsWorld): boolean {
  return (readdirSync(world.folder, { recursive: true }) as string[]).some((name) =>
    /(?:^|\/)commit\.json$/.test(name),
  );
}

/** From where its verdict, with the note, is accepted until its end, evenly spread; the first and the last one among them. */
function momentsOf(calls: readonly string[]): number[] {
  const first = calls.findLastIndex((call) => /^openSync .*\/journal\.jsonl/.test(call)) + 2;
  assert(first > 1, "the pass accepted its verdict");
  const span = calls.length - first;
  assert(span > 20, `only ${span} calls follow`);
  return Array.from(
    { length: momentsPerPass },
    (_, index) => first + Math.round((index * span) / (momentsPerPass - 1)),
  );
}

/** The signal that ended it. */
function start(world: ModelsWorld, query: string): Promise<NodeJS.Signals | null> {
  const words = [
    "--import",
    `${preload}?${query}`,
    ...programWords("task-phase-run"),
    "--task-dir",
    world.path("tasks/T-1"),
    "--json",
  ];
  const { env } = world;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { cwd: world.folder, env, stdio: "ignore" });
    world.watch(child);
    child.once("error", reject);
    child.once("close", (_code, signal) => resolve(signal));
  });
}

function journalled(world: Pick<ModelsWorld, "read">): (string | undefined)[] {
  // What a kill left of a line is none.
  const lines = world.read("tasks/T-1/artifacts/journal.jsonl").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line)).flatMap(({ type, verdict }) => (type === "verdict" ? [verdict] : []));
}

/** Notes that wait, and files that were half-written but in `seen` and `repos`, which the daily sweep clears. */
function listLeft(world: ModelsWorld): string[] {
  const names = readdirSync(world.folder, { recursive: true }) as string[];
  return names.filter(
    (name) =>
      /model-notes\.json$|(^|\/)\.tp-/.test(name) && !/\/(?:seen|repos)\//.test(name) && existsSync(world.path(name)),
  );
}

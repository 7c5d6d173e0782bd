import assert from "node:assert/strict";
import { lstatSync } from "node:fs";
import { test } from "node:test";
import { assertUntouched, type CheatWorld, makeCheatWorld, protectedFile } from "./cheat-world.ts";

interface Tampering {
  readonly title: string;
  readonly agent: string;
  /** Honest passes come first, until this phase. */
  readonly phase: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the reason must name. */
  readonly named: RegExp;
  /** Files that hold the same bytes afterwards, relative to the world. */
  readonly kept?: readonly string[];
}

const brief = "tasks/T-1/README.md";
const journal = "tasks/T-1/artifacts/journal.jsonl";

const tamperings: readonly Tampering[] = [
  {
    title: "edits the validators of the brief",
    agent: "edits-brief",
    phase: "intake",
    named: /README\.md/,
    kept: [brief],
  },
  {
    title: "switches the promise off in task-phase.yaml",
    agent: "edits-config",
    phase: "intake",
    named: /task-phase\.yaml/,
    kept: ["tasks/task-phase.yaml"],
  },
  { title: "deletes STATE.md", agent: "deletes-state", phase: "intake", named: /STATE\.md/ },
  { title: "puts a link in place of STATE.md", agent: "links-state", phase: "intake", named: /STATE\.md/ },
  { title: "puts a link in place of artifacts/", agent: "links-artifacts", phase: "shape", named: /artifacts/ },
  { title: "forges a verdict in the journal", agent: "forges-journal", phase: "intake", named: /journal\.jsonl/ },
  { title: "cuts the journal back", agent: "truncates-journal", phase: "shape", named: /journal\.jsonl/ },
  {
    title: "rewrites the record of an earlier pass",
    agent: "rewrites-earlier-pass",
    phase: "shape",
    named: /passes\/0001\/pass\.json/,
    kept: ["tasks/T-1/artifacts/passes/0001/pass.json"],
  },
  {
    title: "rewrites the runner's evidence",
    agent: "rewrites-evidence",
    phase: "shape",
    named: /EVIDENCE\.md|evidence\.html/,
  },
  {
    title: "empties a protected file of the repo",
    agent: "empties-protected",
    phase: "intake",
    env: { AGENT_PROTECTED: protectedFile },
    named: /test\/acceptance\/answer\.test\.mjs/,
    kept: [`repo/${protectedFile}`],
  },
  {
    title: "leaves a test that rewrites the brief while it runs",
    agent: "plants-a-test",
    phase: "verify",
    env: { AGENT_TARGET: "brief" },
    named: /README\.md/,
    kept: [brief],
  },
  {
    title: "leaves a test that rewrites the journal while it runs",
    agent: "plants-a-test",
    phase: "verify",
    env: { AGENT_TARGET: "journal" },
    named: /journal\.jsonl/,
  },
];

for (const { title, agent, phase, env = {}, named, kept = [] } of tamperings) {
  test(`tampering is rejected and put back: ${title}`, async (t) => {
    const world = await makeCheatWorld(t);
    await world.until(phase);
    const before = { state: world.state(), files: readAll(world, kept), journal: journalOf(world) };
    const report = await world.pass(agent, { env });
    assert.deepEqual([report.exit_code, report.verdict, report.to], [20, "rejected", phase], report.reason);
    assert.match(report.reason, named);
    assert.deepEqual(readAll(world, kept), before.files);
    assert(journalOf(world).startsWith(before.journal), "what the journal said before still stands");
    assert.doesNotMatch(world.read("tasks/T-1/EVIDENCE.md"), /^All checks passed/m);
    assert(lstatSync(world.path("tasks/T-1/STATE.md")).isFile());
    assert(lstatSync(world.path("tasks/T-1/artifacts")).isDirectory());
    await assertUntouched(world, before.state);
  });
}

test("a test that rewrites STATE.md while it runs moves the task nowhere of its own", async (t) => {
  const world = await makeCheatWorld(t);
  await world.until("verify");
  const report = await world.pass("plants-a-test", { env: { AGENT_TARGET: "state" } });
  assert.notEqual(report.to, "done");
  assert.doesNotMatch(world.state(), /rewritten by a test/);
  assert.doesNotMatch(world.state(), /^- Phase: done/m);
});

test("another task that is made to look done opens no dependency", async (t) => {
  const world = await makeCheatWorld(t);
  await world.addTask("T-0");
  await world.addTask("T-2", "T-0");
  assert.equal((await world.pass("honest", { task: "T-0" })).verdict, "accepted");
  const other = ["tasks/T-0/STATE.md", "tasks/T-0/artifacts/journal.jsonl"];
  const before = { state: world.state(), other: readAll(world, other), waiting: world.read("tasks/T-2/STATE.md") };
  const report = await world.pass("opens-dependency", { env: { AGENT_OTHER: "T-0" } });
  assert.deepEqual([report.exit_code, report.verdict], [20, "rejected"], report.reason);
  assert.match(report.reason, /T-0/);
  assert.deepEqual(readAll(world, other), before.other);
  await assertUntouched(world, before.state);
  const waiting = await world.pass("honest", { task: "T-2" });
  assert.equal(waiting.verdict, null);
  assert.equal(world.read("tasks/T-2/STATE.md"), before.waiting);
});

test("an emptied protected file becomes a ticket, and honest work goes on to done", async (t) => {
  const world = await makeCheatWorld(t);
  const report = await world.pass("empties-protected", { env: { AGENT_PROTECTED: protectedFile } });
  assert.deepEqual(
    report.tickets.map(({ source }) => source),
    ["protected"],
  );
  await world.until("done");
});

function readAll(world: CheatWorld, names: readonly string[]): string[] {
  return names.map((name) => world.read(name));
}

function journalOf(world: CheatWorld): string {
  return world.exists(journal) ? world.read(journal) : "";
}

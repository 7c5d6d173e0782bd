import assert from "node:assert/strict";
import { lstatSync } from "node:fs";
import { describe, test } from "node:test";
import {
  assertUntouched,
  assertWhole,
  type CheatWorld,
  ignoredFile,
  makeCheatWorld,
  protectedFile,
  type WorkingPhase,
} from "./cheat-world.ts";

interface Tampering {
  readonly title: string;
  readonly agent: string;
  /** Honest passes come first, until this phase. */
  readonly phase: WorkingPhase;
  readonly env?: Readonly<Record<string, string>>;
  /** What the reason must name. */
  readonly named: RegExp;
  /** Files that hold the same bytes afterwards, relative to the world. */
  readonly kept?: readonly string[];
  /** Files that a person wrote before the pass, relative to the world. */
  readonly given?: Readonly<Record<string, string>>;
}

const brief = "tasks/T-1/README.md";
const steps = "tasks/T-1/TASKS.md";
const decisions = "tasks/T-1/DECISIONS.md";
const journal = "tasks/T-1/artifacts/journal.jsonl";

const tamperings: readonly Tampering[] = [
  {
    title: "edits the validators of the brief",
    agent: "edits-brief",
    phase: "intake",
    named: /README\.md/,
    kept: [brief],
  },
  { title: "puts a link in place of artifacts/", agent: "links-artifacts", phase: "shape", named: /artifacts/ },
  { title: "forges a verdict in the journal", agent: "forges-journal", phase: "intake", named: /journal\.jsonl/ },
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
  ...(["removes", "rewords", "unticks"] as const).map((how) => ({
    title: `${how} a step that a person wrote`,
    agent: "edits-steps",
    phase: "intake" as const,
    env: { AGENT_HOW: how },
    named: /TASKS\.md.*(was removed|is open again|reworded|not there|unticked)/,
    given: { [steps]: "# Steps\n\n- [ ] Write the export\n- [x] Agree on the answer\n" },
    kept: [steps],
  })),
  {
    title: "changes a person's answer",
    agent: "answers-a-question",
    phase: "intake",
    named: /DECISIONS\.md.*the answer to Q1 was changed/,
    given: { [decisions]: "# Decisions\n\n## Q1: May it?\n\n- Question: May it?\n- Answer: no\n" },
    kept: [decisions],
  },
  ...(["fifo", "folder", "big"] as const).map((how) => ({
    title: `puts ${how === "big" ? "5 MB" : `a ${how}`} in place of STATE.md`,
    agent: "replaces-state",
    phase: "intake" as const,
    env: { AGENT_HOW: how },
    named: /STATE\.md/,
  })),
  {
    title: "empties a protected file that git ignores",
    agent: "empties-protected",
    phase: "intake",
    env: { AGENT_PROTECTED: ignoredFile },
    named: /local\/settings\.txt/,
    kept: [`repo/${ignoredFile}`],
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

// Two at a time, each in a world of its own.
describe("tampering", { concurrency: 2 }, () => {
  for (const { title, agent, phase, env = {}, named, kept = [], given = {} } of tamperings) {
    test(`tampering is rejected and restored: ${title}`, async (t) => {
      const world = await makeCheatWorld(t, phase);
      for (const [name, text] of Object.entries(given)) world.write(name, text);
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

  test("a new question that a pass answers itself stays open and is reported, and the pass goes on", async (t) => {
    const world = await makeCheatWorld(t, "intake");
    const report = await world.pass("answers-a-question");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [22, "accepted", "shape"], report.reason);
    const told = report.findings.find(({ code }) => code === "TP_PUT_BACK");
    const answer = 'the new question Q9 came with an answer: "yes"; the answer was removed, and the question stays';
    assert.equal(told?.message, `the pass added DECISIONS.md: ${answer}`);
    assert.match(world.read(decisions), /^# Decisions\n\n## Q9: [\s\S]*\n- Answer:\n$/);
    assert.match(world.read("tasks/T-1/artifacts/passes/0001/kept/DECISIONS.md"), /^- Answer: yes$/m);
    assert.equal((await world.pass("answers-a-question")).exit_code, 22, "the question waits for a person");
  });

  for (const name of ["log.txt", "progress.txt", "last_error.txt", "SUMMARY.md"]) {
    test(`a line that a pass adds to ${name} is taken out and reported, and the pass goes on`, async (t) => {
      const world = await makeCheatWorld(t, "shape");
      const report = await world.pass("appends-to-ledger", { env: { AGENT_TARGET: name } });
      assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "accepted", "implement"], report.reason);
      assert.deepEqual(
        report.findings.filter(({ code }) => code === "TP_PUT_BACK").map(({ file }) => file),
        [name],
      );
      const path = `tasks/T-1/${name}`;
      assert(!world.exists(path) || !world.read(path).includes("all checks passed"), "the line is gone");
      assert.match(world.read(`tasks/T-1/artifacts/passes/0002/kept/${name}`), /all checks passed/);
      await assertWhole(world);
    });
  }

  test("a ledger that a pass removes is put back, and nothing is said to be kept of it", async (t) => {
    const world = await makeCheatWorld(t, "shape");
    const before = world.read("tasks/T-1/log.txt");
    const report = await world.pass("removes-a-ledger");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "accepted", "implement"], report.reason);
    assert.deepEqual(
      report.findings.filter(({ code }) => code === "TP_PUT_BACK").map(({ file, fix }) => [file, fix]),
      [["log.txt", null]],
    );
    assert(world.read("tasks/T-1/log.txt").startsWith(before), "every line is there again");
    assert(!world.exists("tasks/T-1/artifacts/passes/0002/kept/log.txt"));
    await assertWhole(world);
  });

  test("a test that rewrites STATE.md while the runner runs it changes no verdict, and what it wrote is kept", async (t) => {
    for (const phase of ["verify", "implement"]) {
      const world = await makeCheatWorld(t, phase === "verify" ? "verify" : "shape");
      const env = { AGENT_TARGET: "state" };
      if (phase === "implement") assert.equal((await world.pass("plants-a-test", { env })).to, "implement");
      // Before the work it runs before the model, which then works as ever.
      const report = await world.pass(phase === "verify" ? "plants-a-test" : "honest", { env });
      // A test that names the tasks of this machine judges nothing in a copy, so a person is asked.
      const end = phase === "verify" ? [22, "rejected", "needs_user_decision"] : [0, "accepted", "verify"];
      assert.deepEqual([report.exit_code, report.verdict, report.to], end, report.reason);
      const pass = String(report.pass).padStart(4, "0");
      const kept = `tasks/T-1/artifacts/passes/${pass}/kept/STATE.md`;
      assert.match(world.read(kept), /Phase: done[\s\S]*\nrewritten by a test\n/);
      assert.doesNotMatch(world.state(), /Phase: done|rewritten by a test/);
      assert.deepEqual(
        (report.findings as readonly { readonly code: string; readonly file: string }[])
          .filter(({ code }) => code === "TP_STATE_KEPT")
          .map(({ file }) => file),
        [world.path(kept)],
      );
    }
  });

  for (const [target, file] of Object.entries({ brief, journal })) {
    test(`a file that a test rewrites before the work is put back, and no model is called: ${file}`, async (t) => {
      const world = await makeCheatWorld(t, "shape");
      assert.equal((await world.pass("plants-a-test", { env: { AGENT_TARGET: target } })).to, "implement");
      const before = { state: world.state(), file: world.read(file) };
      const report = await world.pass("honest");
      assert.deepEqual([report.exit_code, report.verdict, report.to], [20, "rejected", "implement"], report.reason);
      assert.match(report.reason, new RegExp(`scenario that ran before the work changed .*${file.split("/").at(-1)}`));
      assert.equal(world.exists("repo/src/answer.mjs"), false);
      assert(world.read(file).startsWith(before.file), "what stood there stands again");
      assert.doesNotMatch(world.read(file), /\nrewritten by a test/);
      await assertUntouched(world, before.state);
    });
  }

  test("a file that was put back is judged against pass 1 the second time too, and a new one is taken away", async (t) => {
    const world = await makeCheatWorld(t);
    const before = { state: world.state(), file: world.read(`repo/${protectedFile}`) };
    for (const name of [protectedFile, protectedFile, "test/acceptance/easy.test.mjs"]) {
      const report = await world.pass("empties-protected", { env: { AGENT_PROTECTED: name, AGENT_TEXT: "// easy\n" } });
      assert.deepEqual([report.exit_code, report.verdict], [20, "rejected"], report.reason);
      assert(report.reason.includes(name), report.reason);
      assert.equal(world.read(`repo/${protectedFile}`), before.file);
      assert.equal(world.exists("repo/test/acceptance/easy.test.mjs"), false);
    }
    await assertUntouched(world, before.state);
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
    const waits = world.read("tasks/T-2/STATE.md");
    assert.match(waits, /^- Status: waits: for T-0$/m);
    const apart = (text: string) => text.replace(/^- (?:Status|Last updated):.*\n/gm, "");
    assert.equal(apart(waits), apart(before.waiting));
  });

  test("an emptied protected file becomes a ticket, and honest work goes on to done", async (t) => {
    const world = await makeCheatWorld(t);
    const report = await world.pass("empties-protected", { env: { AGENT_PROTECTED: protectedFile } });
    assert.deepEqual(
      report.tickets.map(({ source }) => source),
      ["protected"],
    );
    await world.until("done");
    assert.match(world.state(), /^- Phase: done$/m);
  });
});

function readAll(world: CheatWorld, names: readonly string[]): string[] {
  return names.map((name) => world.read(name));
}

function journalOf(world: CheatWorld): string {
  return world.exists(journal) ? world.read(journal) : "";
}

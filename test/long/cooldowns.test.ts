import assert from "node:assert/strict";
import { chmodSync, rmSync, statSync } from "node:fs";
import { describe, test } from "node:test";
import { sha256 } from "../../lib/text/sha256.ts";
import { briefFile } from "../cli/brief-file.ts";
import { after, type ModelsWorld, makeModelsWorld, noon, said, until, waitsFor, works } from "../cli/models-world.ts";
import { eventsAt, stateFile } from "../cli/task-states.ts";
import { journalFile } from "../cli/task-world.ts";

const seconds = (time: Date): number => time.getTime() / 1_000;
const cooldownsFile = "tasks/.task-phase/cooldowns.json";
const plan = said.claude.planLimit(after(3_600));

/** T-1 stands in implement, no check has run before the work, and this is its check. */
async function implement(world: ModelsWorld, check: string): Promise<void> {
  const validators = `validators: [{ name: tests, command: [sh, -c, ${JSON.stringify(check)}] }]`;
  const brief = briefFile(["id: T-1", "title: Add lines", "repo: ../../repos/T-1", validators], "Add lines");
  const state = stateFile({ phase: "implement" });
  const place = { state, contract: sha256(brief), repo: world.path("repos/T-1") };
  world.write("tasks/T-1/README.md", brief);
  world.write("tasks/T-1/STATE.md", state);
  world.write("tasks/T-1/artifacts/journal.jsonl", journalFile(await eventsAt("implement", place)));
}

test("a limited model rests twice as long when it is limited again at its next call, by another task too, until it works", async (t) => {
  const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
  world.act("codex", { says: said.codex.limit });
  let now = 0;
  const rests: unknown[] = [];
  for (const task of ["T-1", "T-2", "T-1"]) {
    const report = await world.pass({ task, now: after(now) }, "--model", "codex");
    const { cooldown_until: end = 0, ...entry } = world.cooldowns().codex ?? {};
    rests.push([end - seconds(after(now)), (entry as { repeats?: number }).repeats]);
    const said = report.findings.find(({ code }) => code === "TP_MODEL_LIMITED")?.message ?? "";
    assert.ok(said.startsWith(`codex is cooling down until ${new Date(end * 1_000).toISOString()}`), said);
    now = end - seconds(noon);
  }
  assert.deepEqual(rests, [
    [900, undefined],
    [1_800, 1],
    [3_600, 2],
  ]);
  world.act("codex", { says: said.codex.done, does: works });
  assert.equal((await world.pass({ now: after(now) }, "--model", "codex")).verdict, "accepted");
  assert.deepEqual(world.cooldowns(), {});
});

describe("where all models cool down", () => {
  test("a run ends with 24 and the earliest time, calls nobody and changes no file of the task", async (t) => {
    const world = await makeModelsWorld(t);
    world.act("claude", { says: plan });
    world.act("codex", { says: said.codex.limit });
    const first = await world.pass();
    const second = await world.pass();
    assert.deepEqual([first.next_eligible_at, second.next_eligible_at], [null, "2026-11-21T12:15:00.000Z"]);
    const before = [world.read("tasks/T-1/STATE.md"), world.read("tasks/T-1/artifacts/journal.jsonl")];
    const report = await world.pass({ now: after(100) });
    assert.deepEqual(
      [report.exit_code, report.verdict, report.pass, report.model, report.next_eligible_at],
      [24, null, null, null, "2026-11-21T12:15:00.000Z"],
    );
    assert.match(report.reason, /claude is cooling down until 2026-11-21T13:00:00\.000Z \(claude: You've hit/);
    assert.match(report.reason, /codex is cooling down until 2026-11-21T12:15:00\.000Z \(codex: exceeded/);
    assert.match(report.reason, /delete their entries in .*cooldowns\.json to end them now$/);
    assert.deepEqual([world.read("tasks/T-1/STATE.md"), world.read("tasks/T-1/artifacts/journal.jsonl")], before);
    assert.deepEqual([world.calls("claude"), world.calls("codex")], [1, 1]);
  });

  test("no check runs before the work", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    await implement(world, "touch checked");
    const entry = { cooldown_until: seconds(after(60)), observed_at: seconds(noon), reason: "429" };
    world.write(cooldownsFile, JSON.stringify({ claude: entry }));
    const report = await world.pass();
    assert.deepEqual([report.exit_code, report.next_eligible_at], [24, after(60).toISOString()]);
    assert.equal(world.exists("repos/T-1/checked"), false);
  });

  test("status shows who cools down, and when a pass can begin", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    const standing = async (...words: readonly string[]) => {
      const { cooldowns, next_eligible_at } = await world.status(...words);
      return { cooldowns, next_eligible_at };
    };
    const root = ["--tasks-root", world.path("tasks")];
    assert.deepEqual(await standing(), { cooldowns: [], next_eligible_at: null });
    world.act("claude", { says: plan });
    world.act("codex", { says: said.codex.limit });
    await world.pass();
    const claude = {
      model: "claude",
      until: "2026-11-21T13:00:00.000Z",
      reason: "claude: You've hit your 5-hour limit · resets 12:40am (UTC) (429)",
    };
    for (const words of [[], root]) {
      assert.deepEqual(await standing(...words), { cooldowns: [claude], next_eligible_at: null });
    }
    await world.pass();
    const codex = {
      model: "codex",
      until: "2026-11-21T12:15:00.000Z",
      reason: "codex: exceeded retry limit, last status: 429 Too Many Requests",
    };
    for (const words of [[], root]) {
      assert.deepEqual(await standing(...words), { cooldowns: [claude, codex], next_eligible_at: codex.until });
    }
    const end = await world.call("task-phase", ["status", ...root], { env: { PATH: world.env.PATH ?? "" }, now: noon });
    assert.match(end.stdout, /^cooling down: claude until 2026-11-21T13:00:00\.000Z, claude: You've hit/m);
    assert.match(end.stdout, /^next at 2026-11-21T12:15:00\.000Z: task-phase run T-1$/m);
    const task = await world.call("task-phase", ["status", "--task-dir", world.path("tasks/T-2")], {
      env: { PATH: world.env.PATH ?? "" },
      now: noon,
    });
    assert.match(task.stdout, /^cooling down: codex .*\nnext pass: not before 2026-11-21T12:15:00\.000Z/m);
    world.write(
      "tasks/T-2/README.md",
      world.read("tasks/T-2/README.md").replace("title:", "depends_on: [T-1]\ntitle:"),
    );
    const waiting = await standing("--task-dir", world.path("tasks/T-2"));
    assert.deepEqual(waiting, { cooldowns: [claude, codex], next_eligible_at: null });
  });
});

describe("a timeout in which the model gave no sign of work", () => {
  test("starts a cooldown that doubles, also while the CLI tries a refused call again, and stops no task", async (t) => {
    const world = await makeModelsWorld(t);
    const retries = [1, 2].map((attempt) => `echo '${said.claude.retry(attempt).trim()}'\n`).join("");
    world.act("claude", { says: "", does: `${retries}exec sleep 30\n` });
    let at = noon;
    for (const minutes of [15, 30, 60]) {
      const report = await world.pass({ now: at }, "--timeout", "1s", "--model", "claude");
      assert.deepEqual([report.verdict, report.exit_code], ["unavailable", 24]);
      assert.equal(report.reason, "the model gave no sign of work within 1 s");
      assert.equal(report.findings[0]?.code, "TP_MODEL_LIMITED");
      const until = world.cooldowns().claude?.cooldown_until ?? 0;
      assert.equal(until - seconds(at), minutes * 60);
      assert.equal(report.next_eligible_at, new Date(until * 1_000).toISOString());
      at = new Date(until * 1_000);
    }
    assert.match(world.read("tasks/T-1/artifacts/passes/0001/stdout.log"), /api_retry/);
    assert.match(world.read("tasks/T-1/STATE.md"), /- Blockers: none/);
  });
});

describe("two runners of one tasks root", () => {
  test("are not taken for intruders: cooldown, turn and changelog of one appear while the other's model works", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    const changelog = `'${world.path("tasks/.task-phase/changelog/claude.md")}'`;
    world.act("claude", { says: plan });
    world.act("codex", { says: said.codex.done, does: `${works}${waitsFor(`[ -e ${changelog} ]`)}` });
    const second = world.pass({ task: "T-2" }, "--model", "codex");
    await until(() => world.calls("codex") === 1);
    await world.pass({}, "--model", "claude");
    const report = await second;
    assert.deepEqual([report.verdict, report.findings], ["accepted", []], report.reason);
    assert.deepEqual(Object.keys(world.cooldowns()), ["claude"]);
    assert.match(world.runtime("state.json"), /"claude"/);
  });

  test("lose none of each other's cooldowns", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    const file = `'${world.path(cooldownsFile)}'`;
    // They run by the clock of the machine.
    const hour = said.claude.planLimit(new Date(Date.now() + 3_600_000));
    world.act("claude", { says: hour, does: waitsFor(`[ -e '${world.path("calls/codex")}' ]`) });
    world.act("codex", { says: said.codex.limit, does: waitsFor(`grep -q claude ${file}`) });
    const [one, two] = await Promise.all([
      world.pass({ apart: true }, "--model", "claude"),
      world.pass({ apart: true, task: "T-2" }, "--model", "codex"),
    ]);
    for (const report of [one, two]) {
      const codes = report.findings.map(({ code }) => code);
      assert.deepEqual([report.verdict, codes], ["unavailable", ["TP_MODEL_LIMITED"]], report.reason);
    }
    assert.deepEqual(Object.keys(world.cooldowns()), ["claude", "codex"]);
    for (const program of ["claude", "codex"]) assert.match(world.runtime(`changelog/${program}.md`), /^## T-/m);
  });

  test("put back the newest file where the model of one removes what the other wrote", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    const file = `'${world.path(cooldownsFile)}'`;
    world.act("claude", { says: plan });
    world.act("codex", {
      says: said.codex.done,
      does: `${works}${waitsFor(`grep -q claude ${file}`)}echo '{}' > ${file}\n`,
    });
    world.write(cooldownsFile, JSON.stringify({}));
    const second = world.pass({ task: "T-2" }, "--model", "codex");
    await until(() => world.calls("codex") === 1);
    assert.equal((await world.pass({}, "--model", "claude")).verdict, "unavailable");
    const report = await second;
    assert.equal(report.verdict, "rejected");
    assert.match(report.reason, /changed tasks\/\.task-phase\/cooldowns\.json, which it must not; it was restored/);
    assert.deepEqual(Object.keys(world.cooldowns()), ["claude"]);
  });

  test("take no notice of a half-written file that a killed one left and the other cleared away", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    const done = world.path("calls/done");
    world.act("codex", { says: said.codex.done, does: `${works}${waitsFor(`[ -e '${done}' ]`)}` });
    const first = world.pass({}, "--model", "codex");
    await until(() => world.calls("codex") === 1);
    const left = world.write("tasks/.task-phase/.tp-0123456789abcdef.tmp", "half");
    world.act("claude", { says: said.claude.done, does: `rm '${left}'\n${works}` });
    const second = await world.pass({ task: "T-2" }, "--model", "claude");
    world.write("calls/done", "");
    assert.deepEqual([(await first).verdict, second.verdict], ["accepted", "accepted"], second.reason);
  });

  test("do not take over what the other's model did", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    const entry = { cooldown_until: seconds(after(600)), observed_at: seconds(noon), reason: "429" };
    world.write(cooldownsFile, JSON.stringify({ claude: entry }));
    const done = world.path("calls/done");
    const file = `'${world.path(cooldownsFile)}'`;
    world.act("codex", { says: said.codex.done, does: `rm ${file}\n${waitsFor(`[ -e '${done}' ]`)}` });
    const first = world.pass({}, "--model", "codex");
    await until(() => world.calls("codex") === 1 && !world.exists(cooldownsFile));
    const second = await world.pass({ task: "T-2" }, "--model", "claude");
    world.write("calls/done", "");
    assert.equal(second.exit_code, 24);
    assert.equal((await first).verdict, "rejected");
    assert.deepEqual(world.cooldowns(), { claude: entry });
  });
});

describe("a model that touches the runner's notes is rejected, and they are put back", () => {
  const notes = ["cooldowns.json", "state.json", "changelog/claude.md", "changelog/codex.md"];
  const cheats: readonly (readonly [title: string, does: string, named: RegExp])[] = [
    ["empties cooldowns.json", "echo '{}' > cooldowns.json", /changed .*\.task-phase\/cooldowns\.json/],
    ["deletes cooldowns.json", "rm cooldowns.json", /removed .*\.task-phase\/cooldowns\.json/],
    ["takes away the rights of cooldowns.json", "chmod 0 cooldowns.json", /changed .*\.task-phase\/cooldowns\.json/],
    ["puts a link in place of cooldowns.json", "ln -sf /dev/null cooldowns.json", /replaced .*cooldowns\.json/],
    ["moves the turn", `echo '{"version":1,"last_model":"codex"}' > state.json`, /changed .*\.task-phase\/state\.json/],
    ["deletes state.json", "rm state.json", /removed .*\.task-phase\/state\.json/],
    ["adds to its changelog", "echo '- praise' >> changelog/claude.md", /changed .*changelog\/claude\.md/],
    ["cuts another's changelog", ": > changelog/codex.md", /changed .*changelog\/codex\.md/],
    ["removes the changelogs", "rm -r changelog", /removed .*\.task-phase\/changelog/],
    [
      "puts a link in place of the changelogs",
      "mv changelog ../moved; ln -s ../moved changelog",
      /replaced .*changelog/,
    ],
    ["adds a changelog", "echo x > changelog/new.md", /added .*changelog\/new\.md/],
    ["adds another file", "echo x > .tp-0123456789abcdef.txt", /added .*\.tp-0123456789abcdef\.txt/],
    ["removes all of it", "rm -r ../.task-phase", /removed .*\.task-phase/],
    ["puts a file in the place of the locks too", "rm -r locks state.json; : > locks", /removed .*state\.json/],
  ];

  for (const [title, does, named] of cheats) {
    test(title, async (t) => {
      const world = await makeModelsWorld(t);
      world.act("codex", { says: said.codex.limit });
      await world.pass({}, "--model", "codex");
      await world.pass({}, "--model", "claude");
      const before = notes.map(world.runtime);
      const mode = statSync(world.path(cooldownsFile)).mode;
      const folder = `cd '${world.path("tasks/.task-phase")}'\n`;
      world.act("claude", { says: said.claude.done, does: `(${folder}${does})\n${works}` });
      const report = await world.pass({}, "--model", "claude");
      assert.equal(report.verdict, "rejected", report.reason);
      assert.match(reasons(world), named);
      const locks = world.path("tasks/.task-phase/locks");
      if (statSync(locks, { throwIfNoEntry: false })?.isFile()) rmSync(locks);
      for (const [index, name] of notes.entries()) {
        const [now, was] = [world.runtime(name), before[index] ?? ""];
        if (name === "changelog/claude.md") assert(now.startsWith(was), name);
        else assert.equal(now, was, name);
      }
      assert.equal(statSync(world.path(cooldownsFile)).mode, mode);
      assert.equal(world.exists("tasks/.task-phase/changelog/new.md"), false);
      chmodSync(world.path(cooldownsFile), mode);
      world.act("claude", { says: said.claude.done, does: works });
      const next = await world.pass({}, "--model", "claude");
      assert.deepEqual([next.verdict, next.findings], ["accepted", []]);
      assert.equal(world.runtime("changelog/claude.md").match(/^## T-1/gm)?.length, 3);
    });
  }

  test("a check that removes them before the work is rejected too, and the notes that a person brought stand again", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    await world.pass({ task: "T-2" });
    await implement(world, `rm -f '${world.path(cooldownsFile)}'; true`);
    const brought = JSON.stringify({ codex: { cooldown_until: 2e9, observed_at: seconds(noon), reason: "429" } });
    world.write(cooldownsFile, brought);
    const report = await world.pass({}, "--model", "claude");
    assert.equal(report.verdict, "rejected");
    assert.match(report.reason, /a validator or scenario that ran before the work removed .*cooldowns\.json/);
    assert.deepEqual([world.read(cooldownsFile), world.calls("claude")], [brought, 1]);
    assert.match(
      world.runtime("changelog/claude.md"),
      /T-1, pass 1, .*\n\n- Model: claude\n- Run: –\n- Status: error\n- Verdict: rejected/,
    );
  });

  /** All reasons of the newest verdict. */
  function reasons(world: ModelsWorld): string {
    const events = world.read("tasks/T-1/artifacts/journal.jsonl").trimEnd().split("\n");
    return events.findLast((event) => event.includes('"type":"verdict"')) ?? "";
  }
});

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { describe, test } from "node:test";
import { tryLock } from "../../lib/store/lock.ts";
import { lockPath, runtimeFilesOf } from "../../lib/task/runtime-files.ts";
import { makeModelsWorld, noon, said, until, waitsFor, works } from "../cli/models-world.ts";

const file = "changelog/claude.md";

describe("a model's changelog", () => {
  test("has one entry a pass, with what the call came to and where the proof lies", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    world.act("claude", { says: said.claude.done, does: `${works}echo more >> "$TASK_PHASE_REPO/work.txt"\n` });
    await world.pass();
    const prompt = /^- Prompt: sha256 `[0-9a-f]{64}`$/m;
    assert.match(world.runtime(file), prompt);
    assert.equal(
      world.runtime(file).replace(prompt, "- Prompt: sha256"),
      [
        "# Passes of claude",
        "",
        "One entry a pass, the newest last. task-phase writes this file, and no pass may change it.",
        "",
        `## T-1, pass 1, ${noon.toISOString()}`,
        "",
        "- Model: claude",
        "- Run: –",
        "- Status: success",
        "- Verdict: accepted",
        "- Reason: progress in intake",
        "- Phase: intake → intake",
        "- Prompt: sha256",
        "- Branch: `main`",
        "- Dirty: yes",
        "- Changed files: 1",
        "  - `work.txt` changed",
        "- Validators: none ran",
        "- Logs: [artifacts/passes/0001/stdout.log](../../T-1/artifacts/passes/0001/stdout.log), [artifacts/passes/0001/stderr.log](../../T-1/artifacts/passes/0001/stderr.log)",
        "- Cost: 0.25 USD",
        "- Tokens: 2.4k in, 90 out",
        "",
      ].join("\n"),
    );
  });

  test("is only added to: by passes at a limit, without a login, rejected or out of time", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    const passes = [
      { says: said.claude.done, does: works },
      { says: said.claude.unauthorised },
      { says: said.claude.done, does: 'echo x >> "$TASK_PHASE_TASK_DIR/README.md"\n' },
      { says: "", does: `${works}exec sleep 30\n`, args: ["--timeout", "1s"] },
      { says: said.claude.limit },
    ];
    let before = "";
    for (const { args = [], ...act } of passes) {
      world.act("claude", act);
      await world.pass({}, ...args);
      const now = world.runtime(file);
      assert(now.startsWith(before));
      before = now;
    }
    const ends = [...before.matchAll(/^- Status: (\w+)\n- Verdict: (\w+)$/gm)].map(([, status, verdict]) => [
      status,
      verdict,
    ]);
    assert.deepEqual(ends, [
      ["success", "accepted"],
      ["error", "unavailable"],
      ["success", "rejected"],
      ["timeout", "unavailable"],
      ["rate_limited", "unavailable"],
    ]);
    assert.match(before, /^- Cools down until: 2026-11-21T12:15:00\.000Z$/m);
    assert.match(before, /^- Error: Invalid API key · Fix external API key/m);
  });

  test("has an entry of a pass that a signal stopped, and of one that the next run recovers", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    world.act("claude", { says: "", does: "exec sleep 30\n" });
    for (const [index, signal] of (["SIGTERM", "SIGKILL"] as const).entries()) {
      const ended = world.pass({
        apart: true,
        onStart: (child) => void until(() => world.calls("claude") > index).then(() => child.kill(signal)),
      });
      if (signal === "SIGTERM") assert.equal((await ended).verdict, "interrupted");
      else await assert.rejects(ended);
    }
    await world.pass({}, "--model", "claude", "--dry-run");
    assert.equal(world.runtime(file).match(/^## /gm)?.length, 1);
    world.act("claude", { says: said.claude.done, does: works });
    await world.pass();
    const entries = world.runtime(file).split("\n## ").slice(1);
    assert.deepEqual(
      entries.map((entry) => [entry.split(",")[1], ...(/Status: (\w+)\n- Verdict: (\w+)/.exec(entry) ?? []).slice(1)]),
      [
        [" pass 1", "interrupted", "interrupted"],
        [" pass 2", "interrupted", "interrupted"],
        [" pass 3", "success", "accepted"],
      ],
    );
    assert.match(entries[1] ?? "", /^- Prompt: sha256 `[0-9a-f]{64}`\n- Branch: `main`$/m);
  });

  test("waits where another runner holds the lock, and is written by the next run", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    await world.pass();
    world.act("claude", { says: said.claude.limit, does: waitsFor(`[ -e '${world.path("calls/go")}' ]`) });
    const second = world.pass();
    await until(() => world.calls("claude") === 2);
    const held = tryLock(lockPath(runtimeFilesOf(world.path("tasks"), world.env, world.path("home"))));
    world.write("calls/go", "");
    const report = await second;
    assert.deepEqual(
      [report.verdict, report.exit_code, ...report.findings.map(({ code, severity }) => `${code} ${severity}`)],
      ["unavailable", 24, "TP_MODEL_NOTE warning", "TP_MODEL_LIMITED info"],
    );
    const refused = await world.pass();
    assert.deepEqual([refused.exit_code, refused.findings[0]?.code], [75, "TP_LOCKED"]);
    held?.release();
    const third = await world.pass();
    assert.deepEqual([third.exit_code, third.next_eligible_at, third.findings], [24, "2026-11-21T12:15:00.000Z", []]);
    assert.equal(world.runtime(file).match(/^## /gm)?.length, 2);
  });

  test("that cannot be added to costs a warning, and no verdict", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    mkdirSync(world.path("tasks/.task-phase/changelog/claude.md"), { recursive: true });
    const report = await world.pass();
    assert.deepEqual(
      [report.verdict, ...report.findings.map(({ code, message }) => `${code}: ${message}`)],
      ["accepted", "TP_MODEL_NOTE: the changelog of claude cannot be appended to (folder)"],
    );
  });

  test("that a person took away begins anew", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    await world.pass();
    rmSync(world.path("tasks/.task-phase/changelog"), { recursive: true });
    const report = await world.pass();
    assert.deepEqual([report.verdict, report.findings], ["accepted", []]);
    assert.match(world.runtime(file), /^# Passes of claude\n\n.*\n\n## T-1, pass 2/);
  });

  test("holds no secret, and nothing in it breaks out of its line", async (t) => {
    const world = await makeModelsWorld(t, { models: ['"<b>bad*": claude'] });
    const token = `ghp_${"a1B2".repeat(9)}`;
    const result = JSON.stringify(`429 limit\n\n# Done\n<script>alert(1)</script> ${token}`);
    world.act("claude", { says: said.claude.limit.replace(/"result":"[^"]*"/, () => `"result":${result}`) });
    await world.pass();
    const [name] = readdirSync(world.path("tasks/.task-phase/changelog"));
    const text = world.runtime(`changelog/${name}`);
    assert.doesNotMatch(text, /ghp_|<script>|<b>/);
    assert.match(text, /^# Passes of &lt;b&gt;bad&#42;\n/);
    assert.deepEqual(text.match(/^#.*$/gm)?.length, 2);
    assert.doesNotMatch(world.read("tasks/.task-phase/cooldowns.json"), /ghp_/);
  });
});

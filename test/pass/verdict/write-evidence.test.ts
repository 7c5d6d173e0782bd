import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readIfGood, taskFiles } from "../../../lib/documents/read-task-file.ts";
import {
  modelEvidence,
  refreshPages,
  renderForReview,
  trimToProof,
  writeEvidence,
  writePages,
} from "../../../lib/pass/verdict/write-evidence.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { gatherSyncs } from "../../../lib/store/folder.ts";
import { accept } from "../../../lib/task/session.ts";
import { makeLoopWorld } from "../../cli/loop-world.ts";
import { at, decisionsFile, eventsAt, fieldOf, stateFile } from "../../cli/task-states.ts";
import { makeTaskWorld } from "../../cli/task-world.ts";
import { recordDisk } from "../../store/recorded-disk.ts";
import { holdTask } from "./arrange.ts";

const about = { id: "T-1", title: "Export the answer", userFacing: true };
const token = `ghp_${"a1B2".repeat(9)}`;
const features = [["Export", "real_working", "artifacts/report.md"]] as const;

describe("the content of the evidence", () => {
  test("is what the journal accepted last, and not what STATE.md says now", async (t) => {
    const { session, task } = await holdTask(t, "implement", { state: { phase: "implement", features } });
    task.write("STATE.md", stateFile({ phase: "implement", features: [["Forged", "real_working", "x"]] }));
    const model = modelEvidence(session, about, null);
    assert.deepEqual(model.task, { id: "T-1", title: "Export the answer" });
    assert.deepEqual([model.userFacing, model.phase], [true, "implement"]);
    assert.deepEqual(
      model.features.map(({ feature }) => feature),
      ["Export"],
    );
    assert.deepEqual(model.journal, { events: 2, head: session.journal.head, lastAt: at });
    assert.deepEqual(
      model.artifacts.map(({ path }) => path),
      ["artifacts/report.md"],
    );
  });

  test("is with one more event what it will be once the journal has that", async (t) => {
    const { session } = await holdTask(t, "implement");
    const state = stateFile({ phase: "verify", features });
    const event: TaskEvent = { type: "resumed", at, from: "implement", to: "verify", reason: `by ${token}`, state };
    const model = modelEvidence(session, about, { event, questions: [] });
    assert.deepEqual([model.phase, model.journal.events, model.features.length], ["verify", 3, 1]);
    assert.notEqual(model.journal.head, session.journal.head);
    assert.equal(session.journal.seq, 2);
    assert.ok(!JSON.stringify(model).includes(token));
    accept(session, { event, state });
    assert.deepEqual(modelEvidence(session, about, null), model);
  });

  test("takes the newest state of an event that has one", async (t) => {
    const { session } = await holdTask(t, "implement", {
      events: async (place) => [
        ...(await eventsAt("implement", place)),
        { type: "relinked", at, state: stateFile({ phase: "implement", features }) },
        { type: "pinned", at, protected: {} },
      ],
    });
    assert.equal(modelEvidence(session, about, null).features.length, 1);
  });

  test("says no secret of a name", async (t) => {
    const { session } = await holdTask(t, "implement", {
      files: { [`artifacts/${token}.md`]: "proof\n", "DECISIONS.md": decisionsFile("").replaceAll("encoding", token) },
    });
    const model = modelEvidence(session, { ...about, id: token, title: token }, null);
    assert.equal(model.asks, true);
    assert.ok(!JSON.stringify(model).includes(token));
  });

  test("is that a person answered only once the pass before is judged", async (t) => {
    const { session } = await holdTask(t, "needs_user_decision", { files: { "DECISIONS.md": decisionsFile("UTF-8") } });
    const event = session.journal.events.at(-1) ?? assert.fail();
    const questions = readIfGood(taskFiles.decisions, session.place.taskDir).questions;
    assert.equal(modelEvidence(session, about, null).standing.tone, "working");
    const again = { event: { ...event, pass: 2 } as TaskEvent, questions };
    assert.equal(modelEvidence(session, about, again).standing.tone, "asking");
  });
});

test("EVIDENCE.md keeps an agent's words around the runner's parts, and the page is written beside it", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  writeEvidence(session, modelEvidence(session, about, null), gatherSyncs());
  const first = task.read("EVIDENCE.md");
  assert.match(first, /^# Evidence: T-1\n/);
  task.write("EVIDENCE.md", `${first}\n## Mine\n\nI saw it with ${token}.\n`);
  writeEvidence(session, modelEvidence(session, about, null), gatherSyncs());
  assert.equal(task.read("EVIDENCE.md"), `${first}\n## Mine\n\nI saw it with [redacted:github].\n`);
  assert.match(task.read("artifacts/evidence.html"), /Export the answer/);
});

test("an EVIDENCE.md that is not text is refused and left as it is", async (t) => {
  const { session } = await holdTask(t, "implement");
  const bytes = Buffer.from([0xff, 0x0a]);
  writeFileSync(session.place.evidence, bytes);
  const model = modelEvidence(session, about, null);
  assert.throws(() => writeEvidence(session, model, gatherSyncs()), { message: /not valid UTF-8/ });
  assert.deepEqual(readFileSync(session.place.evidence), bytes);
});

test("the page is written to an artifacts/ that was removed", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const model = modelEvidence(session, about, null);
  rmSync(session.place.artifacts, { recursive: true });
  writeEvidence(session, model, gatherSyncs());
  assert.match(task.read("artifacts/evidence.html"), /Export the answer/);
});

const page = "artifacts/evidence.html";
const contract = { contract: about } as Parameters<typeof refreshPages>[1];

test("pages written outside a pass are durable, as is SUMMARY.md of a done task", async (t) => {
  const changed_paths = [{ path: "answer.js", change: "added" }] as const;
  const lines = ["diff --git a/answer.js b/answer.js", "new file mode 100644", "--- /dev/null", "+++ b/answer.js"];
  const { session, task } = await holdTask(t, "done", {
    files: { "artifacts/passes/0002/task.patch": [...lines, "@@ -0,0 +1 @@", "+42", ""].join("\n") },
    events: (place) => eventsAt("done", place, { changed_paths }),
  });
  const working = { ...session, history: { ...session.history, phase: "implement" } } as const;
  const written = (act: () => void) =>
    recordDisk(task.taskDir, act).filter((call) => /^fsync (\.|artifacts)$|SUMMARY\.md$/.test(call));
  const durable = ["fsync .", "fsync artifacts"];
  assert.deepEqual(
    written(() => refreshPages(session, contract)),
    [],
    "those of `done` are left alone",
  );
  assert.deepEqual(
    written(() => refreshPages(working, contract)),
    durable,
  );
  assert.deepEqual(
    written(() => writePages(session, about)),
    ["rename .tp-*.tmp SUMMARY.md", ...durable],
  );
  assert.match(task.read("SUMMARY.md"), /Export the answer[\s\S]*\n\+42\n/);
});

test("only a done task is trimmed to its proof, and its pages match what is left", async (t) => {
  const { session, task } = await holdTask(t, "done", {
    files: { "artifacts/passes/0001/prompt.md": "prompt\n", "artifacts/checkpoint.json": "{}" },
  });
  trimToProof({ ...session, history: { ...session.history, phase: "review" } }, about);
  const there = () => ["artifacts/passes/0001/prompt.md", "artifacts/checkpoint.json", page].map(task.exists);
  assert.deepEqual(there(), [true, true, false]);
  trimToProof(session, about);
  assert.deepEqual(there(), [false, false, true]);
  rmSync(session.place.page);
  trimToProof(session, about);
  assert.deepEqual(there(), [false, false, false], "there was nothing to do");
});

test("the text for a pull request links EVIDENCE.md and contains no secret", async (t) => {
  const { session } = await holdTask(t, "implement");
  const model = modelEvidence(session, about, null);
  const text = renderForReview(
    session,
    { ...model, task: { id: "T-1", title: token } },
    { path: "a/EVIDENCE.md", href: "", base: "" },
  );
  const [title, ...rest] = text.trimEnd().split("\n\n");
  assert.deepEqual(
    [title, rest.at(-1)],
    ["# T-1: `[redacted:github]`", "Every check with its log, and every pass with its verdict: `a/EVIDENCE.md`"],
  );
  const href = "https://evidence.example.org/T-1/artifacts/evidence.html";
  const served = renderForReview(session, model, { path: "a/EVIDENCE.md", href, base: "" });
  assert.ok(served.trimEnd().endsWith(`[evidence.html](${href})`));
});

test("pages that cannot be written are reported, and a bug is not blamed on the disk", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  task.write(`${page}/in the way`, "");
  refreshPages(session, contract);
  assert.deepEqual(
    session.findings.map(({ code, severity, message, file }) => [code, severity, message.split(": ")[0], file]),
    [
      [
        "TP_UNFINISHED",
        "warning",
        "EVIDENCE.md and the page show an earlier state, since they could not be written",
        task.taskDir,
      ],
    ],
  );
  const broken = { ...session, write: () => assert.fail("a defect") };
  assert.throws(() => refreshPages(broken, contract), /a defect/);
});

describe("the pages of a task show its standing after", () => {
  test("a resumed task is no longer done, and the first line of its report says so", async (t) => {
    const world = await makeLoopWorld(t, { A: {} });
    assert.equal((await world.loop()).exit_code, 0);
    const read = (name: string) => world.read(`tasks/A/${name}`);
    const report = read("SUMMARY.md");
    assert.match(read("EVIDENCE.md"), /\*\*Done\. /);
    for (const reason of ["more", "and more"]) {
      const words = ["resume", "--task-dir", world.path("tasks/A"), "--to", "intake", "--reason", reason];
      assert.equal((await world.call("task-phase", words)).code, reason === "more" ? 0 : 20);
      assert.match(read("EVIDENCE.md"), /\*\*In intake\*\*/);
      assert.doesNotMatch(read("EVIDENCE.md"), /\*\*Done\. /);
      assert.match(read(page), /In intake/);
      const [first, ...rest] = read("SUMMARY.md").split("\n\n");
      const present = "[EVIDENCE.md](EVIDENCE.md) shows the present state.";
      assert.match(first ?? "", /^> The task was reopened on \S+: this is the report of its last `done`\./);
      assert.deepEqual([first?.endsWith(present), rest.join("\n\n")], [true, report]);
    }
  });

  test("a person's edit to blocked, and Status is the standing", async (t) => {
    const world = makeTaskWorld(t);
    const task = await world.makeTask("one", {
      state: { phase: "implement" },
      events: (place) => eventsAt("implement", place),
    });
    assert.equal((await task.command("evidence")).code, 0);
    assert.match(task.read("EVIDENCE.md"), /\*\*In implement/);
    task.edit({ Phase: "blocked", Blockers: "no licence" });
    assert.equal((await task.pass()).exit_code, 21);
    assert.equal(fieldOf(task.state(), "Status"), "blocked: no licence");
    for (const file of ["EVIDENCE.md", page]) {
      assert.match(task.read(file), /Blocked/);
      assert.doesNotMatch(task.read(file), /In implement/);
    }
  });
});

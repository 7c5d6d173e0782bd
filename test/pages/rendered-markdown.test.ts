import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { checkText, evidenceLimits } from "../../lib/documents/check-text.ts";
import { setParts } from "../../lib/documents/evidence-file.ts";
import { phaseDiagram } from "../../lib/documents/templates/phase-diagram.ts";
import { renderEvidenceFile, renderState } from "../../lib/documents/templates/render-task-files.ts";
import { renderEvidenceParts, renderSummary } from "../../lib/pages/markdown/evidence-parts.ts";
import { buildEvidenceModel, type EvidenceInput } from "../../lib/pages/model/build-model.ts";
import { phaseNames } from "../../lib/rules/phases.ts";
import { stateFile } from "../cli/task-states.ts";
import { makeTaskWorld } from "../cli/task-world.ts";
import { hostileTexts } from "../documents/templates/hostile.ts";
import { code, commit, fullTask } from "./full-task.ts";
import { hostileTask } from "./hostile-task.ts";
import { brokenLinks, type RenderedPage, renderLikeAHost } from "./render-like-a-host.ts";
import { sampleTask, verdict } from "./sample-task.ts";

const evidenceFile = (input: EvidenceInput) =>
  setParts(renderEvidenceFile(input.task), renderEvidenceParts(buildEvidenceModel(input)));
const evidence = (input: EvidenceInput) => renderLikeAHost(evidenceFile(input));
const summary = (input: EvidenceInput) => renderLikeAHost(renderSummary(buildEvidenceModel(input)));
const tables = (page: RenderedPage) =>
  page.tables.map(({ head, rows, inside }) => `${inside ?? "-"}: ${head.join(" | ")}: ${rows.length}`);

/** The files that a task folder of the sample holds. */
const files = [
  ...["README.md", "STATE.md", "EVIDENCE.md", "SUMMARY.md"],
  ...["evidence.html", "journal.jsonl", "export-10k.txt", "memory use.csv"].map((name) => `artifacts/${name}`),
  ...[1, 2, 3, 4, 5, 6, 7].map((pass) => `artifacts/passes/000${pass}/pass.json`),
  ...["tests", "export-10k-rows"].map((name) => `artifacts/passes/0006/validators/${name}.log`),
  ...["security", "tests", "usability"].map((role) => `artifacts/passes/0007/reviews/${role}.md`),
];

function makeFolder(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(path.join(tmpdir(), "tp-rendered-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), "");
  }
  return folder;
}

test("a host shows the reviewer's sections, and every table with all its rows, the others in details", () => {
  const page = evidence(fullTask());
  assert.deepEqual(page.headings, [
    "Evidence: T-123, Stream the CSV export",
    "What changed",
    "Checks before and after",
    "What a person must look at",
    "What the runner did not accept",
  ]);
  const eachCheck = "Each check, as the runner ran it in pass 7, 2026-11-21 10:07:30 UTC";
  assert.deepEqual(tables(page), [
    "-: Check | Before the work | Now | Compared: 2",
    "0 of 1 gate holds, review → done: Gate | Holds | Why: 1",
    "4 changes of tests or of what the checks run, 3 of which could hide a failure: What | Change | Difference | Standing: 4",
    "Visible features: 2: Feature | Label | Proof: 2",
    "Reviews: 3: Reviewer | About | Result | Model: 3",
    "Reviews: 3: Reviewer | Severity | Finding: 2",
    "What was wanted, and what was done: Field | In STATE.md: 5",
    "6 passes: 3 accepted, 1 rejected, 2 redirected: Pass | Verdict | What happened | What it took: 6",
    "What happened between passes: 4: When | By | What | Phase | Detail: 4",
    "2 files of the agent, 48.9 KiB: File | Size | SHA-256: 2",
  ]);
  assert.ok(page.details.includes(eachCheck));
});

test("no row of a table lost a cell, and none has more than five", () => {
  for (const page of [evidence(fullTask()), evidence(sampleTask()), summary(fullTask())]) {
    for (const { head, rows } of page.tables) {
      assert.ok(head.length <= 5, head.join());
      assert.deepEqual(new Set(rows.map((row) => row.length)), new Set(rows.length === 0 ? [] : [head.length]));
    }
  }
});

test("the line below the headline says in a few words what there is", () => {
  assert.match(
    evidence(fullTask()).html,
    /<p>2 changed paths · 1 of 1 required checks pass · 6 passes: [^·]* · 6m33s · 1\.15 USD, and 2 calls not known · 125\.0k tokens<\/p>/,
  );
});

test("blocking findings stand in full, and others and those of an earlier state in details", () => {
  const text = `${"Anybody can export everything. ".repeat(60)}The end.`;
  const events = fullTask().events.map((event) =>
    event.type === "reviewed" && event.role === "security"
      ? { ...event, findings: [{ severity: "blocking", text } as const, ...event.findings] }
      : event,
  );
  const page = evidence(fullTask({ events }));
  const report = '<strong><a href="artifacts/passes/0007/reviews/security.md">security reviewer, blocking</a></strong>';
  assert.deepEqual(page.html.match(/<li><strong><a [^>]*>security .*<\/li>/g), [
    `<li>${report}: ${text}</li>`,
    `<li>${report}: Anybody can export the orders of another customer.</li>`,
  ]);
  assert.deepEqual(page.tables.find(({ head }) => head.includes("Severity"))?.rows, [
    ["security", "minor", "The header is not set."],
    ["usability", "blocking, of an earlier state", "The button has no name."],
  ]);
});

test("the only alert is the standing, a quote of its own whose first line is the mark", () => {
  const kinds = (input: EvidenceInput) =>
    evidence(input).alerts.map(({ kind, text }) => `${kind} ${text.split("\n")[0]}`);
  assert.deepEqual(kinds(fullTask()), ["NOTE In repair: pass 7 was sent to repair"]);
  assert.deepEqual(kinds(sampleTask()), [
    "WARNING Done. 3 checks pass; whether they notice this work was not shown: proof.clean is off",
  ]);
});

test("every link leads to a file of the folder, or to the commit on its host", (t) => {
  const folder = makeFolder(t);
  for (const input of [fullTask(), sampleTask()]) {
    for (const page of [evidence(input), summary(input)]) {
      assert.ok(page.links.length > 6);
      assert.deepEqual(brokenLinks(page, folder), []);
    }
  }
  const outside = evidence(fullTask()).links.filter(({ href }) => href.includes(":"));
  assert.deepEqual(outside, [{ text: "0f1e2d3c4b5a", href: `https://git.example/shop/app/commit/${commit}` }]);
});

test("no diagram is longer than hosts draw at once, and EVIDENCE.md repeats none of STATE.md", () => {
  for (const phase of phaseNames) assert.ok(`\`\`\`mermaid\n${phaseDiagram(phase)}\n\`\`\``.length < 2000);
  assert.deepEqual(evidence(fullTask()).diagrams, []);
});

test("a host shows only the links, rows and elements of the template, with any data", () => {
  const texts = hostileTexts.filter((text) => text.trim() !== "");
  const plain = texts.map((_, index) => `plain ${index}`);
  const rotate = (list: readonly string[], by: number) => [...list.slice(by), ...list.slice(0, by)];
  const frame = (page: RenderedPage) => ({
    tables: page.tables.map(({ rows, inside }) => ({ cells: rows.map((row) => row.length), inside: inside !== null })),
    headings: page.headings.length,
    details: page.details.length,
    alerts: page.alerts.map(({ kind }) => kind),
    diagrams: page.diagrams,
  });
  for (const render of [evidence, summary]) {
    const wanted = render(hostileTask(plain));
    for (const offset of [0, 19, 41]) {
      const page = render(hostileTask(rotate(texts, offset)));
      assert.deepEqual(frame(page), frame(wanted));
      // A path that leaves the folder is shown, and is no link.
      assert.ok(page.links.length <= wanted.links.length && page.links.length > wanted.links.length - 5);
      for (const { href } of page.links) assert.match(href, /^(?:https:\/\/git\.example\/)?[\w.%-]+(?:\/[\w.%-]+)*$/);
      // Some texts are shown as code, where a host would make a link of them.
      assert.deepEqual(
        page.shapes.filter((shape) => shape !== "code" && !wanted.shapes.includes(shape)),
        [],
      );
    }
  }
});

test("no branch and no address of a remote brings a link that is not one of a git host", () => {
  const status = (changes: Partial<typeof code>) => {
    const events = [verdict(1, { code: { ...code, ...changes } })];
    return renderLikeAHost(renderEvidenceParts(buildEvidenceModel(sampleTask({ events }))).record);
  };
  const wanted = status({ web: null }).links.length;
  for (const text of hostileTexts) {
    const { links, tables: shown } = status({ branch: text, web: text });
    const linked = text === "https://evil.example/x" ? [`${text}/commit/${commit}`] : [];
    const outside = links.map(({ href }) => href).filter((href) => /:|\/\//.test(href));
    assert.deepEqual([outside, links.length], [linked, wanted + linked.length], text);
    assert.equal(shown[0]?.rows.length, 5, text);
  }
});

test("with 10,000 artifacts, 500 watched changes and 300 passes the parts stay half of what may be read", () => {
  const task = fullTask();
  const [artifact, newest] = [task.artifacts[0] ?? assert.fail(), task.events.at(-1)];
  if (newest?.type !== "verdict") return assert.fail();
  const watched = Array.from({ length: 500 }, (_, index) => ({
    ...(newest.watched?.[0] ?? assert.fail()),
    name: `test/${"*_`[(|".repeat(20)}${index}.test.js`,
  }));
  const input = fullTask({
    events: [...Array.from({ length: 300 }, (_, index) => verdict(index + 1)), { ...newest, pass: 301, watched }],
    artifacts: Array.from({ length: 10_000 }, (_, index) => ({ ...artifact, path: `artifacts/${index}` })),
  });
  const text = Object.values(renderEvidenceParts(buildEvidenceModel(input))).join("\n\n");
  assert.equal(checkText(Buffer.from(`${text}\n\n${text}`), "EVIDENCE.md", evidenceLimits).kind, "text");
  const page = evidence(input);
  const rows = page.tables.find(({ head }) => head.includes("Standing"))?.rows.length ?? 0;
  assert.match(page.html, new RegExp(`and ${500 - rows} more`));
  assert.match(page.html, /500 changes of tests or checks that no person has accepted/);
  assert.match(page.html, /10000 files of the agent/);
  assert.match(page.html, /301 passes: 300 accepted, 1 redirected/);
});

test("STATE.md of init shows its diagram and the empty table of features", () => {
  const text = renderState({ id: "T-1", title: "Export", userFacing: true, now: "2026-11-21T10:00:00Z" });
  const page = renderLikeAHost(text);
  assert.deepEqual(page.headings, ["T-1: Export", "Phases", "Visible features", "Findings", "Notes"]);
  assert.deepEqual(tables(page), ["-: Feature | Label | Proof: 0"]);
  assert.deepEqual(page.diagrams, [`${phaseDiagram("intake")}\n`]);
  assert.deepEqual(page.links, []);
  assert.equal(page.html.match(/<li>/g)?.length, 17);
});

test("after a pass every link of STATE.md and EVIDENCE.md leads to a file that is there", async (t) => {
  const { makeTask } = makeTaskWorld(t);
  const feature = ["Export", "real_working", "artifacts/report.md"] as const;
  const task = await makeTask("rendered", {
    contract: ["user_facing: true", "validators: [{ name: tests, command: [test, -f, good.txt] }]"],
    state: { phase: "verify", features: [feature] },
  });
  task.propose({ task: { "STATE.md": stateFile({ phase: "review", features: [feature] }) } });
  const report = await task.pass();
  assert.equal(report.verdict, "accepted", JSON.stringify(report));
  const page = (name: string) => renderLikeAHost(task.read(name));
  const [state, proof] = [page("STATE.md"), page("EVIDENCE.md")] as const;
  assert.deepEqual([brokenLinks(state, task.taskDir), brokenLinks(proof, task.taskDir)], [[], []]);
  assert.deepEqual(
    state.links.map(({ href }) => href),
    ["EVIDENCE.md", "artifacts/report.md"],
  );
  assert.deepEqual([state.diagrams, proof.diagrams], [[`${phaseDiagram("review")}\n`], []]);
  assert.match(proof.html, /<li>tests: <code>test -f good.txt<\/code><\/li>/);
  assert.deepEqual(
    [...new Set(proof.links.filter(({ href }) => href.endsWith(".log")).map(({ href }) => href))].sort(),
    ["artifacts/passes/0001/proof/clean/tests.log", "artifacts/passes/0001/validators/tests.log"],
  );
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { renderEvidenceParts, renderSummary } from "../../../lib/pages/markdown/evidence-parts.ts";
import { buildEvidenceModel } from "../../../lib/pages/model/build-model.ts";
import { judgeHeadlines } from "../../../lib/pass/verdict/judge-headlines.ts";
import { readHistory } from "../../../lib/rules/add-event.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import type { Proof } from "../../../lib/rules/matrix.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import type { Moved } from "../../../lib/rules/standing-facts.ts";
import { events, sampleTask, verdict } from "../../pages/sample-task.ts";

const shown: Proof = {
  grade: "shown",
  passed: 2,
  failing: ["tests"],
  only_own: false,
  wrong: null,
  reason: null,
  looked: [],
};
const kept: Proof = { grade: "kept", passed: 2, failing: [], only_own: false, wrong: null, reason: null, looked: [] };
const unshown = (reason: string): Proof => ({
  grade: "unshown",
  passed: 1,
  failing: [],
  only_own: false,
  wrong: null,
  reason,
  looked: [],
});

const looked: Proof = { ...shown, looked: ["the *page*"] };

interface Told {
  /** Null: the file is gone. */
  readonly evidence?: (text: string) => string | null;
  readonly summary?: (text: string) => string | null;
  readonly phase?: Phase;
  readonly moved?: Moved | null;
  /** Once the task was done. */
  readonly after?: readonly TaskEvent[];
}

/** The pages as the runner writes them of a task with this proof, and what is found after somebody has changed them. */
function judge(t: TestContext, proof: Proof | null, told: Told = {}): string[] {
  const same = (text: string) => text;
  const { evidence = same, summary = same, phase = "done", moved = null, after = [] } = told;
  const proven = [
    ...events.map((event) => (event.type === "verdict" && event.to === "done" ? { ...event, proof } : event)),
    ...after,
  ];
  const model = buildEvidenceModel({ ...sampleTask({ events: proven }), moved });
  const folder = mkdtempSync(join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const place = { evidence: join(folder, "EVIDENCE.md"), summary: join(folder, "SUMMARY.md") };
  const texts = {
    [place.evidence]: evidence(Object.values(renderEvidenceParts(model)).join("\n\n")),
    [place.summary]: summary(renderSummary(model)),
  };
  for (const [file, text] of Object.entries(texts)) if (text !== null) writeFileSync(file, text);
  const { lastVerdict } = readHistory(proven);
  const found = judgeHeadlines({ place, history: { phase, lastVerdict }, journal: { events: proven } });
  return found.map(
    ({ file, line, message }) => `${file?.endsWith("SUMMARY.md") ? "SUMMARY" : "EVIDENCE"}:${line} ${message}`,
  );
}

const forge = (said: string) => (text: string) => text.replace(/\*\*Done.*\*\*/, `**${said}**`);
const bigger = "Done. 40 checks pass; without this work, 40 of them fail";

describe("the words of the pages for done", { concurrency: true }, () => {
  test("is right as the runner writes it, whatever the proof, cut or whole, and after the code has moved", (t) => {
    const long = unshown(`the copy needs <b>${"a very long path, ".repeat(80)}`);
    const times: (Moved | null)[] = [
      null,
      { kind: "paths", count: 1 },
      { kind: "unseen", reason: "the repo (of the brief) is not here" },
      { kind: "unknown", reason: "only the machine that did the work knows which paths" },
    ];
    for (const proof of [null, shown, kept, looked, unshown("switched off"), long])
      for (const moved of times) {
        assert.deepEqual(judge(t, proof, { moved }), []);
        const crlf = (text: string) => text.replaceAll("\n", "\r\n");
        assert.deepEqual(judge(t, proof, { moved, evidence: crlf, summary: crlf }), []);
      }
  });

  test("is wrong where it claims more than the proof shows", (t) => {
    const truth = "'Done. Nothing broke, but no check fails without this work'";
    const wrong = (said: string) => `it says '${said}', but by the journal it is ${truth}`;
    assert.deepEqual(judge(t, kept, { evidence: forge(bigger) }), [`EVIDENCE:2 ${wrong(bigger)}`]);
    assert.deepEqual(judge(t, kept, { summary: forge(bigger) }), [`SUMMARY:4 ${wrong(bigger)}`]);
    for (const said of [
      "Done",
      "done. All is proven",
      "Done, moved since: 1 path. 40 checks pass; without this work, 40 of them fail",
      "Done, and better than ever. Nothing broke, but no check fails without this work",
      "Done, moved since: 1 path. …",
    ])
      assert.deepEqual(judge(t, kept, { evidence: forge(said) }), [`EVIDENCE:2 ${wrong(said)}`]);
  });

  test("is found outside the runner's parts too, since a reader does not see where they end", (t) => {
    for (const headline of [`**${bigger}**`, `**${bigger}**\u00a0`, `**${bigger.replaceAll(" ", "\n>   ")}**\f`]) {
      const found = judge(t, shown, { evidence: (text) => `${text}\n\n> ${headline}\n` });
      assert.equal(found.length, 1);
      assert.match(found[0] ?? "", /^EVIDENCE:\d+ it says 'Done\. 40 checks pass/);
    }
  });

  test("is read once, however many lines of a page begin like it", (t) => {
    const many = "> **Done and more\n".repeat(100_000);
    assert.deepEqual(judge(t, shown, { evidence: (text) => `${text}\n\n${many}` }), []);
    const [found] = judge(t, shown, { evidence: (text) => `${text}\n\n${many}\n> **${bigger}**\n` });
    assert.match(found ?? "", /^EVIDENCE:1\d{5} it says 'Done\. 40 checks pass/);
  });

  test("is no line of a Done gate, also if a formatter wrapped that", (t) => {
    const gate = "> **Done gate: a b**\n\n> **Done\n> gate: a b**\n";
    assert.deepEqual(judge(t, shown, { evidence: (text) => `${text}\n\n${gate}` }), []);
  });

  test("has to be there once a task is done", (t) => {
    const gone = (text: string) => text.replace(/^> \*\*Done.*$/m, "");
    const missing =
      "null it does not say what the journal does: 'Done. 2 checks pass; without this work, 1 of them fails'";
    assert.deepEqual(judge(t, shown, { evidence: gone, summary: gone }), [`EVIDENCE:${missing}`, `SUMMARY:${missing}`]);
    assert.deepEqual(
      judge(t, shown, { evidence: () => null, summary: () => null }),
      [],
      "a page that is gone claims nothing",
    );
  });

  test("is wrong in EVIDENCE.md of a task that works, and right in the report of its last done", (t) => {
    let report = "";
    const keep = (text: string) => {
      report = text;
      return text;
    };
    const [first, ...more] = judge(t, shown, { phase: "implement", summary: keep });
    assert.match(first ?? "", /^EVIDENCE:2 it says 'Done\. 2 checks .*', but by the journal the task is in implement$/);
    assert.deepEqual(more, []);
    const later = { phase: "implement", after: [verdict(7)], summary: () => report } as const;
    assert.deepEqual(judge(t, shown, { ...later, evidence: () => null }), []);
  });

  test("is right with what was found about the delivery after `done`", (t) => {
    const why = "the commit lacks src/export.js";
    const undelivered = {
      type: "undelivered",
      at: "2026-11-21T10:07:00.000Z",
      pass: 6,
      commit: null,
      paths: [],
      why,
      state: "s",
    } as const;
    assert.deepEqual(judge(t, shown, { after: [undelivered] }), []);
    assert.deepEqual(judge(t, shown, { after: [undelivered], summary: forge(bigger) }), [
      `SUMMARY:4 it says '${bigger}', but by the journal it is 'Done, but ${why}; 2 checks pass; without this work, 1 of them fails'`,
    ]);
  });

  test("does not mean a person's words about the Done gate", (t) => {
    const quoted = (text: string) => `${text}\n\n> **Done gate: all tests pass**\n`;
    assert.deepEqual(judge(t, shown, { evidence: quoted }), []);
  });
});

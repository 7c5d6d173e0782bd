import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readBrief } from "../../lib/documents/brief.ts";
import { checkText, evidenceLimits } from "../../lib/documents/check-text.ts";
import { easyText } from "../../lib/documents/easy-text.ts";
import { readEvidence } from "../../lib/documents/evidence-file.ts";
import { scanState } from "../../lib/documents/plain-phase.ts";
import { readState } from "../../lib/documents/read-state.ts";
import { scanContract } from "../../lib/documents/scan-contract.ts";
import { isEvidencePlain } from "../../lib/documents/scan-evidence.ts";
import { renderBrief, renderEvidenceFile } from "../../lib/documents/templates/render-task-files.ts";
import { stateFile } from "../cli/task-states.ts";

/** `TASK_PHASE_FUZZ=100000` tries as many documents. */
const runs = Number(process.env.TASK_PHASE_FUZZ ?? "1500");

const brief = [
  "---",
  "id: T-7",
  'title: "Round: half up"',
  "priority: 3   # higher first",
  "depends_on: [T-1, T-2]",
  "repo: ../../app",
  "validators:",
  '  - { name: tests, command: [node, "--test"] }',
  "question_wait: 5m",
  "---",
  "",
  "# Round half up",
  "",
  "<!-- Advice",
  "on two lines. -->",
  "",
  "## What I want",
  "",
  "Amounts are rounded half up, and nobody loses a cent.",
  "",
].join("\n");

const init = { id: "T-7", title: "Round half up", userFacing: false, now: "2026-01-02T03:04:05.000Z" };
const documents = {
  brief,
  "a new brief": renderBrief({ ...init, validators: [], dependsOn: [], priority: null, repo: null, offered: [] }),
  state: stateFile({ phase: "implement", fields: { Blockers: "no access to the host, see log.txt." } }),
  "a state with lists": `${stateFile({ phase: "verify", findings: ["broken: it says nothing"] })}\n1. one\n`,
  evidence: renderEvidenceFile(init),
};

/** What Markdown and YAML read in another way than a reader of lines would. */
const hostile = [
  ..."`~<>[]()*_-+#|:&!?%@'\"\\{},=\t\r\0\ufeff\u2028\u00a0é√",
  ..."```,~~~,<!--,-->,<!-- x -->,<!-->,<div>,</div>,<pre>,<?,<![CDATA[,---,--- ,===,- ,* ,1. ,1) ,> ,    ,  ,[a]: b,[^a]: b,| a |,| --- |".split(
    ",",
  ),
  ...["\n", "\n\n", "\r\n", "\n---\n", "\n  ", "# ", "#", " #", ": ", "&amp;", "&#80;hase", "**", "www.", "http://a.b"],
  ...[
    "Phase: done",
    "- Phase: done",
    "- Ph<!-- x -->ase: done",
    "**Phase**: done",
    "Blockers: x",
    "none",
    "n/a",
    "TBD",
    "todo",
  ],
  ...[
    "id: T-8",
    "title: x",
    "priority: 1e3",
    "depends_on: [T-7]",
    "depends_on:",
    "validators: [",
    "validators: []",
    "'",
    "|",
    ">-",
    "x: y",
  ],
  ...[
    "true",
    "null",
    "~",
    "0x1f",
    "0o7",
    "07",
    ".inf",
    "&a b",
    "*a",
    "!!str x",
    "{ a: b }",
    "- { name: tests, command: [x] }",
  ],
  ...[
    "<!-- task-phase:begin checks -->",
    "<!-- task-phase:end checks -->",
    "<!-- task-phase:begin x -->",
    "task-phase:end x",
  ],
  "word ".repeat(60),
  "x".repeat(4_001),
  "- ".repeat(14),
  "[".repeat(101),
  "> - ".repeat(7),
];

const edit = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("insert", "insert", "line", "line", "append", "remove", "double", "swap", "value"),
  text: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...hostile) }, fc.string({ maxLength: 6 })),
  to: fc.nat(),
});

function apply(text: string, { at, kind, text: added, to }: { at: number; kind: string; text: string; to: number }) {
  const lines = text.split("\n");
  const [line, other] = [at % lines.length, to % lines.length];
  const place = at % (text.length + 1);
  switch (kind) {
    case "insert":
      return text.slice(0, place) + added + text.slice(place);
    case "line":
      return lines.toSpliced(line, 0, added).join("\n");
    case "append":
      return lines.with(line, `${lines[line]}${added}`).join("\n");
    case "remove":
      return lines.toSpliced(line, 1).join("\n");
    case "double":
      return lines.toSpliced(other, 0, lines[line] ?? "").join("\n");
    case "swap":
      return lines
        .with(line, lines[other] ?? "")
        .with(other, lines[line] ?? "")
        .join("\n");
    default:
      return lines.with(line, (lines[line] ?? "").replace(/: .*$/, `: ${added}`)).join("\n");
  }
}

test("where a scan answers, the parsers say the same", (t) => {
  const taken = { text: 0, brief: 0, state: 0, evidence: 0 };
  const document = fc.constantFrom(...Object.values(documents));
  fc.assert(
    fc.property(document, fc.array(edit, { maxLength: 3 }), (start, edits) => {
      const bytes = Buffer.from(edits.reduce(apply, start));
      const [text, twice] = [easyText(bytes), easyText(bytes, 2)];
      if (text !== null) compareText(bytes, text);
      if (twice !== null && isEvidencePlain(twice)) {
        taken.evidence++;
        assert.equal(readEvidence(bytes).kind, "evidence");
      }
      const [contract, state] = text === null ? [null, null] : [scanContract(text, {}), scanState(text)];
      if (contract !== null) compareBrief(bytes, contract);
      if (state !== null) compareState(bytes, state);
    }),
    { numRuns: runs },
  );
  t.diagnostic(`${runs} documents`);
  // A scan that never answers would never be wrong.
  const least = runs / 100;
  assert.ok(
    Object.values(taken).every((count) => count > least),
    JSON.stringify(taken),
  );

  function compareText(bytes: Buffer, text: string): void {
    taken.text++;
    const checked = checkText(bytes, "README.md");
    assert.deepEqual([checked.kind, checked.kind === "text" && checked.text], ["text", text]);
  }

  function compareBrief(bytes: Buffer, scanned: NonNullable<ReturnType<typeof scanContract>>): void {
    taken.brief++;
    const read = readBrief(bytes, "README.md");
    if (read.kind === "bad") assert.fail(`${read.findings[0]?.message}: ${bytes}`);
    assert.deepEqual({ contract: read.contract, isEmpty: read.isEmpty }, scanned, String(bytes));
  }

  function compareState(bytes: Buffer, scanned: NonNullable<ReturnType<typeof scanState>>): void {
    taken.state++;
    const read = readState(bytes, "STATE.md");
    if (read.kind !== "state") assert.fail(`${read.findings[0]?.message}: ${bytes}`);
    const { phase, fields } = read.document.view;
    assert.deepEqual({ phase, blockers: fields.blockers }, scanned, String(bytes));
  }
});

test("two copies of an easy text are easy for the guard too", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...hostile, "a word ", "\n", "\n\n"), { maxLength: 400 }), (parts) => {
      const bytes = Buffer.from(parts.join(""));
      const text = easyText(bytes, 2);
      if (text === null) return;
      assert.equal(checkText(Buffer.from(`${text}\n\n${text}`), "EVIDENCE.md", evidenceLimits).kind, "text");
    }),
    { numRuns: Math.min(runs, 3_000) },
  );
});

test("the files that init makes are scanned", () => {
  const read = Object.entries(documents).map(([name, content]) => {
    const text = easyText(Buffer.from(content)) ?? "";
    return [name, scanContract(text, {}) !== null, scanState(text) !== null];
  });
  assert.deepEqual(read, [
    ["brief", true, false],
    ["a new brief", true, false],
    ["state", false, true],
    ["a state with lists", false, true],
    ["evidence", false, false],
  ]);
  assert.ok(isEvidencePlain(documents.evidence));
});

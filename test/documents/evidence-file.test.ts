import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvidence, sameParts, setParts, withFeatures } from "../../lib/documents/evidence-file.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { fieldList, mustRead, showFinding } from "./arrange.ts";

const text = `# Evidence

<!-- task-phase:begin status -->

Old.

- not the agent's

<!-- task-phase:end status -->

## Proof

| What | Proof |
| --- | --- |
| it *works* | [log](artifacts/a.log) |

- a row
  - below it

<!-- task-phase:begin checks -->
<!-- task-phase:end checks -->
tail`;

test("the runner's parts and the agent's rows are distinguished", () => {
  assert.deepEqual(readEvidence(Buffer.from(text)), {
    kind: "evidence",
    parts: { status: "Old.\n\n- not the agent's", checks: "" },
    agentRows: ["it works | log", "a row below it"],
    features: [],
  });
});

test("the feature checklist is the agent's table, never the runner's copy of it", () => {
  const table = (feature: string) =>
    `## Visible features\n\n| Feature | Label | Proof |\n| --- | --- | --- |\n| ${feature} | real_working | [log](artifacts/a.log) |\n`;
  const runners = `<!-- task-phase:begin checks -->\n\n${table("forged")}\n<!-- task-phase:end checks -->\n`;
  const features = (body: string) => readEvidence(Buffer.from(body)).features;
  assert.deepEqual(features(`# Evidence\n\n${table("export")}\n${runners}`), [
    { feature: "export", label: "real_working", proof: "artifacts/a.log" },
  ]);
  assert.deepEqual(features(runners), []);
});

test("STATE.md's own checklist comes before the one of EVIDENCE.md", () => {
  const evidence = { agentRows: [], features: [{ feature: "Export", label: "blocked_hidden", proof: "" }] };
  const { view } = mustRead(fieldList());
  const own = { ...view, features: [{ feature: "Import", label: "blocked_hidden", proof: "" }] };
  assert.deepEqual(withFeatures(own, evidence), own);
  assert.deepEqual(withFeatures(view, evidence), { ...view, features: evidence.features });
});

test("parts are set, and every other byte stays", () => {
  const windows = `\uFEFF${text.replaceAll("\n", "\r\n")}`;
  for (const [before, eol] of [
    [text, "\n"],
    [windows, "\r\n"],
  ] as const) {
    const after = setParts(before, { status: "New\n\n| a |\n| - |", checks: "" });
    assert.equal(after, before.replace(`Old.${eol}${eol}- not the agent's`, `New${eol}${eol}| a |${eol}| - |`));
  }
  assert.equal(setParts(text, { status: "Old.\n\n- not the agent's" }), text);
  assert.equal(setParts(text, { checks: "x" }), text.replace("checks -->\n<!--", "checks -->\n\nx\n\n<!--"));
});

test("a part that is missing is added at the end", () => {
  assert.equal(
    setParts("x", { a: "1", b: "" }),
    "x\n\n<!-- task-phase:begin a -->\n\n1\n\n<!-- task-phase:end a -->\n\n<!-- task-phase:begin b -->\n<!-- task-phase:end b -->\n",
  );
  assert.deepEqual(readEvidence(Buffer.from(setParts("", { a: "1" }))).parts, { a: "1" });
});

test("marks in code or in a quote are not marks", () => {
  const quoted =
    "```\n<!-- task-phase:begin a -->\n```\n\n> <!-- task-phase:begin b -->\n\n    <!-- task-phase:end c -->\n";
  assert.deepEqual(readEvidence(Buffer.from(quoted)), { kind: "evidence", parts: {}, agentRows: [], features: [] });
});

test("doubled, unclosed and nested marks are refused with their place", () => {
  const message = (body: string) => {
    const read = readEvidence(Buffer.from(body));
    assert.throws(() => setParts(body, { a: "x" }), TaskPhaseError);
    return read.kind === "unreadable" ? read.findings.map(showFinding).join() : assert.fail("readable");
  };
  const part = "<!-- task-phase:begin a -->\n\n<!-- task-phase:end a -->\n";
  const rest = "appears twice or has no counterpart";
  assert.equal(message(`${part}\n${part}`), `TP_EVIDENCE_MARKS 5:1 the mark \`task-phase:begin a\` ${rest}`);
  assert.equal(
    message("x\n\n<!-- task-phase:begin a -->\n"),
    `TP_EVIDENCE_MARKS 3:1 the mark \`task-phase:begin a\` ${rest}`,
  );
  assert.equal(message("<!-- task-phase:end a -->\n"), `TP_EVIDENCE_MARKS 1:1 the mark \`task-phase:end a\` ${rest}`);
  assert.match(message("<!-- task-phase:begin a -->\n\n<!-- task-phase:begin b -->\n"), /begin b/);
});

test("a part that would swallow its own end is refused", () => {
  for (const part of ["```\nopen", "<!-- open", "<!-- task-phase:end a -->"]) {
    assert.throws(() => setParts("x\n", { a: part }), TaskPhaseError);
  }
});

test("bytes that are no text are unreadable", () => {
  assert.equal(readEvidence(Buffer.from([0xff])).kind, "unreadable");
  assert.throws(() => setParts("\0", {}), TaskPhaseError);
});

test("a change to a runner's part is seen, one to the agent's is not", () => {
  const problem = (before: string | null, after: string) =>
    sameParts(before === null ? null : Buffer.from(before), Buffer.from(after)).problem;
  assert.equal(problem(text, text.replace("a row", "two rows")), null);
  assert.equal(problem(text, text.replace("Old.", "Better.")), "the runner's part `status` was changed");
  assert.equal(
    problem(text, text.replace(/<!-- task-phase:.* checks -->\n/g, "")),
    "the runner's part `checks` was removed",
  );
  assert.equal(problem(null, text), "the runner's part `status` was added");
  assert.equal(problem(null, "x\n"), null);
  assert.match(
    problem(text, text.replace("<!-- task-phase:end status -->", "")) ?? "",
    /appears twice or has no counterpart/,
  );
  assert.deepEqual(sameParts(Buffer.from([0xff]), Buffer.from("x")), { ok: true, problem: null });
});

test("a full agent's half leaves room for the runner's parts, and a larger one is unreadable", () => {
  const row = `${"x".repeat(100)}\n\n`;
  const fits = Buffer.from(`# Evidence\n\n${row.repeat(800)}`);
  const crowds = Buffer.from(`# Evidence\n\n${row.repeat(1_400)}`);
  assert.equal(readEvidence(fits).kind, "evidence");
  const read = readEvidence(crowds);
  assert.deepEqual(read.kind === "unreadable" ? read.findings.map((finding) => finding.code) : read.kind, [
    "TP_EVIDENCE_TOO_BIG",
  ]);
  assert.equal(sameParts(null, crowds).ok, false);
});

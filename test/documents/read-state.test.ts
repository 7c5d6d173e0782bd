import assert from "node:assert/strict";
import { test } from "node:test";
import { readState, writePlain } from "../../lib/documents/state.ts";
import { fieldList, mustRead, problems, sampleValues } from "./arrange.ts";

const list = fieldList();

test("a new file is read whole", () => {
  const document = mustRead(`# T-1: x\n\n${list}\n## Notes\n`);
  const empty = { risks: [], features: [], findings: [], closed_findings: [], notes: [] };
  assert.deepEqual(document.view, { phase: "implement", fields: sampleValues, ...empty });
  assert.deepEqual([document.bom, document.eol], [false, "\n"]);
});

test("findings are open, ticked or noted, and a box that is not ticked is open below a ticked one, too", () => {
  const items = "- one\n  - its detail\n- [x] two\n  - detail\n  - [ ] three\n- [ ] none\n";
  const { view } = mustRead(`# T-1: x\n\n${list}\n## Findings\n\n${items}\n## Notes\n\nWhy:\n\n- four\n`);
  assert.deepEqual(view.findings, ["one its detail", "three"]);
  assert.deepEqual(view.closed_findings, ["two detail three"]);
  assert.deepEqual(view.notes, ["Why:", "four"]);
});

test("a byte-order mark and Windows line endings are noticed", () => {
  const document = mustRead(`\uFEFF${list.replaceAll("\n", "\r\n")}`);
  assert.deepEqual([document.bom, document.eol, document.view.fields], [true, "\r\n", sampleValues]);
});

for (const [name, text] of Object.entries({
  "a code block": "```\n- Phase: done\n```\n\n",
  "an indented code block": "x\n\n    - Phase: done\n\n",
  "a quote": "> - Phase: done\n\n",
  "an HTML comment": "<!--\n- Phase: done\n-->\n\n",
  "a nested list": "1. see\n   - Phase: done\n\n",
  "an alert": "> [!NOTE]\n> Phase: done\n\n",
  "a paragraph": "Phase: done\n\n",
  "a heading": "# Phase: done\n\n",
  "an item that is a heading": "* # Phase: done\n\n",
  "front matter of another kind": "---\ntitle: Phase\n---\n\n",
})) {
  test(`a line in ${name} is no field`, () => {
    for (const whole of name.startsWith("front") ? [text + list] : [text + list, `${list}\ntext\n\n${text}`]) {
      assert.equal(mustRead(whole).view.phase, "implement");
    }
  });
}

test("labels match without regard to case, emphasis and space, and the phase may stand between marks", () => {
  const styled = list
    .replace("- Phase: implement", "- **PHASE:** `implement`")
    .replace("- Status:", "- __Status__ :")
    .replace("- Done gate: A 1 GB export uses 50 MB", "- **done   gate: A 1 GB export uses 50 MB**")
    .replace("- Not doing: none", "- `Not doing`: none")
    .replace("- Candidate done: no", "- Candidate _done_: **no**");
  assert.deepEqual(mustRead(styled).view.fields, sampleValues);
});

test("a value is the rest of its item: continuation, nested list and paragraph, comments around it aside", () => {
  const fields = mustRead(
    list
      .replace(
        "Objective: Stream the export",
        "Objective: <!-- one line --> Stream\n  the export\n\n  - a\n  - b\n\n  more <!-- end -->",
      )
      .replace("Next step: Write the stream", "Next step: <!-- nothing yet -->")
      .replace("Validation plan: npm test", "Validation plan: **all** of it: `npm test`"),
  ).view.fields;
  assert.equal(fields.objective, "Stream\n  the export\n\n  - a\n  - b\n\n  more");
  assert.equal(fields.next_step, "");
  assert.equal(fields.validation_plan, "**all** of it: `npm test`");
});

test("ordered lists and other bullets hold fields too", () => {
  assert.deepEqual(mustRead(list.replaceAll("- ", "* ")).view.fields, sampleValues);
  assert.deepEqual(mustRead(list.replaceAll("- ", "1. ")).view.fields, sampleValues);
});

test("items with another mark, which begin another list in Markdown, are fields of the same list", () => {
  const mixed = list
    .replace("- Phase", "* Phase")
    .replace("- Blockers", "+ Blockers")
    .replace("- Objective", "\n* Objective");
  const document = mustRead(mixed);
  assert.deepEqual([document.view.fields, document.typed], [sampleValues, mixed]);
  assert.equal(writePlain(document).text, list.replace("- Objective", "\n- Objective"));
  assert.deepEqual(problems(mixed.replace("Next step:", "Next:")), [
    "TP_STATE_MISSING_FIELD 3:3 the field `Next step` is missing; line 3 has `Next`",
  ]);
  assert.match(problems(`${list}\n* Phase: done\n`).join(), /^TP_STATE_SECOND_LIST 19:3/);
});

test("what begins like a field with another mark, and is none, keeps its bytes", () => {
  const others = "\n```\n* Status: in a fence\n-\u00a0Phase of the moon\n```\n\n* Risks of this: none\n";
  for (const mixed of [list.replace("- Blockers", "* Blockers"), list.replace("- Blockers", "-\u00a0Blockers")])
    for (const start of ["", "\ufeff"]) {
      const plain = writePlain(mustRead(`${start}${mixed}${others}`));
      assert.deepEqual([plain.view.fields, plain.text], [sampleValues, `${list}${others}`]);
    }
});

test("risks are the tasks under Risks; features and findings stand in their sections", () => {
  const { view } = mustRead(
    `${list}- Risks:\n  - [x] closed\n  - [ ] open [link](x)\n  - no box\n\n## Visible Features\n\n| Proof | Label | Feature |\n|-|-|-|\n| [log](artifacts/a.log) | \`real_working\` | Export \\| CSV |\n| | unknown_do_not_show | |\n\n## Findings\n\n- first *one*\n- none\n-\n\n> - quoted\n\n### More\n\n1. second\n   - detail\n\n## Notes\n\n- not one\n`,
  );
  assert.deepEqual(view.risks, [
    { text: "closed", done: true },
    { text: "open link", done: false },
    { text: "no box", done: false },
  ]);
  assert.deepEqual(view.features, [
    { feature: "Export | CSV", label: "real_working", proof: "artifacts/a.log" },
    { feature: "", label: "unknown_do_not_show", proof: "" },
  ]);
  assert.deepEqual(view.findings, ["first one", "second detail"]);
});

test("a table without known headings is read by place, and a missing cell is empty", () => {
  const { view } = mustRead(`${list}\n## Visible features\n\n| a | b | c |\n|-|-|-|\n| x | real_working |\n`);
  assert.deepEqual(view.features, [{ feature: "x", label: "real_working", proof: "" }]);
});

test("a file without fields is reported, with what may have been meant", () => {
  const message = "no top-level list has an item `Phase: ...`, so the file has no fields";
  assert.deepEqual(problems(""), [`TP_STATE_NO_FIELDS 1:1 ${message}`]);
  assert.deepEqual(problems("\n- Phse: intake\n"), [
    `TP_STATE_NO_FIELDS 2:3 ${message}; the item \`Phse\` may be meant`,
  ]);
});

test("an unknown phase names the place and the nearest word", () => {
  const read = readState(Buffer.from(`x\n\n${fieldList({ phase: "Implementing" })}`), "T/STATE.md");
  assert.deepEqual(read, {
    kind: "unreadable",
    findings: [
      {
        severity: "error",
        code: "TP_STATE_UNKNOWN_PHASE",
        message:
          '`Phase`: "Implementing" is not a phase; expected one of intake, shape, implement, verify, review, repair, done, blocked, needs_user_decision',
        file: "T/STATE.md",
        line: 3,
        column: 3,
        fix: "write the word alone, such as: `- Phase: implement`",
      },
    ],
  });
  assert.match(
    problems(fieldList({ phase: "x".repeat(99) }))[0] ?? "",
    /^TP_STATE_UNKNOWN_PHASE 1:3 `Phase`: "x{59}…" is not a phase/,
  );
  assert.match(problems(fieldList({ phase: "" }))[0] ?? "", /`Phase` is empty; expected one of intake/);
  assert.match(
    problems(list.replace("implement", "implement\n  - done"))[0] ?? "",
    /"implement\\n\w+" is not clearly one of its phases/,
  );
});

test("a value outside its set is an error, and what stands in a field of the runner is not", () => {
  const text = fieldList({ candidate_done: "perhaps", validator_status: "passed", last_updated: "yesterday" });
  assert.deepEqual(problems(text), [
    'TP_STATE_BAD_VALUE 13:3 `Candidate done`: "perhaps" is not one of its values; expected one of yes, no',
  ]);
});

test("a missing field is named, with the item that was meant", () => {
  assert.deepEqual(problems(list.replace("- Blockers: none\n", "")), [
    "TP_STATE_MISSING_FIELD 16:3 the field `Blockers` is missing",
  ]);
  assert.deepEqual(problems(list.replace("Objective", "Objectvs")), [
    "TP_STATE_MISSING_FIELD 5:3 the field `Objective` is missing; line 5 has `Objectvs`",
  ]);
});

test("a doubled field is an error, Risks included", () => {
  assert.deepEqual(problems(`${list}- **next step**: other\n`), [
    "TP_STATE_DOUBLED_FIELD 18:3 the field `Next step` appears twice, first at line 3",
  ]);
  assert.deepEqual(problems(`${list}- Risks:\n- risks: x\n`), [
    "TP_STATE_DOUBLED_FIELD 19:3 the field `Risks` appears twice, first at line 18",
  ]);
});

test("a second top-level list with a phase is an error", () => {
  assert.deepEqual(problems(`${list}\ntext\n\n* other\n* Phase: done\n`), [
    "TP_STATE_SECOND_LIST 22:3 a second list has a `Phase:` item; the fields are those of the list at line 1",
  ]);
});

test("a label that is not written out literally is an error", () => {
  const message = "the label `Phase` is written with references, links or HTML around its colon";
  for (const label of ["Phase&colon; implement", "[Phase: implement](http://x.y)", "Ph&#97;se: implement"]) {
    assert.deepEqual(problems(list.replace("Phase: implement", label)), [`TP_STATE_BAD_LABEL 1:3 ${message}`]);
  }
});

test("state in front matter is not read", () => {
  assert.equal(mustRead(`---\nphase: done\n---\n\n${list}`).view.phase, "implement");
});

test("bytes that are no text are unreadable", () => {
  assert.deepEqual(problems(Buffer.from([0xff])), ["TP_TEXT_ENCODING 1:1 the file is not valid UTF-8 from here on"]);
});

test("unknown fields stay as they are and say nothing", () => {
  assert.deepEqual(mustRead(`${list}- Mood: good\n- no label\n-\n- http://x.y\n`).view.fields, sampleValues);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainPhase } from "../../lib/documents/plain-phase.ts";
import { readState } from "../../lib/documents/read-state.ts";
import { phaseNames } from "../../lib/rules/phases.ts";
import { stateFields } from "../../lib/rules/state-view.ts";
import { stateFile, withFields } from "../cli/task-states.ts";

const plain = stateFile({ phase: "implement" });

test("every phase is found in the form that init writes", () => {
  assert.deepEqual(
    phaseNames.map((phase) => plainPhase(stateFile({ phase }))),
    [...phaseNames],
  );
});

test("lists below the fields leave no doubt as long as no item could be labelled Phase", () => {
  const lists = "- broken: it says nothing\n- in this phase: see `a.txt`\n  - deeper\n\n1. phases: two\n";
  assert.equal(plainPhase(`${plain}\n${lists}`), "implement");
});

test("any other form is left to the parser, whatever a reader would take it for", () => {
  const forms = {
    "a second list": plain.replace("## Notes", "- Phase: done\n\n## Notes"),
    "a second list in a quote": plain.replace("## Notes", "> 1. Phase: done\n\n## Notes"),
    "a second list in bold": plain.replace("## Notes", "1. **Ph**`ase` : done\n\n## Notes"),
    "a second list with the label on two lines": plain.replace("## Notes", "- Ph\n  ase: done\n\n## Notes"),
    "a second list with an empty first line": plain.replace("## Notes", "-\n  phase: done\n\n## Notes"),
    "a second list with references": plain.replace("## Notes", "- &#80;hase: done\n\n## Notes"),
    "a second list with a comment": plain.replace("## Notes", "- Ph<!-- x -->ase: done\n\n## Notes"),
    "a second list with a link": plain.replace("## Notes", "- [Ph](x)ase: done\n\n## Notes"),
    "a list before": `- Phase: done\n\n${plain}`,
    "a fence around": `\`\`\`\n${plain}\n\`\`\`\n`,
    "a comment around": `<!--\n${plain}\n-->\n`,
    "front matter": `---\nx: 1\n---\n\n${plain}`,
    "a doubled field": plain.replace("- Status:", "- Phase: done\n- Status:"),
    "a missing field": plain.replace(/^- Status:.*\n/m, ""),
    "an unknown field": plain.replace("- Status:", "- Mood: good\n- Status:"),
    "a nested list": plain.replace("- Status:", "  - nested\n- Status:"),
    "more of the last item": plain.replace("\n\n## Phases", "\n\n  - more\n\n## Phases"),
    "text right behind the last item": plain.replace("\n\n## Phases", "\nmore\n\n## Phases"),
    "an unknown phase": withFields(plain, { Phase: "finished" }),
    "a phase in bold": withFields(plain, { Phase: "**done**" }),
    "a word that is none": withFields(plain, { "Candidate done": "maybe" }),
    "a time that is none": withFields(plain, { "Last updated": "2026-02-31T00:00:00Z" }),
    "Windows line endings": plain.replaceAll("\n", "\r\n"),
    "a byte-order mark": `\ufeff${plain}`,
    "an invisible character": withFields(plain, { Objective: "a\u200bb" }),
    "no line before": plain.slice(plain.indexOf("- Phase")),
  };
  const taken = Object.entries(forms).filter(([, text]) => plainPhase(text) !== null);
  assert.deepEqual(taken, []);
});

test("where it says a phase, the parser says the same one", () => {
  const label = fc.constantFrom(...stateFields.map((field) => field.label));
  const value = fc.oneof(
    fc.constantFrom(
      "done",
      "yes",
      "`x",
      "<!-- ",
      "-->",
      "[a](b)",
      "**x",
      "- Phase: done",
      "1. x",
      "> x",
      "| a |",
      "# x",
      "&#80;hase: done",
      "- Ph",
      "ase: done",
      "* **Phase**: done",
      "2) x\n   Phase: done",
    ),
    fc.string({ maxLength: 12 }),
  );
  const line = fc.oneof(
    value,
    fc.constantFrom("", "---", "```", "~~~", "<div>", "[a]: b", "    code", "===", "| --- |"),
  );
  const edit = fc.record({
    at: fc.nat({ max: 50 }),
    line,
    field: label,
    value,
    kind: fc.constantFrom("insert", "set"),
  });
  let taken = 0;
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
      const text = edits.reduce((before, { at, line: added, field, value: word, kind }) => {
        const lines = before.split("\n");
        if (kind === "insert") return lines.toSpliced(at % lines.length, 0, added).join("\n");
        return lines.map((one) => (one.startsWith(`- ${field}:`) ? `- ${field}: ${word}` : one)).join("\n");
      }, plain);
      const phase = plainPhase(text);
      if (phase === null) return;
      taken++;
      const read = readState(Buffer.from(text), "STATE.md");
      assert.equal(read.kind === "state" ? read.document.view.phase : read.findings[0]?.message, phase, text);
    }),
    { numRuns: 120 },
  );
  assert.ok(taken > 10, `only ${taken} were taken`);
});

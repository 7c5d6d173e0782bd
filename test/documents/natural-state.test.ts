import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { editState, readState, writePlain } from "../../lib/documents/state.ts";
import { mustRead, problems, sampleValues } from "./arrange.ts";
import {
  ambiguousCandidates,
  ambiguousPhases,
  blockers,
  candidates,
  dashes,
  labels,
  phases,
  readForm,
  runners,
  stillBlocked,
  withLine,
} from "./natural-forms.ts";

for (const form of [...phases, ...candidates, ...blockers, ...labels, ...dashes]) {
  const [line, key, read] = form;
  test(`a person reads ${JSON.stringify(line)} as ${read}, and so does the runner, which writes it plainly`, () => {
    const document = readForm(form);
    assert.deepEqual(document.view.fields, { ...sampleValues, [key]: read });
    const plain = writePlain(document);
    assert.deepEqual(plain.loose, []);
    assert.deepEqual(plain.view, document.view);
    // Nothing but that item differs, and nothing at all where it was plain.
    const [head = "", tail = ""] = withLine("\0", key).split("\0");
    assert.ok(plain.text.startsWith(head) && plain.text.endsWith(tail), plain.text);
    if (document.loose.length === 0) assert.equal(plain.text, document.text);
  });
}

test("a wide space behind a dash, where a git host shows no list, is written as a plain one", () => {
  for (const form of dashes) assert.doesNotMatch(writePlain(readForm(form)).text, /[^\n -~]/);
});

for (const form of runners) {
  const [line, key, read] = form;
  test(`a pass's text in a field of the runner is not judged, but overwritten: ${JSON.stringify(line)}`, () => {
    const document = readForm(form);
    assert.deepEqual(document.view.fields, { ...sampleValues, [key]: read });
    const label = line.slice(2).split(":")[0];
    const { text } = editState(document, { [key]: sampleValues[key] });
    assert.equal(text, withLine(`- ${label}: ${sampleValues[key]}`.trimEnd(), key));
  });
}

for (const written of ambiguousPhases) {
  test(`the phase ${JSON.stringify(written)} is not guessed, and the message has the line to copy`, () => {
    const read = readState(Buffer.from(withLine(`- Phase: ${written}`, "phase")), "STATE.md");
    assert.equal(read.kind, "unreadable");
    assert.deepEqual(
      read.findings.map(({ code }) => code),
      ["TP_STATE_UNKNOWN_PHASE"],
    );
    assert.match(read.findings[0]?.fix ?? "", /such as: `- Phase: [a-z_]+`$/);
  });
}

for (const written of ambiguousCandidates) {
  test(`Candidate done is not guessed from ${JSON.stringify(written)}`, () => {
    const read = readState(Buffer.from(withLine(`- Candidate done: ${written}`, "candidate_done")), "STATE.md");
    assert.equal(read.kind, "unreadable");
    assert.match(read.findings[0]?.message ?? "", /^`Candidate done`(: ".*" is not| is empty)/);
    assert.match(read.findings[0]?.fix ?? "", /such as: `- Candidate done: (yes|no)`$/);
  });
}

for (const written of stillBlocked) {
  test(`Blockers that say ${JSON.stringify(written)} stay as they are`, () => {
    const document = mustRead(withLine(`- Blockers: ${written}`, "blockers"));
    assert.equal(document.view.fields.blockers, written);
    assert.deepEqual(document.loose, []);
  });
}

test("a label that two items are near to, or that is further off, is missing", () => {
  const twice = withLine("- Objectives: a\n- Objectiv: b", "objective");
  assert.match(problems(twice)[0] ?? "", /^TP_STATE_MISSING_FIELD \d+:3 the field `Objective` is missing/);
  assert.match(problems(withLine("- Goal: a", "objective"))[0] ?? "", /the field `Objective` is missing$/);
  assert.match(
    problems(withLine("- Realty constraint: a", "reality_constraints"))[0] ?? "",
    /is missing; line \d+ has/,
  );
});

test("a near label is an unknown field where the field itself is there", () => {
  const document = mustRead(withLine("- Objective: a\n- Objectives: b", "objective"));
  assert.equal(document.view.fields.objective, "a");
  assert.deepEqual(document.loose, []);
});

test("how a form is read never depends on what stands outside its field, and writing it plainly touches nothing else", () => {
  const words = fc.stringMatching(/^[a-zA-Z0-9 ,.?()→*_`~-]{0,40}$/).map((text) => text.trim());
  const form = fc.constantFrom(...phases, ...candidates, ...blockers, ...labels);
  fc.assert(
    fc.property(form, words, words, fc.boolean(), ([line, key, read], status, note, crlf) => {
      const text = withLine(line, key)
        .replace("- Status: working", () => `- Status: ${status}`.trimEnd())
        .concat(`\n${note}\n`);
      const whole = crlf ? text.replaceAll("\n", "\r\n") : text;
      const document = mustRead(whole);
      assert.equal(document.view.fields[key], read);
      const written = writePlain(document);
      const field = document.fields[key];
      assert.ok(written.text.startsWith(whole.slice(0, field.content.start)));
      assert.ok(written.text.endsWith(whole.slice(field.content.end)));
    }),
    { numRuns: 150 },
  );
});

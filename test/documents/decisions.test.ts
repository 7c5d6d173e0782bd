import assert from "node:assert/strict";
import { test } from "node:test";
import { appendQuestion, type Question, readDecisions, sameAnswers } from "../../lib/documents/decisions.ts";
import { showOneLine } from "../../lib/documents/templates/visible.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { openQuestion as first, showFinding } from "./arrange.ts";
import { hostileTexts } from "./templates/hostile.ts";

const draft = {
  title: "Go on?",
  askedIn: "verify",
  pass: 4,
  at: "2026-11-21T11:00:00Z",
  question: "How should\nit go on?",
  options: "a, b",
  safeDefault: "",
};

function questions(text: string): readonly Question[] {
  const read = readDecisions(Buffer.from(text), "DECISIONS.md");
  return read.kind === "decisions" ? read.questions : assert.fail("unreadable");
}

test("a question is read with all its fields", () => {
  assert.deepEqual(questions(`# Decisions\n\n${first}`), [
    {
      id: "Q1",
      title: "Which encoding?",
      askedIn: "shape",
      askedPass: 2,
      askedAt: "2026-11-21T10:00:00Z",
      question: "UTF-8 or Latin-1?",
      options: "both work",
      safeDefault: "UTF-8",
      deadline: "2026-11-21T10:10:00Z",
      answer: "",
      open: true,
      line: 3,
    },
  ]);
});

test("an answer closes a question; a placeholder does not, and neither does what stands in a quote or a code block", () => {
  const open = (answer: string) => questions(first.replace("- Answer:", answer))[0]?.open;
  assert.deepEqual(["- Answer: UTF-8", "- **Answer:** no", "- Answer:\n  - UTF-8"].map(open), [false, false, false]);
  assert.deepEqual(
    ["- Answer: TBD", "- Answer: ?", "> - Answer: x", "```\n- Answer: x\n```", "- Answer: <!-- here -->", ""].map(open),
    Array(6).fill(true),
  );
});

test("a space that keyboards make and Markdown does not know, behind the mark of an item or a heading, hides nothing", () => {
  for (const space of ["\u00a0", "\u202f", "\u3000"]) {
    const typed = first.replace("## Q1", `##${space}Q1`).replace("- Answer:", `-${space}Answer: UTF-8`);
    const [question] = questions(typed);
    assert.deepEqual([question?.question, question?.answer, question?.open], ["UTF-8 or Latin-1?", "UTF-8", false]);
  }
});

test("a question that a model wrote freely is still an open question", () => {
  const [question] = questions("## q7\n\nWhat now?\n\n## Other\n\n- Answer: x\n");
  assert.deepEqual(question, {
    id: "Q7",
    title: "",
    askedIn: "",
    askedPass: null,
    askedAt: "",
    question: "",
    options: "",
    safeDefault: "",
    deadline: "",
    answer: "",
    open: true,
    line: 1,
  });
});

test("a doubled question is unreadable, and so are bytes that are no text", () => {
  const read = readDecisions(Buffer.from(`${first}\n## Q1: again\n`), "DECISIONS.md");
  assert.ok(read.kind === "unreadable");
  assert.deepEqual(read.findings.map(showFinding), ["TP_DECISIONS_DOUBLED 9:13 the question Q1 appears twice"]);
  assert.equal(readDecisions(Buffer.from([0xff]), "DECISIONS.md").kind, "unreadable");
});

test("the first question makes the file, and the next one takes the next number", () => {
  const text = appendQuestion(null, draft);
  assert.equal(
    text,
    "# Decisions\n\n## Q1: Go on?\n\n- Asked in: verify, pass 4, 2026-11-21T11:00:00Z\n- Question: How should it go on?\n- Options: a, b\n- Safe default:\n- Deadline:\n- Answer:\n",
  );
  const more = appendQuestion(text, { ...draft, deadline: "2026-11-21T12:00:00Z" });
  assert.ok(more.startsWith(`${text}\n## Q2: Go on?\n`));
  assert.deepEqual(
    questions(more).map(({ id, deadline }) => [id, deadline]),
    [
      ["Q1", ""],
      ["Q2", "2026-11-21T12:00:00Z"],
    ],
  );
});

test("the earlier text stays, byte by byte, with its line endings", () => {
  for (const before of [first.replaceAll("\n", "\r\n"), first.trimEnd(), `\uFEFF${first}\n`, "", "x"]) {
    const after = appendQuestion(before, draft);
    assert.ok(after.startsWith(before));
    if (before.includes("\r\n")) assert.doesNotMatch(after, /[^\r]\n/);
    assert.equal(questions(after).at(-1)?.question, "How should it go on?");
  }
});

test("an added question is read back whole, with any text", () => {
  for (const hostile of hostileTexts) {
    const asked = {
      title: `Go ${hostile}`,
      question: `x ${hostile}`,
      options: `x ${hostile}`,
      safeDefault: `x ${hostile}`,
    };
    const [, added] = questions(appendQuestion(first, { ...draft, ...asked }));
    const { question, options, safeDefault, id, askedPass, deadline, answer } = added ?? assert.fail("no question");
    assert.deepEqual(
      [question, options, safeDefault],
      Array(3).fill(showOneLine(`x ${hostile}`).replace("<!--", "&lt;!--")),
      hostile,
    );
    assert.deepEqual([id, askedPass, deadline, answer], ["Q2", 4, "", ""], hostile);
  }
});

test("a question is not added where it would not be read", () => {
  for (const before of ["```\nopen fence\n", "<!-- open comment\n", `${first}${first}`]) {
    assert.throws(() => appendQuestion(before, draft), TaskPhaseError);
  }
});

test("a pass may add open questions, and change nothing about the old ones", () => {
  const problem = (before: string | null, after: string) =>
    sameAnswers(before === null ? null : Buffer.from(before), Buffer.from(after)).problem;
  const answered = first.replace("- Answer:", "- Answer: UTF-8");
  assert.equal(problem(first, appendQuestion(first, draft)), null);
  assert.equal(problem(null, first), null);
  assert.equal(problem(answered, `${answered}\ntext\n`), null);
  assert.equal(problem(first, answered), "the answer to Q1 was changed");
  assert.equal(problem(answered, first), "the answer to Q1 was changed");
  assert.equal(problem(first, "# Decisions\n"), "the question Q1 was removed");
  assert.equal(
    problem(first, first.replace("Safe default: UTF-8", "Safe default: rm")),
    "the question Q1 was reworded",
  );
  assert.equal(
    problem(null, answered),
    'the new question Q1 came with an answer: "UTF-8"; leave it to a person: `- Answer:`',
  );
  assert.deepEqual(sameAnswers(Buffer.from(first), Buffer.from([0xff])), {
    ok: false,
    problem: "the file is not valid UTF-8 from here on",
  });
  assert.deepEqual(sameAnswers(Buffer.from([0xff]), Buffer.from(first)), { ok: true, problem: null });
});

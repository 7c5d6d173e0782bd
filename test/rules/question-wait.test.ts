import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { askProblem, judgeAsked, waitOf } from "../../lib/rules/question-wait.ts";

const minute = 60_000;
const question = { safeDefault: "UTF-8", deadline: "2026-11-21T10:30:00Z", askedAt: "2026-11-21T10:00:00Z" };
const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const until = (fields: Partial<typeof question>, noted: string | null, waitMs = 10 * minute) => {
  const wait = waitOf({ ...question, ...fields }, noted, waitMs);
  return wait.kind === "until" ? wait.at : wait.why;
};

test("a question waits until its deadline", () => {
  assert.deepEqual(waitOf(question, "2026-11-21T10:00:00.000Z", 10 * minute), { kind: "until", at: at("10:30:00") });
});

test("it waits at least the time that a person has, counted from when the runner saw it and not from what it says", () => {
  assert.equal(until({ askedAt: "2020-01-01T00:00:00Z" }, "2026-11-21T10:25:00.000Z"), at("10:35:00"));
  assert.equal(until({ deadline: "2020-01-01T00:00:00Z" }, "2026-11-21T10:25:00.000Z"), at("10:35:00"));
  assert.equal(until({}, "2026-11-21T10:29:58.000Z", 5_000), at("10:30:03"));
});

test("where a person put it there its own date counts, and without one the deadline", () => {
  assert.equal(until({ askedAt: "2026-11-21T10:25:00Z" }, null), at("10:35:00"));
  assert.equal(until({ askedAt: "2026-11-21T10:00:00Z" }, null), at("10:30:00"));
  for (const askedAt of ["", "yesterday"]) assert.equal(until({ askedAt }, null), at("10:40:00"));
});

test("without a safe default it waits for a person, whatever the deadline", () => {
  for (const safeDefault of [
    "",
    "none",
    "None.",
    "**none**",
    "-",
    "–",
    "TBD",
    "todo",
    "?",
    "…",
    "...",
    "n/a",
    " `none` ",
  ])
    assert.equal(until({ safeDefault }, null), "no safe default", safeDefault);
  for (const safeDefault of ["no", "0", "none of them", "- a\n- b"])
    assert.equal(typeof until({ safeDefault }, null), "number", safeDefault);
});

test("without a deadline that is a time it waits for a person", () => {
  for (const deadline of ["", "none", "TBD"]) assert.equal(until({ deadline }, null), "no deadline");
  const times = [
    "tomorrow",
    "2026-11-21",
    "10:30",
    "2026-11-21T10:30:00",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
  ];
  for (const deadline of [...times, "2026-11-21T25:00:00Z", "in 10m"])
    assert.match(String(until({ deadline }, null)), /^its deadline is not a time such as/, deadline);
});

test("a time may have marks around it, a zone, parts of a second, or a space for its T", () => {
  for (const deadline of ["`2026-11-21T10:30:00Z`", "2026-11-21T12:30+02:00", "2026-11-21 10:30:00.000z"])
    assert.equal(until({ deadline }, null), at("10:30:00"), deadline);
});

test("a deadline years ahead is honoured", () => {
  assert.equal(until({ deadline: "2031-01-01T00:00:00Z" }, null), Date.parse("2031-01-01T00:00:00Z"));
});

test("no text of a question shortens its wait from when it was first seen, or ends it before its deadline", () => {
  const time = fc.date({ min: new Date(0), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true });
  fc.assert(
    fc.property(time, time, time, fc.integer({ min: 1, max: 10 ** 9 }), (noted, deadline, said, waitMs) => {
      const written = { safeDefault: "x", deadline: deadline.toISOString(), askedAt: said.toISOString() };
      const wait = waitOf(written, noted.toISOString(), waitMs);
      assert.ok(wait.kind === "until");
      assert.equal(wait.at, Math.max(deadline.getTime(), noted.getTime() + waitMs));
    }),
  );
});

test("a question is well asked with words of its own, and with a deadline that is a time or none", () => {
  const asked = { id: "Q1", title: "Which encoding?", question: "", deadline: "" };
  for (const fields of [
    {},
    { title: "", question: "Which one?" },
    { deadline: "2026-11-21T10:30:00Z" },
    { deadline: "none" },
    { deadline: "TBD" },
  ])
    assert.equal(askProblem({ ...asked, ...fields }), null, JSON.stringify(fields));
  for (const fields of [{ title: "" }, { title: "?" }, { deadline: "tomorrow" }, { deadline: "2026-02-31T10:00:00Z" }])
    assert.match(askProblem({ ...asked, ...fields }) ?? "", /Q1/, JSON.stringify(fields));
});

test("a question that its pass answered itself counts as not asked, and its problem stays", () => {
  const asked = { id: "Q1", title: "Which encoding?", question: "", deadline: "" };
  const bad = { ...asked, id: "Q2", deadline: "tomorrow" };
  const putBack = { change: "changed", guard: "protected", by: "model", restored: true, detail: null } as const;
  const judged = (path: string | null) => judgeAsked([asked, bad], path === null ? [] : [{ ...putBack, path }]);
  for (const path of [null, "README.md"]) assert.deepEqual(judged(path).questions_asked, ["Q1"]);
  assert.deepEqual(judged("DECISIONS.md").questions_asked, []);
  for (const path of [null, "DECISIONS.md"]) assert.match(judged(path).question_problems.join(), /^the deadline of Q2/);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closedForms, optionsOf } from "../../lib/documents/closed-questions.ts";
import { goOnTitle, type Question } from "../../lib/documents/decisions.ts";
import {
  type Asking,
  askOf,
  firstDefault,
  isAnswered,
  listOpen,
  listUnfollowed,
  openIds,
  timelessAsks,
} from "../../lib/task/open-questions.ts";

const hourMs = 3_600_000;
const deadline = "2026-01-31T10:00:00Z";

function question(changes: Partial<Question> = {}): Question {
  return {
    id: "Q1",
    title: "Which port?",
    askedIn: "implement",
    askedPass: 1,
    askedAt: "2026-01-31T08:00:00Z",
    question: "Which one?",
    options: "80 or 8080",
    safeDefault: "8080",
    deadline,
    answer: "",
    open: true,
    line: 3,
    ...changes,
  };
}

function asking(changes: Partial<Asking> = {}): Asking {
  return {
    history: { stop: null, askedAt: {}, askedFrom: "implement", defaulted: [] },
    phase: "needs_user_decision",
    blockers: "",
    questions: [question()],
    paused: false,
    waitMs: hourMs,
    now: new Date("2026-01-31T09:00:00Z"),
    ...changes,
  };
}

const stopped = {
  stop: { kind: "budget" },
  askedAt: {},
  askedFrom: "implement",
  defaulted: [],
} as unknown as Asking["history"];
const person = (why: string) => `${why}; it waits for a person`;

describe("what ends an open question", () => {
  const cases: Readonly<Record<string, [Partial<Asking>, string]>> = {
    "is its deadline": [{}, "until 2026-01-31T10:00:00.000Z, then its safe default is taken"],
    "is the wait after it was asked, if that is later": [
      { waitMs: 4 * hourMs },
      "until 2026-01-31T12:00:00.000Z, then its safe default is taken",
    ],
    "is the wait after the runner first saw it, whatever its words are": [
      { waitMs: hourMs, history: { ...asking().history, askedAt: { Q1: "2026-01-31T09:30:00Z" } } },
      "until 2026-01-31T10:30:00.000Z, then its safe default is taken",
    ],
    "is the next run, once the deadline has passed": [
      { now: new Date(deadline) },
      "its deadline has passed; the next run takes its safe default",
    ],
    "is a person, without a safe default": [
      { questions: [question({ safeDefault: "none" })] },
      person("no safe default"),
    ],
    "is a person, if the runner asked": [
      { questions: [question({ title: goOnTitle })] },
      person("asked by the runner itself"),
    ],
    "is a person, if the runner asked yes or no": [
      { questions: [question({ title: closedForms.manual.title })] },
      person("asked by the runner itself"),
    ],
    "is a clear answer, if there is an unclear one": [
      {
        questions: [
          question({
            title: closedForms.watched.title,
            options: optionsOf(closedForms.watched),
            answer: "perhaps",
          }),
        ],
      },
      person('its answer "perhaps" is neither yes nor no, write `accept` or `undo`'),
    ],
    "is a person, if its default was taken before": [
      { history: { ...asking().history, defaulted: ["Q1"] } },
      person("its safe default was taken earlier"),
    ],
    "is a person while the task is paused": [{ paused: true }, person("the task is paused")],
    "is a person if the runner stopped the task": [
      { history: stopped },
      person("the runner stopped the task, so no default is taken"),
    ],
    "is its deadline in a stopped task in which a person answered another one": [
      { history: stopped, questions: [question(), question({ id: "Q2", open: false, answer: "80" })] },
      "until 2026-01-31T10:00:00.000Z, then its safe default is taken",
    ],
    "is a person in a task that is over": [{ phase: "done" }, person("the task is done")],
    "is a person in an intake that is stopped and blocked": [
      { phase: "intake", history: stopped, blockers: "no network" },
      person("the task is held in intake"),
    ],
    "is its deadline in an intake without blockers": [
      { phase: "intake", history: stopped, blockers: "none" },
      "until 2026-01-31T10:00:00.000Z, then its safe default is taken",
    ],
  };
  for (const [name, [changes, end]] of Object.entries(cases)) {
    test(name, () => {
      const [open] = listOpen(asking(changes));
      assert.equal(open?.end, end);
      assert.equal(open?.due, end.startsWith("its deadline has passed"));
      assert.equal(open?.takenFrom === null, end.endsWith("waits for a person"));
    });
  }

  test("is listed for open questions alone, in the order of the file, and the first default comes first", () => {
    const questions = [
      question({ deadline: "2026-01-31T12:00:00Z" }),
      question({ id: "Q2", open: false, answer: "x" }),
      question({ id: "Q3" }),
      question({ id: "Q4", deadline: "" }),
    ];
    const open = listOpen(asking({ questions }));
    assert.deepEqual(
      open.map(({ question: { id } }) => id),
      ["Q1", "Q3", "Q4"],
    );
    assert.deepEqual(openIds(questions), ["Q1", "Q3", "Q4"]);
    assert.equal(firstDefault(open), "2026-01-31T10:00:00.000Z");
    assert.equal(firstDefault(open.slice(2)), null);
  });

  test("is told with its place, and without a time on a page", () => {
    const [open] = listOpen(asking({ questions: [question({ title: goOnTitle, line: 9 })] }));
    const { question: _words, options: _options, ...rest } = askOf(open ?? assert.fail());
    assert.deepEqual(rest, {
      id: "Q1",
      title: goOnTitle,
      safeDefault: "8080",
      ofStop: true,
      place: "DECISIONS.md:9",
      end: person("asked by the runner itself"),
      takenFrom: null,
      due: false,
    });
    const asks = timelessAsks([question(), question({ open: false })]);
    assert.deepEqual(
      asks.map(({ ofStop, end, takenFrom }) => [ofStop, end, takenFrom]),
      [[false, "", null]],
    );
  });
});

describe("a decision that a task waits for is over", () => {
  const answered = question({ open: false, answer: "80" });
  const cases: Readonly<Record<string, [Partial<Asking>, boolean]>> = {
    "if its question has an answer": [{ questions: [answered] }, true],
    "not while one is open": [{ questions: [answered, question({ id: "Q2" })] }, false],
    "not if the questions are gone": [{ questions: [] }, false],
    "not by an answer from before the stop": [
      { questions: [answered], history: { ...asking().history, askedAt: { Q2: deadline } } },
      false,
    ],
    "not in another phase": [{ questions: [answered], phase: "implement" }, false],
    "not if nothing was asked": [{ questions: [answered], history: { ...asking().history, askedFrom: null } }, false],
    "by a default, if no runner stopped the task": [
      { questions: [answered], history: { ...asking().history, defaulted: ["Q1"] } },
      true,
    ],
    "not by a default, if the runner stopped the task": [
      { questions: [answered], history: { ...stopped, defaulted: ["Q1"] } },
      false,
    ],
    "by a person, if the runner stopped the task": [{ questions: [answered], history: stopped }, true],
  };
  for (const [name, [changes, expected]] of Object.entries(cases))
    test(name, () => assert.equal(isAnswered(asking(changes)), expected));
});

test("an answer of an earlier stop, or to a question of the runner's own, is followed already", () => {
  const { title } = closedForms.watched;
  const answered = (id: string, changes: Partial<Question> = {}) =>
    question({ id, answer: "80", open: false, ...changes });
  const own = answered("Q2", { title, options: optionsOf(closedForms.watched), answer: "yes" });
  const history = { ...asking().history, askedAt: { Q2: deadline, Q3: deadline } };
  const idsOf = (changes: Partial<Asking>) => listUnfollowed(asking({ history, ...changes })).map(({ id }) => id);
  const questions = [answered("Q1"), own, answered("Q3")];
  assert.deepEqual(idsOf({ questions }), ["Q3"]);
  assert.deepEqual(idsOf({ questions, phase: "implement" }), []);
  assert.deepEqual(idsOf({ questions: [...questions, question({ id: "Q4" })] }), []);
});

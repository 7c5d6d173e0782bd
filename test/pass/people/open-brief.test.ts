import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { findOpenBrief } from "../../../lib/pass/people/open-brief.ts";
import type { TaskEvent } from "../../../lib/rules/events.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import type { TaskSession } from "../../../lib/task/session.ts";
import { at, stateFile } from "../../cli/task-states.ts";
import { makeFolder } from "../../process/arrange.ts";
import { passStarted, verdictEvent } from "../../rules/arrange.ts";

const state = (fields: Readonly<Record<string, string>> = {}) => stateFile({ phase: "implement", fields });
const mark = (digit: string) => digit.repeat(64);
const started = passStarted(1);

function changed(was: string, now: string, keys: readonly string[] | null = ["text"], text = state()): TaskEvent {
  return { type: "brief_changed", at, was: mark(was), contract_sha256: mark(now), keys: keys as string[], state: text };
}

const accepted = (text: string): TaskEvent => verdictEvent("implement", "implement", { state: text, contract: "c" });

/** What is open after these events; `briefs`: the copies of the brief by their digest. */
function find(
  t: TestContext,
  events: readonly TaskEvent[],
  { proposed = null, briefs = {} }: { proposed?: string | null; briefs?: Readonly<Record<string, string>> } = {},
) {
  const place = placeOf(makeFolder(t));
  for (const [digest, text] of Object.entries(briefs)) {
    const file = join(place.taskDir, `artifacts/passes/briefs/${mark(digest).slice(0, 16)}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return findOpenBrief({ place, journal: { events } } as unknown as TaskSession, proposed);
}

test("a changed wish is open until the objective or the done gate changes, or a line says why not", (t) => {
  const events = [started, changed("a", "b")];
  assert.deepEqual(find(t, events), { mark: "bbbbbbbb", diff: null });
  assert.deepEqual(find(t, [...events, accepted(state({ Status: "other" }))])?.mark, "bbbbbbbb");
  for (const answer of [
    state({ Objective: "Another one" }),
    state({ "Done gate": "Another one" }),
    `${state()}\n- Brief bbbbbbbb: it is in already\n`,
  ]) {
    assert.equal(find(t, [...events, accepted(answer)]), null);
    assert.equal(find(t, events, { proposed: answer }), null);
  }
  for (const words of ["Brief cccccccc: it is in already", "Brief bbbbbbbb:", "Brief bbbbbbbb: -"])
    assert.equal(find(t, [...events, accepted(`${state()}\n- ${words}\n`)])?.mark, "bbbbbbbb", words);
});

test("only the text and the title are a wish, and only once a pass worked by an objective", (t) => {
  assert.equal(find(t, [started, changed("a", "b", ["title"])])?.mark, "bbbbbbbb");
  assert.equal(find(t, [started, changed("a", "b", ["budget", "validators"])]), null);
  assert.equal(find(t, [started, changed("a", "b", null)]), null);
  assert.equal(find(t, [changed("a", "b"), started]), null);
  assert.equal(find(t, [started, changed("a", "b", ["text"], state({ Objective: "" }))]), null);
  assert.equal(find(t, []), null);
});

test("several changes are one, from the brief that the frame was stated by", (t) => {
  const briefs = { a: "# T\n\none\ntwo\nthree\n", b: "# T\n\none\n2\nthree\n", c: "# T\n\none\n2\n2.5\nthree\n" };
  assert.deepEqual(find(t, [started, changed("a", "b"), changed("b", "c")], { briefs }), {
    ...{ mark: "cccccccc", diff: "-two\n+2\n+2.5" },
  });
  const saved = { ...briefs, b: `\uFEFF${briefs.b.replace("T\n", "T  \n").replaceAll("\n", "\r\n")}` };
  assert.equal(find(t, [started, changed("a", "b")], { briefs: saved })?.diff, "-two\n+2", "line ends are no words");
  const answered = [started, changed("a", "b"), accepted(state({ Objective: "New" }))];
  const again = changed("b", "c", ["text"], state({ Objective: "New" }));
  assert.deepEqual(find(t, [...answered, again], { briefs })?.diff, "+2.5");
});

test("lines that are gone at the end are shown, and without a copy there is no difference to show", (t) => {
  const briefs = { a: "one\ntwo\ntwo\n", b: "one\ntwo\n" };
  assert.equal(find(t, [started, changed("a", "b")], { briefs })?.diff, "-two");
  assert.equal(find(t, [started, changed("a", "b")], { briefs: { b: "x" } })?.diff, null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReviewedEvent, TaskEvent } from "../../lib/rules/events.ts";
import {
  chooseReviewers,
  lastRepair,
  type ReviewedState,
  type ReviewGround,
  reviewStandings,
  rolesToAsk,
} from "../../lib/rules/review-standings.ts";
import { reported } from "./arrange.ts";

const now: ReviewedState = { phase: "review", fingerprint: "f1", frame: "F", repairedPass: 0 };

function asked(event: ReviewedEvent, state: Partial<ReviewedState> = {}): boolean {
  return rolesToAsk(reviewStandings(["tests"], { tests: event }, { ...now, ...state })).length > 0;
}

test("a role that never reported is asked, and what it said first is what stands", () => {
  const standings = reviewStandings(["tests", "security"], { security: reported({ role: "security" }) }, now);
  assert.deepEqual(standings, [
    { role: "tests", current: false, problem: "it has not reported yet", findings: [] },
    { role: "security", current: true, problem: null, findings: [] },
  ]);
  assert.deepEqual(rolesToAsk(standings), ["tests"]);
});

test("in review a readable report on this code stands, whatever STATE.md says since", () => {
  assert.equal(asked(reported()), false);
  assert.equal(asked(reported({ fingerprint: "f0" })), true);
  assert.equal(asked(reported({ problem: "it said nothing" })), true);
});

test("in shape the frame has to be the same too", () => {
  const shape = { phase: "shape" } as const;
  assert.equal(asked(reported({ phase: "shape", frame: "F" }), shape), false);
  assert.equal(asked(reported({ phase: "shape", frame: "G" }), shape), true);
});

test("a report on the frame says nothing of the result, nor the other way round", () => {
  assert.equal(asked(reported({ phase: "shape" })), true);
  assert.equal(asked(reported({ frame: "F" }), { phase: "shape" }), true);
  assert.equal(asked(reported(), { phase: "verify" }), false);
});

test("after a repair only a role that blocked looks again at code that stayed the same", () => {
  const blocked = reported({ findings: [{ severity: "blocking", text: "untrue" }] });
  assert.deepEqual(
    [asked(blocked), asked(blocked, { repairedPass: 4 }), asked(blocked, { repairedPass: 3 })],
    [false, true, false],
  );
  assert.equal(asked(reported({ findings: [{ severity: "major", text: "slow" }] }), { repairedPass: 5 }), false);
});

test("the last repair is the newest that was accepted", () => {
  const verdict = (pass: number, from: string, to: string, name: string) =>
    ({ type: "verdict", pass, from, to, verdict: name }) as unknown as TaskEvent;
  const events = [
    verdict(3, "repair", "verify", "accepted"),
    verdict(4, "repair", "repair", "accepted"),
    verdict(5, "repair", "repair", "rejected"),
    verdict(6, "verify", "review", "accepted"),
  ];
  assert.deepEqual([lastRepair(events), lastRepair([])], [3, 0]);
});

const ground: ReviewGround = { userFacing: false, wish: "Round half up in the CSV export", paths: [] };
const chosen = (change: Partial<ReviewGround>) => chooseReviewers({ ...ground, ...change }).join(" ");

test("requirements are always reviewed, and a change of prose alone by nobody else", () => {
  assert.equal(chosen({}), "requirements");
  assert.equal(chosen({ paths: ["README.md", "docs/a.txt", "docs/logo.svg"] }), "requirements");
});

test("code is reviewed for its tests, and what a user sees for usability", () => {
  assert.equal(chosen({ paths: ["src/round.ts"] }), "tests requirements");
  assert.equal(chosen({ userFacing: true }), "requirements usability");
  for (const path of ["web/app.css", "web/App.tsx", "templates/mail.eta"])
    assert.equal(chosen({ paths: [path] }), "tests requirements usability", path);
});

test("words of the brief and paths that touch rights, secrets or dependencies call for security", () => {
  for (const wish of ["Let users log in", "Store the PASSWORD hashed", "Fix an SQL injection", "authorize uploads"])
    assert.equal(chosen({ wish }), "security requirements", wish);
  for (const path of [
    "src/auth/index.ts",
    "db/migrations/1.sql",
    "package.json",
    ".github/workflows/ci.yml",
    "Dockerfile",
  ])
    assert.equal(chosen({ paths: [path] }), "security tests requirements", path);
  for (const wish of ["Name the author", "Tokenize it", "Blogins"])
    assert.equal(chosen({ wish }), "requirements", wish);
});

test("a broad change, or a brief about architecture, calls for the role architecture", () => {
  const paths = Array.from({ length: 10 }, (_, index) => `src/${index}.ts`);
  assert.equal(chosen({ paths }), "architecture tests requirements");
  assert.equal(chosen({ paths: paths.slice(1) }), "tests requirements");
  for (const wish of ["Refactor the parser", "Migrate to ESM"])
    assert.equal(chosen({ wish }), "architecture requirements", wish);
});

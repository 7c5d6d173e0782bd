import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseReviewers, type ReviewGround } from "../../lib/machine/auto-reviewers.ts";

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

test("a broad change, and a brief that says so, call for architecture", () => {
  const paths = Array.from({ length: 10 }, (_, index) => `src/${index}.ts`);
  assert.equal(chosen({ paths }), "architecture tests requirements");
  assert.equal(chosen({ paths: paths.slice(1) }), "tests requirements");
  for (const wish of ["Refactor the parser", "Migrate to ESM"])
    assert.equal(chosen({ wish }), "architecture requirements", wish);
});

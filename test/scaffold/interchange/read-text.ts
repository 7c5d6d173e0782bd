import assert from "node:assert/strict";
import { readPrd } from "../../../lib/scaffold/interchange/prd-shape.ts";
import { readJsonFile } from "../../../lib/scaffold/interchange/read-source.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

export const read = (text: string) => readPrd(readJsonFile(Buffer.from(text), "prd.json"));
export const withStory = (...entries: string[]) =>
  `{ "userStories": [{\n"id": "A",\n"title": "a",\n"passes": false${entries.map((entry) => `,\n${entry}`).join("")}\n}] }`;

/** What is wrong with a prd.json: place, message and fix. */
export function problemsOf(text: string): unknown[][] {
  try {
    read(text);
  } catch (error) {
    assert(error instanceof TaskPhaseError);
    assert.equal(error.exitName, "data");
    return error.findings.map(({ line, column, message, fix }) => [`${line}:${column}`, message, fix]);
  }
  return [];
}

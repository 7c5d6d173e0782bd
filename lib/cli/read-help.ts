import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KnownAnswers } from "./help.ts";
import { renderLine } from "./paint.ts";
import { wantsColor } from "./write-lines.ts";

/** The help under the first of these keys that the build has written into this folder; null if it has none of them. */
export function readHelp(folder: string, keys: readonly string[]): string | null {
  const answers = JSON.parse(readFileSync(join(folder, "known-answers.json"), "utf8")) as KnownAnswers;
  const key = keys.find((one) => Object.hasOwn(answers, one));
  const lines = key === undefined ? undefined : answers[key];
  if (lines === undefined) return null;
  const color = wantsColor(process.stdout, process.env, false);
  return lines.map((line) => `${renderLine(line, color)}\n`).join("");
}

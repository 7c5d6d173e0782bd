import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ProgramEnd } from "./run-program.ts";

/** How a case ended. `refused` is a loop that began no pass. */
export type EndKind = "done" | "asks" | "blocked" | "stopped" | "refused";

/** What the headline of a done task says about its proof. Null where nothing of the kind is said: a Ralph loop. */
export type Grade = "shown" | "hollow" | "kept" | "unshown";

export interface End {
  readonly kind: EndKind;
  readonly grade: Grade | null;
  /** In the contender's own words. */
  readonly why: string;
}

/** Headlines of a done task, with the grade that a reader takes from them. */
const headlines: readonly (readonly [RegExp, Grade])[] = [
  [/^Done, and proven$/, "shown"],
  [/^Done, but (?:a clone does not get|the commit \w+ does not contain) /, "unshown"],
  [/without this work,? .* fails?\b/, "shown"],
  [/^Done, but the checks only need the new code to be there/, "hollow"],
  [/^Done\. (?:Nothing broke|The present checks pass without)/, "kept"],
  [/^Done\. .* pass(?:es)?, but no test ran/, "kept"],
  [/^Done\. No file of the repo was changed/, "kept"],
  [/whether (?:it notices|they notice) this work was not shown/, "unshown"],
];

/** The end of a task as its folder shows it to a person who opens it. */
export function readEnd(taskDir: string, loop: ProgramEnd): End {
  const phase = /^- Phase: (\w+)$/m.exec(readText(taskDir, "STATE.md"))?.[1] ?? "none";
  const why = lastReason(taskDir) ?? shorten(`${loop.code}: ${loop.stdout || loop.stderr}`);
  if (phase === "done") return { kind: "done", ...readGrade(readText(taskDir, "SUMMARY.md")) };
  if (phase === "needs_user_decision") return { kind: "asks", grade: null, why };
  if (phase === "blocked") return { kind: "blocked", grade: null, why };
  return { kind: passes(taskDir) === 0 ? "refused" : "stopped", grade: null, why };
}

/** The headline is the first bold text of a quote. One that is not known is an error: the words have changed. */
export function readGrade(summary: string): { readonly grade: Grade; readonly why: string } {
  const headline = /^> \*\*(.+?)\*\*/m.exec(summary)?.[1] ?? "";
  const known = headlines.find(([pattern]) => pattern.test(headline));
  if (known === undefined)
    throw new Error(`the headline ${JSON.stringify(headline)} is not known to test/truth/ends.ts`);
  return { grade: known[1], why: headline };
}

function lastReason(taskDir: string): string | null {
  const verdicts = journal(taskDir).filter(({ type }) => type === "verdict");
  const last = verdicts.at(-1);
  const waits = journal(taskDir).findLast(({ type }) => type === "escalated");
  const reason = last?.reason;
  if (typeof reason !== "string") return null;
  const more = waits?.reason;
  return shorten(`${String(last?.from)}: ${reason}${typeof more === "string" ? `; ${more}` : ""}`);
}

function passes(taskDir: string): number {
  return journal(taskDir).filter(({ type }) => type === "pass_started").length;
}

function journal(taskDir: string): Record<string, unknown>[] {
  const lines = readText(taskDir, "artifacts/journal.jsonl").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function readText(folder: string, name: string): string {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}

import type { Heading } from "mdast";
import type { ControlCommand } from "../rules/events.ts";
import { controlCommands } from "../rules/words.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { SourceLine } from "./control-lines.ts";
import { plainLine } from "./markdown.ts";

const known = controlCommands.join(", ");

/** A line that is just a command. */
export interface LineCommand {
  readonly command: ControlCommand;
  readonly box: "none" | "open" | "ticked";
  readonly seen: boolean;
}

/**
 * The command that a line consists of, beside a box and the runner's own note; null if it says something else.
 * Emphasis, a full stop and the like are left aside.
 */
export function lineCommand({ visible }: Pick<SourceLine, "visible">): LineCommand | null {
  const match = /^(?:\[([ xX])\]\s+)?[*_]*(\p{L}+)[*_]*[.:!]?[*_]*(\s+\((?:seen|done|refused)\b[^()]*\))*$/u.exec(
    visible ?? "",
  );
  const command = match?.[2] === undefined ? null : commandOf(match[2]);
  if (match === null || command === null) return null;
  // The runner gives a box to whatever it marks.
  if (match[1] === undefined && match[3] !== undefined) return null;
  const box = match[1] === undefined ? "none" : match[1] === " " ? "open" : "ticked";
  return { command, box, seen: isSeen(visible ?? "") };
}

/** The runner has noted on it that it was seen. */
export function isSeen(words: string): boolean {
  return /\(seen \d{4}-\d\d-\d\dT/.test(words);
}

/** The command that a text begins with, in any case; null if it begins with another word. */
export function commandOf(words: string): ControlCommand | null {
  const word = firstWord(words).toUpperCase();
  return controlCommands.find((command) => command === word) ?? null;
}

function firstWord(words: string): string {
  return /^[\p{L}\p{N}_-]+/u.exec(words)?.[0] ?? words;
}

export function warnOfWord(words: string, file: string, line: number): Finding {
  const word = firstWord(words);
  const near = nearestWord(word, controlCommands);
  return warningFinding("TP_CONTROL_WORD", `'${shorten(word)}' is not a command; expected one of ${known}`, {
    file,
    line,
    fix: near === null ? "correct it, tick the item, or put it into a quote" : `did you mean ${near}?`,
  });
}

/** A sentence is a person's note, unless it begins as a command would or has one in capitals. One word alone was meant as a command. */
export function warnOfText(words: string, file: string, line: number): Finding | null {
  if (words === "") return null;
  const inside = controlCommands.find((command) =>
    new RegExp(`(?<![\\p{L}\\p{N}_-])${command}(?![\\p{L}\\p{N}_-])`, "u").test(words),
  );
  const meant = commandOf(words) ?? inside;
  if (meant !== undefined) return warnOfForm(meant, words, file, line);
  const isNote = /\s/.test(words) && nearestWord(firstWord(words), controlCommands) === null;
  return isNote ? null : warnOfWord(words, file, line);
}

export function warnOfHeading(heading: Heading, file: string): Finding | null {
  const words = plainLine(heading);
  if (/\s/.test(words) || commandOf(words) === null) return null;
  return warnOfForm(words, words, file, heading.position?.start.line ?? 1);
}

/** Someone who writes a command in another form believes that it was given. */
export function warnOfForm(command: string, words: string, file: string, line: number): Finding | null {
  const meant = commandOf(command);
  if (meant === null || /^\[x\]/i.test(words)) return null;
  return warningFinding("TP_CONTROL_FORM", `${meant} is not read as a command in this form`, {
    file,
    line,
    fix: `write ${meant} alone on its line, or as an item: - [ ] ${meant}`,
  });
}

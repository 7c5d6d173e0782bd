import { isPhase, type Phase } from "../rules/phases.ts";
import { fieldWords, stateFields } from "../rules/state-view.ts";
import { saysNone } from "./says-none.ts";

/**
 * The phase of a STATE.md whose form leaves no doubt: headings, then the seventeen fields as one block of plain lines
 * `- Label: value`, and no other list that could have a phase. Null for every other form, also for what is not a
 * STATE.md: `readState` must say then. Where this says a phase, `readState` says the same one, in a hundred times the
 * time.
 */
export function plainPhase(text: string): Phase | null {
  const phase = plainFields(text)?.get("Phase") ?? "";
  return isPhase(phase) ? phase : null;
}

/** What a list shows of a STATE.md. */
export interface StateScan {
  readonly phase: Phase;
  /** As `readState` reads it. */
  readonly blockers: string;
}

/**
 * Reads phase and Blockers of a text that `easyText` passed; null if it is unsure, or if Blockers are more than a few
 * plain words. Never wrong where it answers.
 */
export function scanState(text: string): StateScan | null {
  const fields = plainFields(text);
  const [phase = "", blockers = ""] = [fields?.get("Phase"), fields?.get("Blockers")];
  if (!isPhase(phase) || !/^(?:[A-Za-z0-9](?:[A-Za-z0-9 ,.'()/;-]*[A-Za-z0-9.)])?)?$/.test(blockers)) return null;
  return { phase, blockers: blockers !== "" && saysNone(blockers) ? "none" : blockers };
}

/** The values by label, if the form leaves no doubt and every closed value is one of its words. */
function plainFields(text: string): ReadonlyMap<string, string> | null {
  // Anything that the guard of task files checks more closely is left to it.
  if (text.length > 64 * 1024 || /[^\n\x20-\x7e\u00a0-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u21ff]/.test(text))
    return null;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => !(line === "" || line.startsWith("# ")));
  if (start < 1 || lines[start - 1] !== "") return null;
  const length = lines.slice(start).indexOf("");
  const block = length < 0 ? lines.slice(start) : lines.slice(start, start + length);
  const rest = lines.slice(start + block.length).filter((line) => line !== "");
  // A line that is not a heading could continue with the last item of the list.
  if (rest[0]?.startsWith("#") === false || mayHoldPhase(rest)) return null;
  const fields = block.map((line) => /^- ([A-Z][A-Za-z ]*):(?: (.*))?$/.exec(line));
  const values = new Map(
    fields.flatMap((match) => (match === null ? [] : [[match[1] ?? "", match[2] ?? ""] as const])),
  );
  if (values.size !== stateFields.length || block.length !== stateFields.length) return null;
  return stateFields.every(({ key, label }) => isPlainValue(key, values.get(label))) ? values : null;
}

function isPlainValue(key: (typeof stateFields)[number]["key"], value: string | undefined): boolean {
  if (value === undefined) return false;
  if (key === "last_updated") return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/.test(value) && isTime(value);
  const words = fieldWords[key];
  return words === undefined || words.includes(value);
}

function isTime(value: string): boolean {
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === value.slice(0, 19);
}

/** Whether an item below the fields could be labelled `Phase`. If the tree alone can tell, it could. */
function mayHoldPhase(rest: readonly string[]): boolean {
  // An item in any place and at any depth, also in a quote or in code: what it is there need not be known.
  const first = rest.findIndex((line) => /^[ >]*(?:[-*+]|\d+[.)])(?: |$)/.test(line));
  if (first < 0) return false;
  const text = rest.slice(first).join("\n");
  // References, HTML and links: a reader sees other letters there than are in the text.
  if (/[&<[]/.test(text)) return true;
  for (const { index } of text.matchAll(/p[^a-z:]*h[^a-z:]*a[^a-z:]*s[^a-z:]*e[^a-z:]*:/gi)) {
    let start = index;
    while (start > 0 && !/[a-z:]/i.test(text[start - 1] ?? "")) start--;
    // Nothing but marks between that and the marker of an item.
    if (/[-*+.)]/.test(text.slice(start, index))) return true;
  }
  return false;
}

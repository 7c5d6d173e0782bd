import { type Gate, gate } from "./gate.ts";
import type { StateView } from "./state-view.ts";

export function openFindings(state: StateView): readonly string[] {
  return state.findings.filter((finding) => finding.trim() !== "");
}

export function findingsClosed(state: StateView): Gate {
  const open = openFindings(state);
  const first = oneLine(open[0] ?? "");
  const many = open.length === 1 ? "1 is open" : `${open.length} are open`;
  return gate(
    "findings_closed",
    "No item under Findings is open",
    open.length === 0,
    open.length === 0 ? "none open" : `${many}, the first: ${first}`,
    `of the items under Findings ${many}: ${first}; propose \`repair\`, which makes a ticket of each, tick what you saw to be fixed (\`- [x]\`), or move what is not a defect to Notes and say why`,
  );
}

/**
 * A pass must tick an open finding, or explain it under Notes. A repair, which has findings as tickets, may answer in a
 * new Current result instead.
 */
export function findingsKept(before: StateView, after: StateView): Gate[] {
  const repairs = before.phase === "repair";
  const answers = repairs && squash(after.fields.current_result) !== squash(before.fields.current_result);
  const removed = answers ? [] : removedFindings(before, after);
  if (removed.length === 0) return [];
  const first = oneLine(removed[0] ?? "");
  return [
    gate(
      "findings_kept",
      "No open finding was removed",
      false,
      `${removed.length} removed, the first: ${first}`,
      `${removed.length === 1 ? "a finding" : `${removed.length} findings`} that was open is gone from Findings: ${first}; put it back, tick it (\`- [x]\`) if it is fixed, or move it to Notes and say why it is no defect${repairs ? "; or write a new Current result that says what became of it" : ""}`,
    ),
  ];
}

function removedFindings(before: StateView, after: StateView): string[] {
  const open = openFindings(before);
  const known = open.map(squash);
  const notes = after.notes.map(squash);
  const earlier = before.notes.map(squash);
  // Notes beside the findings: a heading or another item may explain several.
  const isExplained = notes
    .filter((note) => !earlier.includes(note))
    .map((note) => known.reduce((rest, finding) => rest.replaceAll(finding, " "), note))
    .some((rest) => /\p{L}{2}/u.test(rest));
  const kept = [...[...after.findings, ...after.closed_findings].map(squash), ...(isExplained ? notes : [])];
  return open.filter((finding) => !kept.some((other) => other.includes(squash(finding))));
}

function squash(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 120);
}

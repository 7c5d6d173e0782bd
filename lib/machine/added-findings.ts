import type { StateView } from "./state-view.ts";

/** The findings that this proposal added. */
export function addedFindings(before: StateView, after: StateView): string[] {
  const rest = [...before.findings];
  return after.findings.filter((finding) => {
    if (finding.trim() === "") return false;
    const at = rest.indexOf(finding);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

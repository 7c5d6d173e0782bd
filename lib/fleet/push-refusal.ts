import type { FenceRefusal } from "../anchor/ports.ts";
import { showUrl } from "../git/push-target.ts";
import type { SwapEnd } from "../git/swap-ref.ts";
import { errorFinding, type Finding, warningFinding } from "../report/finding.ts";
import { shorten } from "../text/shorten.ts";
import type { FenceRequest } from "./fence-request.ts";

/** The end of a run whose step is not in the remote. `kept`: the ref or folder of its work; null: its working tree. */
export function refusalOf(
  { url, ref, place }: FenceRequest,
  pass: number,
  end: Exclude<SwapEnd, { kind: "swapped" }>,
  kept: string | null,
  claims: boolean,
): FenceRefusal {
  const branch = ref.replace(/^refs\/heads\//, "");
  const where = `${branch} of ${showUrl(url)}`;
  const file = place.note;
  const finding = (): Finding => {
    switch (end.kind) {
      case "lost": {
        const message = claims
          ? `pass ${pass} was claimed elsewhere: ${where} was moved before this claim arrived`
          : `pass ${pass} does not count: ${where} has moved since it was claimed`;
        return warningFinding("TP_SUPERSEDED", message, {
          fix: `nothing to do: ${sayWork(claims, kept)}`,
        });
      }
      case "refused":
        return errorFinding("TP_PUSH_REFUSED", `${where} refused pass ${pass}: ${shorten(end.why, 300)}`, {
          file,
          fix: `allow the account that pushes for task-phase to push to task-phase/*${sayNext(claims, kept)}`,
        });
      case "unreachable":
        return warningFinding(
          "TP_PUSH_UNREACHABLE",
          `pass ${pass} could not be pushed to ${where}: ${shorten(end.why, 300)}`,
          {
            file,
            fix: "run it again on this machine: if nobody else has taken the task, its work is pushed then",
          },
        );
    }
  };
  return { exitName: end.kind === "refused" ? "failure" : "locked", findings: [finding()] };
}

/** What a refused verdict waits for: it is in the working tree, whatever else has a copy. */
function sayNext(claims: boolean, kept: string | null): string {
  if (claims) return `; ${sayWork(claims, kept)}`;
  const copy = kept === null ? "" : `, and a copy is ${kept}`;
  return `, and run it again on this machine: the work is in its working tree${copy}`;
}

function sayWork(claims: boolean, kept: string | null): string {
  if (claims) return "no model was called";
  return kept === null ? "the work stays in this machine's working tree" : sayKept(kept);
}

/** `kept`: a full name of a ref, or a folder. */
export function sayKept(kept: string): string {
  return kept.startsWith("refs/")
    ? `the work is kept as ${kept}`
    : `the remote accepts no ref for the work, so it is kept in ${kept}`;
}

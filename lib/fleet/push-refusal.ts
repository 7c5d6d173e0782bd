import { join } from "node:path";
import { renderRefLock } from "../git/own-ref.ts";
import { showUrl } from "../git/push-target.ts";
import type { SwapEnd } from "../git/swap-ref.ts";
import type { FenceRefusal } from "../task/records/ports.ts";
import { stands } from "../task/records/task-place.ts";
import { errorFinding, type Finding, warningFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import { shorten } from "../text/shorten.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { ClaimPlace } from "./claim-place.ts";
import { findCheckedOut } from "./local-work.ts";
import { type FenceRequest, seenRef } from "./see-branch.ts";

/** `late claim`: reviewers or first checks ran on an earlier claim of the same run. */
export type PushedStep = "claim" | "late claim" | "verdict";

/** The end of a run whose step is not in the remote. `kept`: the ref or folder of its work; null: its working tree. */
export function refusalOf(
  { url, ref, place, local, note }: FenceRequest,
  pass: number,
  end: Exclude<SwapEnd, { kind: "swapped" }>,
  kept: string | null,
  step: PushedStep,
): FenceRefusal {
  const branch = branchName(ref);
  const where = `${branch} of ${showUrl(url)}`;
  const file = place.note;
  const checkedOut = end.kind === "refused" && local !== null ? findCheckedOut(local.tree, ref) : null;
  if (checkedOut !== null)
    return { exitName: "locked", findings: [{ ...checkedOut, fix: `${checkedOut.fix}${sayNext(step, kept)}` }] };
  const refLock = local === null ? null : renderRefLock(local.tree, [ref, seenRef(note.task)]);
  const finding = (): Finding => {
    switch (end.kind) {
      case "lost": {
        const was = end.theirs === null ? "was deleted" : "was moved";
        const messages = {
          claim: `pass ${pass} was claimed elsewhere: ${where} ${was} before this claim arrived`,
          "late claim": `pass ${pass} does not count: ${where} ${was} after its reviewers or its first checks ran`,
          verdict: `pass ${pass} does not count: ${where} ${end.theirs === null ? was : "has moved"} since it was claimed`,
        };
        return warningFinding("TP_SUPERSEDED", messages[step], { fix: `nothing to do: ${sayWork(step, kept)}` });
      }
      case "refused":
        return errorFinding("TP_PUSH_REFUSED", `${where} refused pass ${pass}: ${shorten(end.why, 300)}`, {
          file,
          fix: `allow the account that pushes for task-phase to push to task-phase/*${sayNext(step, kept)}`,
        });
      case "unreachable":
        return warningFinding(
          "TP_PUSH_UNREACHABLE",
          `pass ${pass} could not be pushed to ${where}: ${shorten(end.why, 300)}`,
          {
            file,
            fix: `${refLock === null ? "" : `${refLock}; then `}run it again on this machine: if nobody else has taken the task, its work is pushed then`,
          },
        );
    }
  };
  return { exitName: end.kind === "refused" ? "failure" : "locked", findings: [finding()] };
}

/** What a refused verdict waits for: it is in the working tree, whatever else has a copy. */
function sayNext(step: PushedStep, kept: string | null): string {
  if (step !== "verdict") return `; ${sayWork(step, kept)}`;
  const copy = kept === null ? "" : `, and a copy is ${kept}`;
  return `, and run it again on this machine: the work is in its working tree${copy}`;
}

function sayWork(step: PushedStep, kept: string | null): string {
  if (step === "claim") return "no model was called";
  return kept === null ? "the work stays in this machine's working tree" : sayKept(kept);
}

/** `kept`: a full name of a ref, or a folder. */
export function sayKept(kept: string): string {
  return kept.startsWith("refs/")
    ? `the work is kept as ${kept}`
    : `the remote accepts no ref for the work, so it is kept in ${kept}`;
}

/** For example `refs/task-phase/lost/T-1/3-ATTEMPT`. */
export function lostRef(branch: string, pass: number, attempt: string): string {
  return `${lostRefsOf(branch)}${pass}-${attempt}`;
}

/** What all of a task are under, such as `refs/task-phase/lost/T-1/`. */
export function lostRefsOf(branch: string): string {
  return `refs/task-phase/lost/${branch.slice(branch.lastIndexOf("/") + 1)}/`;
}

/**
 * Where the working tree of a lost pass is kept if the remote takes no ref for it: a folder that is not there yet, since
 * a scheduler may give each call the same name. The lock of the task is held.
 */
export function findLostTree({ lost }: Pick<ClaimPlace, "lost">, { pass, attempt }: ClaimNote): string {
  const folder = join(lost, `${pass}-${attempt}`);
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? folder : `${folder}-${count}`;
    if (!stands(free)) return free;
  }
}

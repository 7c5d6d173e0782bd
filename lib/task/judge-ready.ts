import type { Contract } from "../documents/contract.ts";
import { errorFinding, type Finding } from "../text/finding.ts";

/**
 * A task without a required validator could never be proven, and one with an empty brief has nothing to do: an error
 * for each, before its first pass.
 */
export function judgeReady(
  { contract, isEmpty }: { readonly contract: Pick<Contract, "validators">; readonly isEmpty: boolean },
  { readme, lastPass }: { readonly readme: string; readonly lastPass: number },
): Finding[] {
  if (lastPass > 0) return [];
  const findings: Finding[] = [];
  if (!contract.validators.some((check) => check.required)) {
    findings.push(
      errorFinding(
        "TP_NO_CHECK",
        "the contract has no required validator, so nothing could show that the work is done",
        {
          file: readme,
          fix: "name the command that tests the repo in the front matter, for example: `validators: [{ name: tests, command: [npm, test] }]`",
        },
      ),
    );
  }
  if (isEmpty) {
    findings.push(
      errorFinding("TP_BRIEF_EMPTY", "the brief has nothing but headings and comments", {
        file: readme,
        fix: "write what you want into it, in words, below the front matter",
      }),
    );
  }
  return findings;
}

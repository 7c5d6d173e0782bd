import { type CheckResult, checksHold, failedChecks, nameTests } from "./check-run.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { type Cell, cellHolds, gradeProof, isHeldOut, type MatrixFacts, type Proof, renderVersion } from "./matrix.ts";
import { isExcused, renderUnsteady } from "./steadiness.ts";

/**
 * Whether a clean copy passes, held-out checks pass, and, if the contract requires it, a check fails without the work.
 * Judged only if the checks passed in the repo.
 */
export function matrixHolds(input: GateInput): Gate[] {
  const { matrix, checks } = input;
  if (checks === null || !checksHold(checks)) return [];
  if (matrix === null) return [notJudged()];
  return [
    onPresentCode(input, matrix),
    ...steadySince(matrix),
    ...cleanCopyPasses(input, matrix),
    ...heldOutPass(input, matrix),
    ...failsWithout(input, matrix),
    ...wrongNoticed(input, matrix),
  ];
}

function notJudged(): Gate {
  const failed = "the proof was not run on the current code";
  return gate("proof_judged", "The proof was run", false, failed, failed);
}

/** If the repo moved between checks and verdict, another gate reports it. */
function onPresentCode(input: GateInput, matrix: MatrixFacts): Gate {
  const same = matrix.fingerprint === input.checks?.fingerprint_after;
  return gate(
    "proof_on_present_code",
    "The proof is about the code that the checks ran on",
    same,
    same ? "same fingerprint" : "the repo changed since",
    "the proof was run on other code: the repo has changed since",
  );
}

/** A check that fails now and then is no proof, unless it did so before this work. */
function steadySince({ steadiness = [] }: MatrixFacts): Gate[] {
  return steadiness.map((check): Gate => {
    const told = renderUnsteady(check);
    const name = `${check.name} is as steady as before this work`;
    const found = isExcused(check) ? told : `${told}; see ${check.log}`;
    return { ...gate(`unsteady_${check.name}`, name, isExcused(check), found, found), onFailure: "redirect" };
  });
}

function cleanCopyPasses({ policy }: GateInput, matrix: MatrixFacts): Gate[] {
  const { clean, calibration, no_clean } = matrix;
  const name = "A fresh copy of what git lists passes the checks";
  const required = policy.proof.clean === "require";
  if (policy.proof.clean === "off") return [];
  if (clean === null) {
    const why = no_clean ?? "no clean copy was made";
    const failed = `proof.clean is \`require\`, and no clean copy could be judged: ${why}`;
    return [{ ...gate("clean_copy", name, !required, `not judged: ${why}`, failed), onFailure: "redirect" }];
  }
  const failing = { ...clean, results: clean.results.filter((result) => !isHeldOut(result)) };
  if (cellHolds(failing)) return [gate("clean_copy", name, true, "it does", "")];
  const out = renderLeftOut(matrix);
  const lacks = out === "" ? "" : `, which lacks ${out},`;
  const failed = `a fresh copy of what git lists${lacks} does not pass: ${nameFailed(failing)}`;
  if (calibration.kind === "good" || required)
    return [{ ...gate("clean_copy", name, false, failed, failed), onFailure: "redirect" }];
  const why = calibration.reason ?? "it was not calibrated at pass 1";
  return [gate("clean_copy", name, true, `not judged, since this repo cannot be judged in a copy (${why})`, "")];
}

/** Without a copy, a required held-out check has not passed. */
function heldOutPass({ policy }: GateInput, { clean, no_clean }: MatrixFacts): Gate[] {
  return policy.required_held_out.map((name): Gate => {
    const result = clean?.results.find((one) => isHeldOut(one) && one.name === name);
    const ok = result?.status === "pass";
    const how =
      result === undefined
        ? (no_clean ?? "it did not run")
        : result.status === "fail"
          ? "it fails"
          : howItEnded(result);
    return {
      ...gate(
        `held_out_${name}`,
        `Held-out check ${name} passes in a clean copy`,
        ok,
        ok ? "exit code 0" : how,
        `held-out check ${name} did not pass in a clean copy: ${how}`,
      ),
      onFailure: "redirect",
    };
  });
}

function failsWithout({ policy, checks }: GateInput, matrix: MatrixFacts): Gate[] {
  if (policy.proof.without !== "require") return [];
  const proof = gradeProof(checks, matrix);
  const why = notShown(proof);
  return [
    {
      ...gate(
        "without_check",
        "A check fails without this work",
        proof.grade === "shown",
        proof.grade === "shown" ? proof.failing.join(", ") : why,
        `proof.without is \`require\`: ${why}`,
      ),
      onFailure: "redirect",
    },
  ];
}

/** If the contract requires it, a check notices every wrong version of the work that could be run. */
function wrongNoticed({ policy, checks }: GateInput, matrix: MatrixFacts): Gate[] {
  if (policy.proof.wrong !== "require") return [];
  const proof = gradeProof(checks, matrix);
  const missed = matrix.wrong?.versions.filter(({ outcome }) => outcome === "unnoticed") ?? [];
  const ok = proof.grade === "shown" && missed.length === 0;
  const named = missed.slice(0, mostNamed).map(renderVersion).join("; ");
  const why = missed.length > 0 ? `no check notices ${named}` : proof.grade === "shown" ? "" : notShown(proof);
  const found = ok ? `${proof.wrong?.noticed ?? 0} of ${proof.wrong?.tried ?? 0} noticed` : why;
  return [
    {
      ...gate(
        "wrong_noticed",
        "A check notices each wrong version of the work",
        ok,
        found,
        `proof.wrong is \`require\`: ${why}`,
      ),
      onFailure: "redirect",
    },
  ];
}

function notShown({ grade, reason }: Proof): string {
  if (grade === "kept") return "every check also passes without this work, so none shows that the work is there";
  return reason ?? "the checks only need the new code to be there, whatever it does";
}

const mostNamed = 5;
const mostTests = 3;

/** `tests (exit 1: rounds up, rounds down; see artifacts/passes/0004/proof/clean/tests.log)` */
export function nameFailed(cell: Cell): string {
  const failed = failedChecks(cell);
  const named = failed.slice(0, mostNamed).map((result) => {
    const what = whatFailed(result);
    return `${result.name} (${howItEnded(result)}${what === null ? "" : `: ${what}`}; see ${result.log})`;
  });
  return `${named.join(", ")}${failed.length > mostNamed ? `, and ${failed.length - mostNamed} more` : ""}`;
}

function howItEnded({ status, exit_code, signal, unmet }: CheckResult): string {
  if (unmet !== undefined) return unmet;
  if (status === "timeout") return "it ran out of time";
  return status === "fail" ? `exit ${exit_code ?? signal}` : "it did not start";
}

/** The first tests that failed, else what the output says; null if neither is known, and for a held-out check, which stays hidden. */
export function whatFailed(result: CheckResult): string | null {
  const { status, unmet, failure } = result;
  if (status !== "fail" || unmet !== undefined || failure === undefined || isHeldOut(result)) return null;
  return failure.tests.length === 0 ? failure.said : nameTests(failure.tests, mostTests);
}

const usualWhy =
  "a file that git ignores, a link that leaves the repo, a nested repository, a special file, or something in a folder of dependencies that no lockfile brought";

/** `a.js, b.js (why)`: what a clean copy lacks, and each reason once; empty if it lacks nothing. */
export function renderLeftOut({ left_out }: MatrixFacts): string {
  const named = new Map<string, string[]>();
  for (const entry of left_out.slice(0, mostNamed)) {
    const [, path = entry, why = usualWhy] = /^(.*) \(([^()]*)\)$/.exec(entry) ?? [];
    named.set(why, [...(named.get(why) ?? []), path]);
  }
  const more = left_out.length > mostNamed ? [`and ${left_out.length - mostNamed} more`] : [];
  return [...[...named].map(([why, paths]) => `${paths.join(", ")} (${why})`), ...more].join(", ");
}

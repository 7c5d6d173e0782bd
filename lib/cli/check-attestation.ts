import type { TaskPlace } from "../anchor/task-place.ts";
import { stands } from "../anchor/task-place.ts";
import { checkAttestation, saysDone } from "../attest/check-attestation.ts";
import type { AllowedSigners } from "../git/allowed-signers.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import type { Finding } from "../report/finding.ts";
import type { CheckKeys } from "../shapes/reports/check.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import { type Line, paint } from "./paint.ts";
import { findVerifier } from "./read-signers.ts";
import type { Target } from "./target.ts";

/** The part of a `check` report that `--attestation` adds. */
interface CheckedAttestations {
  readonly findings: readonly Finding[];
  readonly exits: readonly ExitName[];
  readonly json: NonNullable<CheckKeys["attestations"]>;
  readonly answer: readonly Line[];
}

/** Judges the attestation of the task that was named; of a root, those of its tasks that have one or should. */
export async function checkAttested(
  places: readonly TaskPlace[],
  idOf: (place: TaskPlace) => string,
  allowedSigners: AllowedSigners | null,
  target: Target["kind"],
  { env }: CommandContext,
): Promise<CheckedAttestations> {
  const asked = places.filter((place) => target === "task" || stands(place.attestation) || saysDone(place));
  const [first] = asked;
  if (first === undefined || allowedSigners === null) {
    return { findings: [], exits: [], json: [], answer: ["attestations: no task is done"] };
  }
  try {
    const tool = await findVerifier(first.tasksRoot, env);
    const findings: Finding[] = [];
    const json: { folder: string; ok: boolean; signer: string | null }[] = [];
    const answer: Line[] = [];
    for (const place of asked) {
      const checked = await checkAttestation(place, idOf(place), { tool, allowedSigners });
      const ok = checked.findings.length === 0;
      findings.push(...checked.findings);
      json.push({ folder: place.taskDir, ok, signer: checked.signer });
      const by = checked.signer === null ? "" : `, signed by ${shorten(checked.signer, 100)}`;
      answer.push([`attestation of ${idOf(place)}: `, paint(ok ? "good" : "bad", ok ? "holds" : "does not hold"), by]);
    }
    return { findings, exits: findings.length > 0 ? ["data"] : [], json, answer };
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName === "usage") throw error;
    return { findings: error.findings, exits: [error.exitName], json: [], answer: ["attestations: not judged"] };
  }
}

import { nameRunner, type OpenClaim } from "../machine/claim.ts";
import type { PassRunner } from "../machine/events.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { shorten } from "../text/shorten.ts";

/** Somebody else holds the pass (TP_CLAIMED), until a time. */
export class HeldClaimError extends TaskPhaseError {
  /** ISO 8601, UTC. */
  readonly until: string;

  constructor(task: string, { pass, until }: OpenClaim, runner: PassRunner) {
    const who = `${shorten(nameRunner(runner), 120)} (${shorten(runner.attempt, 60)})`;
    const message = `pass ${pass} of ${task} is claimed by ${who} until ${until}`;
    const fix = "try again then; if you know that run is dead, use --takeover";
    super("locked", [errorFinding("TP_CLAIMED", message, { fix })]);
    this.until = until;
  }
}

import type { lookAnswer, manualScenario, manualStanding } from "../shapes/facts.ts";
import type { Shape } from "../text/shape.ts";
/** A scenario of the contract that a person plays: nothing runs. */
export type ManualScenario = Shape<typeof manualScenario>;

/** What a person answered about one of them. It holds for exactly this code and these words. */
export type LookAnswer = Shape<typeof lookAnswer>;

/** A manual scenario, and what a person answered about the code of the verdict; null: nothing yet. */
export type ManualStanding = Shape<typeof manualStanding>;

/** The question that the runner asked about them, until someone answers. */
export interface LookAsked {
  readonly question: string;
  readonly fingerprint: string;
  readonly scenarios: readonly ManualScenario[];
}

/** Each manual scenario with the answer to its present words about this code; the newest one counts. */
export function standManual(
  scenarios: readonly ManualScenario[],
  answers: readonly LookAnswer[],
  fingerprint: string,
): ManualStanding[] {
  return scenarios.map(({ name, look }) => {
    const found = answers.findLast((one) => one.name === name && one.look === look && one.fingerprint === fingerprint);
    return {
      name,
      look,
      answer: found === undefined ? null : { holds: found.holds, said: found.said, question: found.question },
    };
  });
}

/** Those that nobody has answered. */
export function openLooks(standings: readonly ManualStanding[]): ManualStanding[] {
  return standings.filter(({ answer }) => answer === null);
}

/** Those that a person said no to. */
export function refusedLooks(standings: readonly ManualStanding[]): ManualStanding[] {
  return standings.filter(({ answer }) => answer?.holds === false);
}

/** The names of those that a person said yes to. */
export function heldLooks(standings: readonly ManualStanding[]): string[] {
  return standings.flatMap(({ name, answer }) => (answer?.holds === true ? [name] : []));
}

/** As `page (the header fits at 360 px)`. */
export function renderLook({ name, look }: ManualScenario): string {
  return `${name} (${look})`;
}

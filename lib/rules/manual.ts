import type { Shape } from "../text/shape.ts";
import type { lookAnswer, manualScenario, manualStanding } from "./shapes/facts.ts";
export type ManualScenario = Shape<typeof manualScenario>;

/** For exactly this code and these words. */
export type LookAnswer = Shape<typeof lookAnswer>;

export type ManualStanding = Shape<typeof manualStanding>;

export interface LookAsked {
  readonly question: string;
  readonly fingerprint: string;
  readonly scenarios: readonly ManualScenario[];
}

/** The newest answer to the present words about this code counts. */
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

export function openLooks(standings: readonly ManualStanding[]): ManualStanding[] {
  return standings.filter(({ answer }) => answer === null);
}

export function refusedLooks(standings: readonly ManualStanding[]): ManualStanding[] {
  return standings.filter(({ answer }) => answer?.holds === false);
}

export function heldLooks(standings: readonly ManualStanding[]): string[] {
  return standings.flatMap(({ name, answer }) => (answer?.holds === true ? [name] : []));
}

/** `page (the header fits at 360 px)` */
export function renderLook({ name, look }: ManualScenario): string {
  return `${name} (${look})`;
}

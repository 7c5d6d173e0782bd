import type { Shape } from "../text/shape.ts";
import type { manualAnswer, manualScenario, manualStanding } from "./shapes/facts.ts";
export type ManualScenario = Shape<typeof manualScenario>;

/** For exactly this code and these words. */
export type ManualAnswer = Shape<typeof manualAnswer>;

export type ManualStanding = Shape<typeof manualStanding>;

export interface ManualAsked {
  readonly question: string;
  readonly fingerprint: string;
  readonly scenarios: readonly ManualScenario[];
}

/** The newest answer to the present words about this code counts. */
export function standManual(
  scenarios: readonly ManualScenario[],
  answers: readonly ManualAnswer[],
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

export function openManual(standings: readonly ManualStanding[]): ManualStanding[] {
  return standings.filter(({ answer }) => answer === null);
}

export function refusedManual(standings: readonly ManualStanding[]): ManualStanding[] {
  return standings.filter(({ answer }) => answer?.holds === false);
}

export function passedManual(standings: readonly ManualStanding[]): string[] {
  return standings.flatMap(({ name, answer }) => (answer?.holds === true ? [name] : []));
}

/** `page (the header fits at 360 px)` */
export function renderManual({ name, look }: ManualScenario): string {
  return `${name} (${look})`;
}

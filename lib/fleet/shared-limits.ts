import type { SharedLimits } from "../anchor/ports.ts";
import type { FleetConfig } from "../config/fleet-schema.ts";
import { noLimits } from "../config/limits-schema.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { accountOf } from "./choose-jobs.ts";
import type { Rest } from "./engine/engine.ts";
import type { Answers, Question } from "./pass-messages.ts";

export interface LimitsSource {
  ask<Kind extends Question["kind"]>(question: Extract<Question, { kind: Kind }>): Promise<Answers[Kind]>;
  /** That of the base branch; asked for once, after the fetch. */
  readFleet(): Promise<Pick<LoadedConfig, "fleet" | "models">>;
  /** For people: what was not passed on. */
  tell(line: string): void;
}

/** The limits of the base branch count: a task's own branch may be older, and an agent writes there. */
export function sharedLimits({ ask, readFleet, tell }: LimitsSource): SharedLimits {
  let fleet: FleetConfig | null = null;
  let resting: ReadonlyMap<string, Rest> | null = null;
  const quietly = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      tell(`${what} could not be passed on: ${error.message}`);
    }
  };
  const begin = async (): Promise<ReadonlyMap<string, Rest>> => {
    const read = await readFleet();
    fleet = read.fleet;
    const rests = await ask({ kind: "rests" });
    const entries = read.models.flatMap(({ name: model }) => {
      const rest = rests.get(accountOf(model, fleet).name);
      return rest === undefined ? [] : [[model, rest] as const];
    });
    return new Map(entries);
  };
  return {
    rests: () => resting ?? new Map(),
    reserve: async ({ pass, model, estimate }) => {
      const { name: account, concurrent, startsPerMinute } = accountOf(model, fleet);
      const limits = { concurrent, startsPerMinute, day: fleet?.budget.day ?? noLimits };
      return await ask({ kind: "reserve", call: { pass, account, limits, estimate } });
    },
    rested: (model, { until, reason }) =>
      quietly("a limit of the account", () =>
        ask({ kind: "cool", account: accountOf(model, fleet).name, until, reason }),
      ),
    accepted: async (attempts) => {
      // The journal has it: whoever looks next settles what is not settled now.
      await quietly("the state of the journal", () => ask({ kind: "attempts", attempts }));
      resting ??= await begin();
    },
  };
}

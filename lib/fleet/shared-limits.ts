import { noLimits } from "../documents/config/limits-schema.ts";
import type { LoadedConfig } from "../documents/config/load-config.ts";
import type { SharedCooldown, SharedLimits } from "../task/records/ports.ts";
import { catchForeseenIn } from "../text/attempt.ts";
import { accountOf } from "./choose-jobs.ts";
import type { PassChannel } from "./pass-channel.ts";

type BaseConfig = Pick<LoadedConfig, "fleet" | "models">;

interface FleetLimits extends SharedLimits {
  /** Must be called before the pass asks for anything. */
  setBase(base: BaseConfig): void;
}

/** The limits of the base branch count: a task's own branch may be older, and an agent writes there. */
export function sharedLimits({ ask, tell }: Pick<PassChannel, "ask" | "tell">): FleetLimits {
  let base: BaseConfig | null = null;
  let cooling: ReadonlyMap<string, SharedCooldown> | null = null;
  const quietly = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    await catchForeseenIn(act, ({ message }) => tell(`${what} could not be passed on: ${message}`));
  };
  const accountFor = (model: string) => accountOf(model, base?.fleet ?? null);
  const findCooldowns = async ({ models }: BaseConfig): Promise<ReadonlyMap<string, SharedCooldown>> => {
    const cooldowns = await ask({ kind: "cooldowns" });
    const entries = models.flatMap(({ name: model }) => {
      const cooldown = cooldowns.get(accountFor(model).name);
      return cooldown === undefined ? [] : [[model, cooldown] as const];
    });
    return new Map(entries);
  };
  return {
    setBase: (read) => {
      base = read;
    },
    cooldowns: () => cooling ?? new Map(),
    reserve: async ({ pass, model, estimate }) => {
      const { name: account, concurrent, startsPerMinute } = accountFor(model);
      const limits = { concurrent, startsPerMinute, day: base?.fleet?.budget.day ?? noLimits };
      return await ask({ kind: "reserve", call: { pass, account, limits, estimate } });
    },
    cooled: (model, { until, reason }) =>
      quietly("a limit of the account", () => ask({ kind: "cool", account: accountFor(model).name, until, reason })),
    accepted: async (attempts) => {
      // The journal has it: a later call settles what is not settled now.
      await quietly("the state of the journal", () => ask({ kind: "attempts", attempts }));
      // Report what an earlier run left before reading the base branch.
      if (base !== null) cooling ??= await findCooldowns(base);
    },
  };
}

import { errorFinding, type Finding } from "../report/finding.ts";
import type { StrictYaml } from "../task-folder/strict-yaml.ts";
import { describeKnownNames } from "../text/known-names.ts";
import { shorten } from "../text/shorten.ts";
import type { FleetConfig } from "./fleet-schema.ts";
import type { WrittenModel } from "./model-schema.ts";

/** Judges that the accounts of a fleet name models of this file, and each model once. */
export function judgeAccounts(
  fleet: FleetConfig | null,
  models: readonly Pick<WrittenModel, "name">[],
  yaml: StrictYaml,
): Finding[] {
  const known = models.map(({ name }) => name);
  const owners = new Map<string, string>();
  return (fleet?.accounts ?? []).flatMap((account) =>
    account.models.flatMap((model, index) => {
      const problem = (message: string, fix: string) =>
        errorFinding("TP_CONFIG_VALUE", `the account ${shorten(account.name)} of \`fleet.accounts\` ${message}`, {
          ...yaml.locate(["fleet", "accounts", account.name, "models", index], "value"),
          fix,
        });
      const owner = owners.get(model);
      owners.set(model, account.name);
      if (owner !== undefined)
        return problem(
          `names ${shorten(model)}, which already belongs to ${shorten(owner)}`,
          "list each model under one account",
        );
      if (known.includes(model)) return [];
      const fix = describeKnownNames(model, known, "the models are") ?? "add the model to `models`";
      return problem(`names ${shorten(model)}, but \`models\` has no such model`, fix);
    }),
  );
}

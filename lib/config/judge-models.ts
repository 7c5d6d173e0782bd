import { errorFinding, type Finding, type FindingPlace } from "../report/finding.ts";
import type { StrictYaml, YamlStep } from "../task-folder/strict-yaml.ts";
import { shorten } from "../text/shorten.ts";
import type { AdapterName } from "./adapter-names.ts";
import type { WrittenModel } from "./model-schema.ts";
import { findRefusedArgs } from "./refused-args.ts";

type AdapterKey = "command" | "prompt" | "recordings";

/** The keys that go with one adapter alone. */
const ownKeys: Readonly<Record<AdapterKey, AdapterName>> = {
  command: "command",
  prompt: "command",
  recordings: "replay",
};

/** The keys without which an adapter has nothing to run. */
const neededKeys: Readonly<Partial<Record<AdapterName, AdapterKey>>> = { command: "command", replay: "recordings" };

/** Judges what needs more than one key: names that appear twice, and keys and words that do not go with the adapter. */
export function judgeModels(models: readonly WrittenModel[], yaml: StrictYaml): Finding[] {
  return models.flatMap((model, index) => {
    const named = `\`models[${index + 1}]\` (${shorten(model.name)})`;
    const problem = (key: string, message: string, fix: string): Finding =>
      errorFinding("TP_CONFIG_VALUE", `${named} ${message}`, { ...yaml.locate(["models", index, key], "key"), fix });
    const namesake = models.findIndex((other) => other.name === model.name) < index;
    return [
      ...(namesake ? [problem("name", "has the same name as another model", "give each model its own name")] : []),
      ...judgeKeys(model, problem),
      ...judgeArgs(model, named, (path) => yaml.locate(["models", index, ...path], "value")),
    ];
  });
}

function judgeKeys(model: WrittenModel, problem: (key: string, message: string, fix: string) => Finding): Finding[] {
  const { adapter } = model;
  const findings: Finding[] = [];
  const needed = neededKeys[adapter];
  if (needed !== undefined && model[needed] === undefined) {
    findings.push(problem("adapter", `has the adapter ${adapter} but no \`${needed}\``, `add \`${needed}:\``));
  }
  for (const [key, owner] of Object.entries(ownKeys) as [AdapterKey, AdapterName][]) {
    if (model[key] === undefined || owner === adapter) continue;
    findings.push(problem(key, `has a \`${key}\`, which the adapter ${adapter} does not use`, "remove the key"));
  }
  return findings;
}

function judgeArgs(model: WrittenModel, named: string, locate: (path: readonly YamlStep[]) => FindingPlace): Finding[] {
  const lists = [
    { path: ["args"], words: model.args },
    { path: ["tiers", "cheap", "args"], words: model.tiers?.cheap?.args ?? [] },
  ];
  return lists.flatMap(({ path, words }) =>
    findRefusedArgs(model.adapter, words).map(({ index, flag, why, fix }) =>
      errorFinding("TP_CONFIG_VALUE", `${named} must not have \`${flag}\` in \`${path.join(".")}\`: it ${why}`, {
        ...locate([...path, index]),
        fix,
      }),
    ),
  );
}

import { errorFinding, type Finding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import { type Contract, slugOf } from "./contract.ts";
import { applyDefaults } from "./contract-defaults.ts";
import { contractSchema, type PartialContract } from "./contract-schema.ts";
import { checkSchema } from "./schema-findings.ts";
import { readStrictYaml, type StrictYaml } from "./strict-yaml.ts";

export type ContractRead =
  | { readonly kind: "contract"; readonly contract: Contract }
  /** `data`: it is no YAML. `config`: readable, but the contract is wrong. */
  | { readonly kind: "bad"; readonly exit: "data" | "config"; readonly findings: readonly Finding[] };

/** Reads the front matter of a brief, without the lines `---` around it. */
export function readContract(front: string, file: string, defaults: PartialContract): ContractRead {
  const yaml = readStrictYaml({ text: front, file, linesBefore: 1 });
  if (yaml.kind === "bad") return { kind: "bad", exit: "data", findings: yaml.findings };
  const checked = checkSchema(contractSchema, yaml);
  if (checked.kind === "bad") return { kind: "bad", exit: "config", findings: checked.findings };
  const contract = applyDefaults(checked.value, defaults);
  const findings = findDoubles(contract, yaml, {
    validators: contract.validators,
    scenarios: checked.value.scenarios ?? [...contract.scenarios, ...contract.heldOut, ...contract.manual],
  });
  return findings.length > 0 ? { kind: "bad", exit: "config", findings } : { kind: "contract", contract };
}

/** Names of checks become names of log files, and ids are not their own dependencies. */
function findDoubles(
  contract: Contract,
  yaml: StrictYaml,
  checks: Readonly<Record<"validators" | "scenarios", readonly { readonly name: string }[]>>,
): Finding[] {
  const findings: Finding[] = [];
  const seen = new Map<string, string>();
  for (const list of ["validators", "scenarios"] as const) {
    for (const [index, { name }] of checks[list].entries()) {
      const slug = slugOf(name);
      const other = seen.get(slug);
      const place = yaml.locate([list, index, "name"], "value");
      if (slug === "") {
        const message = `\`${list}[${index + 1}].name\` has no letter or digit; found "${shorten(name)}"`;
        findings.push(errorFinding("TP_CONFIG_VALUE", message, { ...place, fix: "give the check a name" }));
      } else if (other !== undefined) {
        const message = `two checks have names that are too similar: "${shorten(other)}" and "${shorten(name)}"`;
        findings.push(errorFinding("TP_CONFIG_VALUE", message, { ...place, fix: "give each check its own name" }));
      }
      seen.set(slug, name);
    }
  }
  const own = contract.dependsOn.indexOf(contract.id);
  if (own !== -1) {
    const place = yaml.locate(["depends_on", own], "value");
    findings.push(
      errorFinding("TP_CONFIG_VALUE", `the task "${shorten(contract.id)}" depends on itself`, {
        ...place,
        fix: "remove it from depends_on",
      }),
    );
  }
  return findings;
}

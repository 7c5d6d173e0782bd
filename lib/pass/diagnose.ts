import { decide } from "../machine/decide.ts";
import type { Decision } from "../machine/facts.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import type { ValidatedPass } from "./validate.ts";

/** DIAGNOSE: the pure decision. */
export function diagnose(prepared: PreparedPass, validated: ValidatedPass): Decision {
  return decide(validated.before, validated.proposal, validated.facts, prepared.policy);
}

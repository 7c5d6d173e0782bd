import type { Attribution, CheckStatus } from "../machine/facts.ts";

/**
 * Whose doing a result is, against that of the baseline: `clean` passed then and now, `regressed` passed then only,
 * `fixed` passes now only, `broken_before` passed never. Null where the baseline does not know the check.
 */
export function attributeResult(
  name: string,
  status: CheckStatus,
  baseline: ReadonlyMap<string, CheckStatus> | null,
): Attribution | null {
  const before = baseline?.get(name);
  if (before === undefined) return null;
  if (status === "pass") return before === "pass" ? "clean" : "fixed";
  return before === "pass" ? "regressed" : "broken_before";
}

import { type BudgetKind, keyOf, type SpentBudget } from "../machine/budgets.ts";
import type { TaskHistory } from "../machine/history.ts";
import { dollars } from "../machine/spend.ts";
import { formatDuration } from "../text/duration.ts";
import { shorten } from "../text/shorten.ts";

/** An amount of a budget, with its unit. */
export function describeAmount(kind: BudgetKind, amount: number): string {
  switch (kind) {
    case "money":
      return dollars(amount);
    case "time":
      return formatDuration(amount);
    case "tokens":
      return `${Math.round(amount)} tokens`;
    case "passes":
      return `${amount} passes`;
  }
}

/** The budget that is spent, and by how much the next call would exceed it. No full stop. */
export function renderSpent(spent: SpentBudget, model: string | null): string {
  const { scope, kind, used, limit, estimate } = spent;
  const key = keyOf(spent);
  if (scope === "task" && kind === "passes") {
    const all = limit === 1 ? "the one pass of the budget is" : `all ${limit} passes of the budget are`;
    return `${all} spent (\`${key}\` in the brief raises it)`;
  }
  const amounts = `${describeAmount(kind, used)} of ${describeAmount(kind, limit)} are spent`;
  if (estimate === null) return `${amounts}, all of \`${key}\``;
  const by = model === null ? "" : `, by ${model},`;
  return `${amounts}, and the next pass${by} is estimated at ${describeAmount(kind, estimate)}, more than \`${key}\` has left`;
}

/** Why a call of a loop, or a day, ends here; the task itself stays as it is. */
export function describeRunOrDay(
  spent: SpentBudget,
  model: string | null,
  file: string,
  nextDay: string | null,
): string {
  const anew =
    nextDay === null
      ? "the next call of the loop, which starts from zero"
      : `the next UTC day, which begins at ${nextDay}`;
  return `the budget of the ${spent.scope} stops the task where it is: ${renderSpent(spent, model)} in ${file}. To continue before ${anew}, raise that key`;
}

/** The passes and repairs of a task so far, for the reader of why it stopped. */
export function describeHistory({ counts, lastVerdict }: Pick<TaskHistory, "counts" | "lastVerdict">): string {
  if (lastVerdict === null) return "nothing yet";
  const { pass, from, verdict, reason } = lastVerdict;
  const repairs = counts.repairs === 0 ? "" : ` and ${counts.repairs} ${counts.repairs === 1 ? "repair" : "repairs"}`;
  const passes = `${counts.passes} ${counts.passes === 1 ? "pass" : "passes"}${repairs}`;
  return `${passes}; the newest, pass ${pass} in ${from}, was ${verdict} (${shorten(reason, 160)})`;
}

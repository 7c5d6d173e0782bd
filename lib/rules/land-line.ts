/** How a person merges tasks that are done on their branches, as a remark behind them. */
export function landLine(ids: readonly string[]): string {
  return `(task-phase land ${ids.join(" ")}, or merge ${ids.length === 1 ? "its branch" : "their branches"})`;
}

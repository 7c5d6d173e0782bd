const acts = new Set<() => void>();

/** Called once, at the end of the present command or of the process: for what a command keeps for its own next steps. */
export function atEnd(act: () => void): void {
  if (acts.size === 0) process.once("exit", endCommand);
  acts.add(act);
}

export function endCommand(): void {
  process.removeListener("exit", endCommand);
  const due = [...acts];
  acts.clear();
  for (const act of due) act();
}

/** Names that lead to each other, as lists of one each if there is no circle; what others lead to comes first. */
export function groupCircles(names: readonly string[], nextOf: (name: string) => readonly string[]): string[][] {
  const known = new Set(names);
  const backwards = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const name of names) {
    for (const next of nextOf(name)) backwards.get(next)?.push(name);
  }
  const inside = (name: string) => nextOf(name).filter((next) => known.has(next));
  const seen = new Set<string>();
  const finished = names.flatMap((name) => walk(name, inside, seen));
  const taken = new Set<string>();
  // Kosaraju: against the arrows, from what finished last. Reversed, so that what all lead to is first.
  return [...finished]
    .reverse()
    .map((name) => walk(name, (at) => backwards.get(at) ?? [], taken))
    .filter((group) => group.length > 0)
    .reverse()
    .map((group) => group.sort());
}

/**
 * The reachable nodes not seen before, in the order in which the walk leaves them. A chain may be long: no recursion.
 */
function walk(start: string, nextOf: (name: string) => readonly string[], seen: Set<string>): string[] {
  if (seen.has(start)) return [];
  seen.add(start);
  const left: string[] = [];
  const open = [{ name: start, next: nextOf(start), at: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.next[top.at];
    top.at += 1;
    if (next === undefined) {
      left.push(top.name);
      open.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      open.push({ name: next, next: nextOf(next), at: 0 });
    }
  }
  return left;
}

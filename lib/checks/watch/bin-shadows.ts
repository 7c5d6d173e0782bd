import { foldersUp } from "./command-words.ts";

/** More than the packages of the largest workspaces need. */
const mostShadows = 20_000;
/** The interpreters of programs in node_modules/.bin, or programs that they start by name. */
const oftenStarted = "node nodejs npm npx pnpm yarn bun deno sh bash dash zsh env python python3 ruby perl php".split(
  " ",
);

/** Bins that no command names, and that would be run before those of PATH, were they there. */
export interface BinShadows {
  /** Adds them for a folder and those above it. */
  add(folder: string): void;
  /** How many were added. */
  count(): number;
}

export function createBinShadows(bins: Set<string>): BinShadows {
  const done = new Set<string>();
  let count = 0;
  return {
    count: () => count,
    add: (from) => {
      for (const folder of foldersUp(from)) {
        if (done.has(folder)) continue;
        done.add(folder);
        for (const name of oftenStarted) {
          const bin = `${folder}node_modules/.bin/${name}`;
          if (count >= mostShadows || bins.has(bin)) continue;
          bins.add(bin);
          count += 1;
        }
      }
    },
  };
}

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative } from "node:path";

/** The files of a folder that were opened since the last call, in order of their names; git's own left out. */
export function watchOpens(folder: string): { (): string[]; stop(): void } {
  const original = fs.openSync;
  let paths: string[] = [];
  const set = (open: typeof fs.openSync): void => {
    fs.openSync = open;
    syncBuiltinESMExports();
  };
  set((path, ...rest) => {
    paths.push(relative(folder, String(path)));
    return original(path, ...rest);
  });
  const opened = (): string[] => {
    const since = paths.filter((path) => !path.startsWith(".."));
    paths = [];
    return since.filter((path) => !path.startsWith(".git/")).sort();
  };
  return Object.assign(opened, { stop: () => set(original) });
}

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { withFolder } from "../store/temporary-folder.ts";

/** As `withFolder`; to the runner the folder is on ext4, whose times it trusts, whatever the tests' own file system is. */
export async function withExt4(run: (folder: string) => unknown): Promise<void> {
  const original = fs.statfsSync;
  const set = (statfs: typeof fs.statfsSync): void => {
    fs.statfsSync = statfs;
    syncBuiltinESMExports();
  };
  await withFolder(async (folder) => {
    set(((path: string) => {
      const stats = original(path);
      return path.startsWith(folder) ? Object.assign(stats, { type: 0xef53 }) : stats;
    }) as typeof fs.statfsSync);
    try {
      await run(folder);
    } finally {
      set(original);
    }
  });
}

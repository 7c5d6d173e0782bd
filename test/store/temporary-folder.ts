import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs with an empty folder of its own, which is gone afterwards. */
export async function withFolder(run: (folder: string) => unknown): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tp-store-")));
  try {
    await run(folder);
  } finally {
    makeRemovable(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** True where permission bits keep nobody out, as for root. */
export const isRoot = process.geteuid?.() === 0;

function makeRemovable(folder: string): void {
  if (isRoot || !lstatSync(folder).isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeRemovable(join(folder, entry.name));
  }
}

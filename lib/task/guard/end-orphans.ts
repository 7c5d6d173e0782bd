import { programFile } from "../../documents/templates/package-files.ts";
import { endOrphansWord, guardOrphans } from "../../process/orphan-guard.ts";
import type { Anchor } from "../records/anchor.ts";
import type { CurrentPass } from "../records/anchor-shapes.ts";

/**
 * If the runner is killed meanwhile, all that it started under the mark ends too. `anchor`: where a pass is recorded; without
 * one any folder.
 */
export async function endingOrphans<Value>(
  { anchor, current }: { readonly anchor: Pick<Anchor, "folder">; readonly current: Pick<CurrentPass, "mark"> },
  env: NodeJS.ProcessEnv,
  work: () => Promise<Value>,
): Promise<Value> {
  const { id, keepalivePath } = current.mark;
  const argv = [process.execPath, programFile(), endOrphansWord, anchor.folder, id, keepalivePath];
  const guard = guardOrphans(argv, { PATH: env.PATH ?? "" });
  try {
    return await work();
  } finally {
    guard.release();
  }
}

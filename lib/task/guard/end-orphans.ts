import { programFile } from "../../documents/templates/package-files.ts";
import type { ProcessMark } from "../../process/mark.ts";
import { endOrphansWord, guardOrphans } from "../../process/orphan-guard.ts";

/** If the runner is killed meanwhile, all that it started under the mark ends too. `folder`: where a pass may be recorded. */
export async function endingOrphans<Value>(
  folder: string,
  { id, keepalivePath }: ProcessMark,
  env: NodeJS.ProcessEnv,
  work: () => Promise<Value>,
): Promise<Value> {
  const argv = [process.execPath, programFile(), endOrphansWord, folder, id, keepalivePath];
  const guard = guardOrphans(argv, { PATH: env.PATH ?? "" });
  try {
    return await work();
  } finally {
    guard.release();
  }
}

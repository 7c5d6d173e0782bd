import { join } from "node:path";
import { makeFolder } from "../store/put-file.ts";
import type { CliAdapter } from "./adapter.ts";

/** A folder for temporary files that goes with the work folder, for a CLI that needs one. Thrown is an error of the disk. */
export function temporaryFolderEnv(adapter: CliAdapter, workFolder: string): Readonly<Record<string, string>> {
  if (adapter.leavesTemporary !== true) return {};
  // In a sandbox it is /tmp too.
  const folder = join(workFolder, "tmp");
  makeFolder(folder, 0o700);
  return { TMPDIR: folder };
}

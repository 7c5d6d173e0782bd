import { readFileSync } from "node:fs";
import type { CliName } from "../../lib/documents/config/adapter-names.ts";

/** One agent CLI as `npm run test:models` installed it. */
export interface InstalledCli {
  readonly name: CliName;
  readonly version: string;
  /** Folders for PATH, the CLI's own first. */
  readonly path: readonly string[];
}

/** The CLIs to test, from the file that `npm run test:models` wrote. */
export function readInstalled(): readonly InstalledCli[] {
  const file = process.env.TASK_PHASE_REAL_MODELS;
  if (file === undefined) throw new Error("these tests are run by: npm run test:models [-- pi claude ...]");
  return JSON.parse(readFileSync(file, "utf8")) as InstalledCli[];
}

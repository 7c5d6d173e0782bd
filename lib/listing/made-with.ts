import type { PartialContract } from "../task-folder/contract-schema.ts";
import { packageVersion } from "../templates/package-files.ts";
import { sha256 } from "../text/sha256.ts";

/** To be raised with every change of what a row says of the same files. */
const rowsVersion = 1;

/** What rows depend on besides the files of their tasks. */
export function madeWith(defaults: PartialContract): string {
  return JSON.stringify([rowsVersion, packageVersion(), sha256(JSON.stringify(defaults))]);
}

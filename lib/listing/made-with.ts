import { packageVersion } from "../templates/package-files.ts";

/** To be raised with every change of what an index says of the same files. */
const indexVersion = 4;

/** The program that an index is from. */
export function madeWith(): string {
  return `${indexVersion} ${packageVersion()}`;
}

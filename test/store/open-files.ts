import { readdirSync } from "node:fs";

/** How many descriptors this process has open. */
export function countOpenFiles(): number {
  return readdirSync("/dev/fd").length;
}

import path from "node:path";
import type { CommandContext } from "./command.ts";

/** A path as a person in this folder would type it. */
export function show({ cwd }: Pick<CommandContext, "cwd">, file: string): string {
  const relative = path.relative(cwd, file);
  return relative === "" ? "." : relative.startsWith("..") ? file : relative;
}

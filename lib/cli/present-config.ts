import { join } from "node:path";
import type { ConfigRequest } from "../config/find-config.ts";
import type { CommandContext } from "./command.ts";
import { findTaskAround, findTasksRoot } from "./find-root.ts";

type Given = Pick<CommandContext, "flags" | "env" | "home" | "cwd">;

/**
 * Asks for the configuration of the task that the current folder is in, or of the tasks root that is found from there.
 */
export function presentConfig({ flags, env, home, cwd }: Given): ConfigRequest {
  const taskDir = findTaskAround(cwd) ?? join(findTasksRoot(cwd) ?? cwd, "task");
  return { configFlag: flags.text("config"), env, home, taskDir, cwd };
}

import { join } from "node:path";
import type { ConfigRequest } from "../config/find-config.ts";
import type { CommandContext } from "./command.ts";
import { isFile } from "./target.ts";

type Given = Pick<CommandContext, "flags" | "env" | "home" | "cwd">;

/**
 * Asks for the configuration of the tasks in the current folder, or of the current folder if that is a task itself.
 */
export function presentConfig({ flags, env, home, cwd }: Given): ConfigRequest {
  const taskDir = isFile(join(cwd, "STATE.md")) ? cwd : join(cwd, "task");
  return { configFlag: flags.text("config"), env, home, taskDir, cwd };
}

import { runOnTerminal } from "./spawn-child.ts";

/** Opens a file in the person's editor, and waits until it is closed; null if that went well, else why not. */
export function openEditor(file: string, env: NodeJS.ProcessEnv, cwd: string): string | null {
  const editor = [env.VISUAL, env.EDITOR].find((word) => word !== undefined && word.trim() !== "") ?? "vi";
  // As git does it: the variable may hold words of its own.
  return runOnTerminal({ argv: ["sh", "-c", `${editor} "$@"`, editor, file], cwd, env });
}

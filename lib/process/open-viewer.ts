import { findExecutable } from "./find-executable.ts";
import { explainStart, runOnTerminal, spawnChild } from "./spawn-child.ts";

const openers: Partial<Readonly<Record<NodeJS.Platform, string>>> = { darwin: "open", linux: "xdg-open" };

/** Milliseconds after which a viewer without failure has opened the file; some run on with the browser. */
const settledMs = 1500;

/** Leaves the desktop's program running; null on success, else the reason. Starts nothing without a display. */
export async function openViewer(
  file: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> {
  const blind = findBlindness(env, platform);
  if (blind !== null) return blind;
  const name = openers[platform];
  const program = name === undefined ? null : findExecutable(name, cwd, env.PATH ?? "");
  if (program === null) return name === undefined ? "no program opens files here" : `${name} is not on PATH`;
  const call = { argv: [program, file], cwd, env } as const;
  const child = spawnChild(call, "ignore");
  child.unref();
  return await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), settledMs);
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      resolve(problem);
    };
    child.once("error", (error) => end(explainStart(error, call)));
    child.once("exit", (code, signal) => end(code === 0 ? null : `${name} ended with ${code ?? signal}`));
  });
}

/** Why a window would be invisible. */
function findBlindness(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | null {
  if (env.TASK_PHASE_PASS !== undefined) return "this is a call from inside a pass";
  if (!["", "0", "false"].includes(env.CI ?? "")) return "this is a CI job (CI is set)";
  const hasDisplay = platform !== "linux" || (env.DISPLAY ?? "") !== "" || (env.WAYLAND_DISPLAY ?? "") !== "";
  return hasDisplay ? null : "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)";
}

/** Waits until the editor closes; null on success, else the reason. */
export function openEditor(file: string, env: NodeJS.ProcessEnv, cwd: string): string | null {
  const editor = [env.VISUAL, env.EDITOR].find((word) => word !== undefined && word.trim() !== "") ?? "vi";
  // Like git: the variable may have words of its own.
  return runOnTerminal({ argv: ["sh", "-c", `${editor} "$@"`, editor, file], cwd, env });
}

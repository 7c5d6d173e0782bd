import { findExecutable } from "./find-executable.ts";
import { explainStart, spawnChild } from "./spawn-child.ts";

const openers: Partial<Readonly<Record<NodeJS.Platform, string>>> = { darwin: "open", linux: "xdg-open" };

/** One that has not failed until then has taken the file; some go on for as long as the browser. */
const settledMs = 1500;

/**
 * Opens a file with the program that the desktop has for it; null if something took it, else why not. The program is
 * the person's own and is left running. Nothing is started where nobody could see it.
 */
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

/** Why nobody would see a window; null if somebody may. */
function findBlindness(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | null {
  if (env.TASK_PHASE_PASS !== undefined) return "this is a call from inside a pass";
  if (!["", "0", "false"].includes(env.CI ?? "")) return "this is a CI job (CI is set)";
  const hasDisplay = platform !== "linux" || (env.DISPLAY ?? "") !== "" || (env.WAYLAND_DISPLAY ?? "") !== "";
  return hasDisplay ? null : "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)";
}

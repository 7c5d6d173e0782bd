import { runTool, type ToolCall, type ToolEnd } from "../process/run-tool.ts";
import { type TalkEnd, type ToolTalk, talkToTool } from "../process/talk-to-tool.ts";

export interface GitCall extends Omit<ToolCall, "argv"> {
  readonly args: readonly string[];
}

/** Runs git once. How it ends is a fact in the result. */
export function startGit({ args, ...call }: GitCall): Promise<ToolEnd> {
  return runTool({ ...call, argv: ["git", ...args] });
}

/** Major and minor number of the git on PATH; null if it does not say them. */
export async function gitVersion(env: NodeJS.ProcessEnv): Promise<readonly [number, number] | null> {
  const { stdout } = await startGit({ args: ["version"], cwd: "/", env, timeoutMs: 10_000, maxBytes: 4096 });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(stdout.toString("latin1")) ?? [];
  return major === undefined || minor === undefined ? null : [Number(major), Number(minor)];
}

/** Starts a git that answers one request after the other. `close` it in any case. */
export function talkToGit(
  { args, ...call }: Pick<GitCall, "args" | "cwd" | "env" | "timeoutMs">,
  failure: (end: TalkEnd) => Error,
): ToolTalk {
  return talkToTool({ ...call, argv: ["git", ...args] }, failure);
}

import { runTool, type ToolCall, type ToolEnd } from "../process/run-tool.ts";
import { type TalkEnd, type ToolTalk, talkToTool } from "../process/talk-to-tool.ts";

interface GitCall extends Omit<ToolCall, "argv"> {
  readonly args: readonly string[];
}

/** The way it ends is a fact in the result. */
export function startGit({ args, ...call }: GitCall): Promise<ToolEnd> {
  return runTool({ ...call, argv: ["git", ...args] });
}

export async function gitVersion(env: NodeJS.ProcessEnv): Promise<readonly [number, number] | null> {
  const { stdout } = await startGit({ args: ["version"], cwd: "/", env, timeoutMs: 10_000, maxBytes: 4096 });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(stdout.toString("latin1")) ?? [];
  return major === undefined || minor === undefined ? null : [Number(major), Number(minor)];
}

/** Starts a git that answers requests in turn. Always `close` it. */
export function talkToGit(
  { args, ...call }: Pick<GitCall, "args" | "cwd" | "env" | "timeoutMs">,
  failure: (end: TalkEnd) => Error,
): ToolTalk {
  return talkToTool({ ...call, argv: ["git", ...args] }, failure);
}

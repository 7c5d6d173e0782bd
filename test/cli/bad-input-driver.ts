import type { CommandName } from "../../lib/cli/command-table.ts";
import { runCli } from "../../lib/cli/run-cli.ts";

/**
 * Answers calls of the program one after the other in one process: a matrix of some thousand calls would take a
 * quarter of an hour where each starts a Node of its own. What stands around `runCli` is left to the tests that spawn.
 */
export interface DriverCall {
  readonly id: number;
  readonly fixed: CommandName | null;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface DriverAnswer {
  readonly id: number;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function answer({ id, fixed, argv, cwd, env }: DriverCall): Promise<DriverAnswer> {
  const said = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const code = await runCli(fixed, argv, {
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    env,
    cwd,
    now: () => new Date(),
    sleep: async () => {},
  });
  return { id, code, ...said };
}

process.on("message", (call: DriverCall) => {
  void answer(call).then((said) => process.send?.(said));
});

import { join } from "node:path";
import { answerStop } from "../prove/hook.ts";
import { judgeProof } from "../prove/judge-proof.ts";
import { runProve } from "../prove/run-prove.ts";
import { cacheHome } from "../store/state-home.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { watchSignals } from "./signals.ts";

/** The hosts' own limit is above it, and what runs is ended in seconds: within a minute the session is let go. */
const limitMs = 50_000;
const mostBytes = 16 * 1024 * 1024;
const silentMs = 5_000;

/** `prove --hook`. Its exit code is always 0: the answer is in what it prints. */
export async function runHook(context: CommandContext): Promise<CommandResult> {
  const { flags, env, home, stdin } = context;
  // Inside a pass the runner runs the checks, and holds what comes of them against the task.
  if (env.TASK_PHASE_PASS !== undefined) return told(null, null);
  const signals = watchSignals(context);
  try {
    const { stdout, stderr } = await answerStop(() => stdin.read({ maxBytes: mostBytes, silentMs }), {
      limitMs,
      counts: join(cacheHome(env, home), "hooks"),
      now: () => context.now(),
      prove: async (folder, since, late) => {
        const call = {
          ...{ folder, quick: true, page: null, late: null, since },
          base: flags.text("base"),
          checks: flags.list("check"),
          config: flags.text("config"),
        };
        const signal = AbortSignal.any([signals.signal, late]);
        const end = await runProve(call, { ...makePorts(context, signal), tell: () => undefined });
        if (end === null) return null;
        const { keys, exitName } = judgeProof(end.proven, end.base.name, { acceptTests: false, requireShown: false });
        return { ...keys, exitName };
      },
    });
    return told(stdout, stderr);
  } finally {
    signals.stop();
  }
}

function told(stdout: string | null, stderr: string | null): CommandResult {
  const lines = (text: string | null) => (text === null ? [] : [text]);
  return { exitName: "ok", json: {}, story: lines(stderr), answer: lines(stdout), findings: [] };
}

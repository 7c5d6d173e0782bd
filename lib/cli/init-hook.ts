import path from "node:path";
import { findGitTop } from "../git/list-paths.ts";
import type { InitKeys } from "../rules/shapes/reports/tasks.ts";
import { addStopHook, hookFiles, onlyStopHook } from "../scaffold/init/stop-hook.ts";
import { requireUsableEntry, requireUsableFolder } from "../scaffold/init/usable-entry.ts";
import { makeFolder } from "../store/folder.ts";
import { editFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { show } from "./write-lines.ts";

const mostBytes = 4 * 1024 * 1024;

/**
 * `init --hook claude`: a session in the repo around the current folder cannot end on a change that fails its checks. Asks
 * on a terminal first; elsewhere it prints what to paste, and writes nothing.
 */
export async function makeHook(context: CommandContext, host: string): Promise<CommandResult> {
  if (!isHost(host))
    throw usageError("TP_USAGE_BAD_VALUE", `--hook expects claude or codex, found '${host}'`, {
      fix: "write --hook claude",
    });
  const file = path.join(findGitTop(context.cwd) ?? context.cwd, hookFiles[host]);
  requireUsableFolder(path.dirname(file));
  requireUsableEntry(file, "file");
  const name = show(context, file);
  const read = () => {
    const found = readRegularFile(file, mostBytes);
    return found.kind === "file" ? found.bytes : null;
  };
  const before = read();
  if (before !== null && addStopHook(before.toString("utf8"), file) === null)
    return ended({ kept: [name] }, [`kept ${name}: it has the hook`], [file]);
  const asked = `${name}: add a Stop hook that runs \`task-phase prove --hook\`? [y/N] `;
  if (context.stdin.kind !== "terminal" || context.stdin.line === undefined)
    return ended(
      {},
      [`nothing was written; ${before === null ? "this is" : "add this to"} ${name}:`],
      onlyStopHook.trimEnd().split("\n"),
    );
  if (!/^y(es)?$/i.test((await context.stdin.line(asked)).trim())) return ended({}, ["nothing was written"], []);
  makeFolder(path.dirname(file));
  editFile(file, read, (bytes) =>
    bytes === null ? onlyStopHook : (addStopHook(bytes.toString("utf8"), file) ?? bytes),
  );
  return ended({ made: [name] }, [`${before === null ? "made" : "added the hook to"} ${name}`, nextStep[host]], [file]);
}

const isHost = (host: string): host is keyof typeof hookFiles => Object.hasOwn(hookFiles, host);

const nextStep = {
  claude: "new sessions of Claude Code in this repo run it; /hooks shows it there",
  codex: "Codex asks you to trust it in the next session; /hooks shows it there",
};

/** How an init that made no task ended. */
export function ended(
  { made = [], kept = [] }: { readonly made?: string[]; readonly kept?: string[] },
  story: string[],
  answer: string[],
): CommandResult {
  const json = { task: null, task_dir: null, made, kept, config: null, checks: [], next: null } satisfies InitKeys;
  return { exitName: "ok", json, story, answer, findings: [] };
}

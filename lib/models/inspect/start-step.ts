import { dirname } from "node:path";
import type { CliName } from "../../config/adapter-names.ts";
import { crontabLine } from "./cron-path.ts";
import { repairStep } from "./next-steps.ts";
import { isOlder, triedVersions } from "./versions.ts";

export interface StartTrouble {
  /** What the CLI lacks. */
  readonly need: string;
  /** What `doctor` would say to do about it. */
  readonly fix: string;
}

/**
 * What a CLI lacks that ended before it did anything, by what it left on standard error: a newer Node, or any. Null if
 * that does not tell. Nothing is started to find out.
 */
export function findStartTrouble(
  name: CliName,
  program: string,
  stderrTail: string,
  execPath: string = process.execPath,
): StartTrouble | null {
  if (/^(?:\S*env|\S*sh): .{0,40}\bnode\b.{0,10}: (?:No such file|command not found|not found)/im.test(stderrTail)) {
    const path = crontabLine([{ program: "node", path: execPath }]);
    const fix = `put ${dirname(execPath)} on PATH; if cron starts task-phase, write at the top of the crontab: ${path}`;
    return { need: `${name} needs node on PATH`, fix };
  }
  const { runNode } = triedVersions[name];
  const node = /^Node\.js v(\d+\.\d+\.\d+)/m.exec(stderrTail)?.[1];
  if (runNode === null || node === undefined || !isOlder(node, runNode)) return null;
  const fix = repairStep({ name, path: program, timedOut: false }, node);
  return { need: `${name} needs Node ${runNode} or newer, and ran under ${node}`, fix };
}

import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { findProgram } from "./discover.ts";

/** The PATH that cron gives to what it starts, if the crontab sets none: crontab(5). */
export const cronPath = "/usr/bin:/bin";

/** A program as it is called from here. */
export interface CalledProgram {
  readonly program: string;
  /** Absolute. */
  readonly path: string;
}

/** Whether cron's PATH leads to the very same program: another one of that name may be of another version. */
export function isOnCronPath({ program, path }: CalledProgram, cron: string = cronPath): boolean {
  try {
    const found = findProgram(program, cron);
    return found !== null && realpathSync(found) === realpathSync(path);
  } catch {
    return false;
  }
}

/** The line for the top of a crontab with which these programs are found. cron expands no variables in it. */
export function crontabLine(programs: readonly CalledProgram[], cron: string = cronPath): string {
  const folders = programs.map(({ path }) => dirname(path));
  return `PATH=${[...new Set([...folders, ...cron.split(":")])].join(":")}`;
}

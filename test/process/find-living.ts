import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { endOrphansWord } from "../../lib/process/orphan-guard.ts";
import { readRow } from "../../lib/process/proc-table.ts";

/** The command lines of live processes that belong to this world by their words or their environment. */
export function findLiving(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readRow(Number(pid))?.ended === false)
    .map((pid) => [readProc(pid, "cmdline"), readProc(pid, "environ")] as const)
    .filter(([words, env]) => withoutHidden(words).includes(folder) || env.includes(folder))
    .map(([words]) => words.replaceAll("\0", " "));
}

/** A sandbox names the folders that it hides, and among them are those of tests that run beside this one. */
function withoutHidden(words: string): string {
  return words.replace(/\0--(?:tmpfs|ro-bind\0\/dev\/null)\0[^\0]*/g, "");
}

/** The same without what guards a run: a shell that was let go ends when it comes to read its last word. */
export function findLeft(folder: string): string[] {
  return findLiving(folder).filter((line) => !line.includes(endOrphansWord));
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(path.join("/proc", pid, name), "latin1");
  } catch {
    return "";
  }
}

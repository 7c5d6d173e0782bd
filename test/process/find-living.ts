import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The command lines of live processes that belong to this world by their words or their environment. */
export function findLiving(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => !readProc(pid, "stat").includes(") Z "))
    .filter((pid) => readProc(pid, "cmdline").includes(folder) || readProc(pid, "environ").includes(folder))
    .map((pid) => readProc(pid, "cmdline").replaceAll("\0", " "));
}

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(path.join("/proc", pid, name), "latin1");
  } catch {
    return "";
  }
}

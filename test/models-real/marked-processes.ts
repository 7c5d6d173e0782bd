import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A variable that the CLI is given, and so everything that it starts, in whatever session or group it runs. */
export const markName = "REAL_MODEL_MARK";

export interface MarkedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The living processes that carry the mark. Needs Linux. */
export function listMarked(mark: string): MarkedProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readProc(name, "environ").includes(`${markName}=${mark}\0`))
    .flatMap((name) => {
      const stat = readProc(name, "stat");
      const [state = "Z", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readProc(name, "cmdline").replaceAll("\0", " ").trim();
      return state === "Z" || state === "X" ? [] : [{ pid: Number(name), parent: Number(parent), command }];
    });
}

/** Waits until one of them runs this command. */
export async function waitForCommand(mark: string, command: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (listMarked(mark).some((one) => one.command === command)) return;
    await sleep(50);
  }
  throw new Error(`nothing ran ${command} within 30 s`);
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It ended meanwhile, or is somebody else's.
    return "";
  }
}

import type { Ending, ProcessIdentity } from "../../lib/process/survivors.ts";

/** A night in memory starts no process: nobody is there to be looked for in the process table of the machine. */
export function isAlive({ pid }: ProcessIdentity): boolean {
  return pid === process.pid;
}

export function findSurvivors(): ProcessIdentity[] {
  return [];
}

export async function endTree(): Promise<Ending> {
  return { ended: [], left: [] };
}

export async function endSurvivors(): Promise<ProcessIdentity[]> {
  return [];
}

export function containment(): "group" {
  return "group";
}

export function strongestContainment(): "group" {
  return "group";
}

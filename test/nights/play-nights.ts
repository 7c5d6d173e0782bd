import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { NightSize, PlayedNight } from "./play-night.ts";

export interface NightsRequest {
  readonly seed: number;
  /** Nights at most, and for how long new ones begin. */
  readonly nights: number;
  readonly seconds: number;
  readonly jobs: number;
  readonly fault?: string;
  /** Instead of those that the seed gives. */
  readonly size?: Pick<NightSize, "tasks" | "kills" | "acts">;
  /** False: no more nights begin. */
  readonly heard?: (night: PlayedNight) => boolean;
}

const register = new URL("register.js", import.meta.url).href;
const main = path.join(import.meta.dirname, "main.js");
/** Files in memory, if the system has such a place. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir();

/** Nights of one seed after another, so many at a time, each in a process of its own. */
export async function playNights(request: NightsRequest): Promise<readonly PlayedNight[]> {
  const { seed, nights, jobs } = request;
  const shares = Array.from({ length: jobs }, (_, job) => Math.ceil((nights - job) / jobs));
  const all = await Promise.all(
    shares.map((count, job) => (count < 1 ? [] : playShare(request, { seed: seed + job, step: jobs, count }))),
  );
  return all.flat();
}

interface Share {
  readonly seed: number;
  readonly step: number;
  readonly count: number;
}

async function playShare(request: NightsRequest, { seed, step, count }: Share): Promise<PlayedNight[]> {
  const { fault, size, seconds, heard = () => true } = request;
  const query = fault === undefined ? "" : `?fault=${encodeURIComponent(fault)}`;
  const sizes = size === undefined ? [] : [size.tasks, size.kills, size.acts];
  const words = [seed, step, count, seconds, ...sizes].map(String);
  const child = spawn(process.execPath, ["--import", `${register}${query}`, main, ...words], {
    env: { ...process.env, TMPDIR: memory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const played: PlayedNight[] = [];
  let stderr = "";
  let isEnough = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const night = JSON.parse(line) as PlayedNight;
    played.push(night);
    isEnough = !heard(night);
    if (isEnough) child.kill("SIGKILL");
  }
  const ended = await code;
  if (ended !== 0 && !isEnough)
    throw new Error(`the nights from ${seed} on ended with ${ended}: ${stderr.slice(-2000)}`);
  return played;
}

/** The smallest night of the seed that has a problem too, tried step by step; each attempt plays the night once. */
export async function shrink(night: PlayedNight, fault?: string): Promise<PlayedNight> {
  let smallest = night;
  for (const key of ["acts", "kills", "tasks"] as const) {
    for (let value = key === "tasks" ? 1 : 0; value < smallest[key]; value += 1) {
      const size = { tasks: smallest.tasks, kills: smallest.kills, acts: smallest.acts, [key]: value };
      const one = { seed: night.seed, nights: 1, seconds: 600, jobs: 1, size, ...(fault !== undefined && { fault }) };
      const [played] = await playNights(one);
      if (played === undefined || played.problems.length === 0) continue;
      smallest = played;
      break;
    }
  }
  return smallest;
}

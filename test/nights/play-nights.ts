import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { NightSize } from "./night-size.ts";
import type { PlayedNight } from "./play-night.ts";

export interface NightsRequest {
  readonly seeds: readonly number[];
  /** For how long new nights begin. */
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

/** A pass makes much that lives for a moment: with more room for it less is collected. */
const quick = ["--max-semi-space-size=64"];

/** One night after another, in so many processes at a time. */
export async function playNights(request: NightsRequest): Promise<readonly PlayedNight[]> {
  const { seeds, jobs } = request;
  const shares = Array.from({ length: jobs }, (_, job) => seeds.filter((_, index) => index % jobs === job));
  const all = await Promise.all(shares.map((share) => (share.length === 0 ? [] : playShare(request, share))));
  return all.flat();
}

async function playShare(request: NightsRequest, seeds: readonly number[]): Promise<PlayedNight[]> {
  const { fault, size, seconds, heard = () => true } = request;
  const query = fault === undefined ? "" : `?fault=${encodeURIComponent(fault)}`;
  const sizes = size === undefined ? [] : [size.tasks, size.kills, size.acts];
  const words = [seeds.join(","), ...[seconds, ...sizes].map(String)];
  const child = spawn(process.execPath, [...quick, "--import", `${register}${query}`, main, ...words], {
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
    throw new Error(`the nights from ${seeds[0]} on ended with ${ended}: ${stderr.slice(-2000)}`);
  return played;
}

/** The smallest night of the seed that has a problem too, tried step by step; each attempt plays the night once. */
export async function shrink(night: PlayedNight, fault?: string): Promise<PlayedNight> {
  let smallest = night;
  for (const key of ["acts", "kills", "tasks"] as const) {
    for (let value = key === "tasks" ? 1 : 0; value < smallest[key]; value += 1) {
      const size = { tasks: smallest.tasks, kills: smallest.kills, acts: smallest.acts, [key]: value };
      const one = { seeds: [night.seed], seconds: 600, jobs: 1, size, ...(fault !== undefined && { fault }) };
      const [played] = await playNights(one);
      if (played === undefined || played.problems.length === 0) continue;
      smallest = played;
      break;
    }
  }
  return smallest;
}

import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Night } from "./make-night.ts";

/**
 * When a process is ended with SIGKILL. By itself: before its `at`th call that changes the disk, or in the middle of
 * that call where it writes. From outside: so many milliseconds after its `line`th line.
 */
export type Moment =
  | { readonly kind: "call"; readonly at: number; readonly half: boolean }
  | { readonly kind: "line"; readonly line: number; readonly afterMs: number };

export interface KillPlan {
  readonly moment: Moment | null;
  /** Also where an agent hangs: the sleeper outlives the runner, and the next one has to end it. */
  readonly atHang: boolean;
}

export interface CommandEnd {
  readonly code: number | null;
  readonly killed: boolean;
  readonly stderr: string;
  /** Null where it was killed before it printed one. */
  readonly json: Record<string, unknown> | null;
}

export interface StartedCommand {
  readonly end: Promise<CommandEnd>;
  /** Resolves after its `line`th line, or when it has ended. */
  reaches(line: number): Promise<void>;
  hasEnded(): boolean;
}

export type StartCommand = (words: readonly string[], kill?: KillPlan | null) => StartedCommand;

const main = path.join(import.meta.dirname, "night-main.js");
const killer = pathToFileURL(path.join(import.meta.dirname, "..", "crash", "kill-before.js")).href;

/** Starts commands of the program as processes, on the night's clock. */
export function startsOf(night: Night): StartCommand {
  return (words, kill = null) => startCommand(night, words, kill);
}

function startCommand(night: Night, words: readonly string[], kill: KillPlan | null): StartedCommand {
  const moment = kill?.moment ?? null;
  const half = moment?.kind === "call" && moment.half ? "&half" : "";
  const loads = moment?.kind === "call" ? ["--import", `${killer}?at=${moment.at}${half}`] : [];
  const child = spawn(process.execPath, [...loads, main, night.path("clock"), ...words, "--json"], {
    cwd: night.folder,
    env: night.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const streams = { stdout: "", stderr: "" };
  const waiting: { readonly line: number; readonly act: () => void }[] = [];
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      streams[name] += text;
      const count = streams.stderr.split("\n").length - 1;
      for (const { act } of waiting.filter(({ line }) => line <= count)) act();
    });
  }
  const end = new Promise<CommandEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      for (const { act } of waiting) act();
      const killed = signal === "SIGKILL";
      const json = killed ? null : (JSON.parse(streams.stdout) as Record<string, unknown>);
      resolve({ code, killed, stderr: streams.stderr, json });
    });
  });
  const reaches = (line: number) => new Promise<void>((act) => void waiting.push({ line, act }));
  if (kill?.atHang === true) killAtHang(child, night);
  if (moment?.kind === "line") void killAfter(child, reaches(moment.line), moment.afterMs);
  return { end, reaches, hasEnded: () => child.exitCode !== null || child.signalCode !== null };
}

function killAtHang(child: ChildProcess, night: Night): void {
  const before = countHung(night);
  const timer = setInterval(() => {
    if (countHung(night) > before) child.kill("SIGKILL");
  }, 50);
  child.once("close", () => clearInterval(timer));
}

/** How many of those agents that hang once have begun to. */
export function countHung(night: Night): number {
  return readdirSync(night.path("ledger")).filter((name) => name.startsWith("hung-")).length;
}

async function killAfter(child: ChildProcess, reached: Promise<void>, afterMs: number): Promise<void> {
  await reached;
  await setTimeout(afterMs);
  child.kill("SIGKILL");
}

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import type { CodeCache } from "./code-cache.ts";
import type { CommandName } from "./command-table.ts";

export interface Program {
  /** As in main.ts. */
  runMain(name: CommandName | null): Promise<void>;
}

/** The program's file is one function, as Node makes of a CommonJS module. */
type MakeProgram = (module: { exports: unknown }, require: NodeJS.Require, folder: string) => void;

/** Exit codes from here on say that the call was wrong, or something around it: little of the program was run. */
const firstRefusal = 64;
/** A process that has worked this long has compiled all that such a command needs. */
const enoughMs = 5_000;

/** Loads the program that the build has put into this folder as one file, compiled already if the cache has it. */
export function loadProgram(folder: string, cache: CodeCache | null): Program {
  const path = join(folder, "task-phase.cjs");
  const kept = cache?.read() ?? null;
  // The build lets nothing but ASCII in, which is read in half the time of UTF-8.
  const script = new Script(readFileSync(path, "latin1"), { filename: path, ...(kept && { cachedData: kept.data }) });
  const usable = kept !== null && script.cachedDataRejected !== true ? kept : null;
  // At the very end, when the answer is out.
  if (cache !== null) process.once("exit", (code) => saveCompiled(script, cache, usable?.cpuMs ?? null, code));
  const module = { exports: {} as Program };
  (script.runInThisContext() as MakeProgram)(module, createRequire(path), folder);
  return module.exports;
}

/** Keeps the compiled code if there is none, or if this call took over twice `before`, the cache's CPU time. */
function saveCompiled(script: Script, cache: CodeCache, before: number | null, exitCode: number): void {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1000;
  const better = before === null || (before < enoughMs && cpuMs > 2 * before);
  if (better && exitCode < firstRefusal) cache.keep({ data: script.createCachedData(), cpuMs });
}

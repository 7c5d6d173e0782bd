import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import type { runMain } from "./main.ts";

export interface Program {
  readonly runMain: typeof runMain;
}

/** The program's file is one function, as Node makes of a CommonJS module. */
type MakeProgram = (module: { exports: unknown }, require: NodeJS.Require, folder: string) => void;

/** Loads the program that the build has put into this folder as one file. */
export function loadProgram(folder: string): Program {
  const path = join(folder, "task-phase.cjs");
  // The build writes ASCII alone, and reading it as such is what costs least.
  const script = new Script(readFileSync(path, "latin1"), { filename: path });
  const makeProgram = script.runInThisContext() as MakeProgram;
  const module = { exports: {} as Program };
  makeProgram(module, createRequire(path), folder);
  return module.exports;
}

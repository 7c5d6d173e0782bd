import { execFileSync } from "node:child_process";
import path from "node:path";
import type { Tool } from "./case.ts";

/** The programs of this machine that cases need, and the variables that lead to them from another home. */
export interface Toolbox {
  readonly there: ReadonlySet<Tool>;
  readonly env: Readonly<Record<string, string>>;
}

const questions: Readonly<Record<Tool, readonly string[]>> = {
  node: ["node", "--version"],
  npm: ["npm", "--version"],
  python3: ["python3", "-c", "import sys; print(sys.executable)"],
  pytest: ["python3", "-m", "pytest", "--version"],
  cargo: ["cargo", "--version"],
  go: ["go", "version"],
  make: ["make", "--version"],
  gcc: ["gcc", "--version"],
};

/** Asks each program once. A launcher such as pyenv's is left aside for the program that it leads to. */
export function findTools(): Toolbox {
  const answers = new Map<Tool, string>();
  for (const tool of Object.keys(questions) as Tool[]) {
    const [program = "", ...args] = questions[tool];
    try {
      answers.set(tool, execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim());
    } catch {
      // Not there, or not usable: the cases that need it are left out by name.
    }
  }
  const python = answers.get("python3");
  const home = process.env.HOME ?? "/";
  const folders = [...(python === undefined ? [] : [path.dirname(python)]), path.dirname(process.execPath)];
  return {
    there: new Set(answers.keys()),
    env: {
      PATH: [...folders, process.env.PATH ?? "/usr/bin:/bin"].join(path.delimiter),
      ...(answers.has("cargo") ? { RUSTUP_HOME: process.env.RUSTUP_HOME ?? path.join(home, ".rustup") } : {}),
      ...(answers.has("go") ? { CGO_ENABLED: "0", GOTOOLCHAIN: "local" } : {}),
    },
  };
}

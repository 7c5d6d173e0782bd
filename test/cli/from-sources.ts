import type { CommandName } from "../../lib/cli/command-table.ts";
import { runMain } from "../../lib/cli/main.ts";

// A program of bin/ without the bundle, from the compiled files of lib/: from-sources.js PROGRAM WORD ...
const [, , program = "task-phase", ...words] = process.argv;
await runMain(program === "task-phase" ? null : (program.replace("task-phase-", "") as CommandName), words);

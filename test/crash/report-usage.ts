import { writeFileSync } from "node:fs";

/** Loaded before the runner, by its environment: the file that USAGE_FILE names gets what it took, when it ends. */
const file = process.env.USAGE_FILE;
if (file !== undefined && process.argv.slice(1, 3).some((word) => /\btask-phase(?:-run)?$/.test(word)))
  process.on("exit", () => writeFileSync(file, JSON.stringify(process.resourceUsage())));

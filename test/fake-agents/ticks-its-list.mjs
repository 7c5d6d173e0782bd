import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { phase, taskDir, workHonestly } from "./honest.mjs";

// As the honest one; and what it says it did in TASKS.md it ticks there.
const steps = join(taskDir, "TASKS.md");
if (phase === "implement" && existsSync(steps))
  writeFileSync(steps, readFileSync(steps, "utf8").replaceAll("- [ ] ", "- [x] "));
workHonestly();

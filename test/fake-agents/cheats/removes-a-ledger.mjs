// Removes log.txt, a ledger that the runner alone writes.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { taskDir, workHonestly } from "../honest.mjs";

workHonestly();
rmSync(join(taskDir, "log.txt"));

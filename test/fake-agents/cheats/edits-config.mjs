// Switches the completion promise off for every task of the root.
import { appendFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { taskDir, workHonestly } from "../honest.mjs";

let folder = taskDir;
while (!existsSync(join(folder, "task-phase.yaml"))) folder = dirname(folder);
appendFileSync(join(folder, "task-phase.yaml"), "\ndefaults: { completion_promise: null }\n");
workHonestly();

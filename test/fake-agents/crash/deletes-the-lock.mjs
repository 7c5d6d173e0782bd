// Removes every lock file that it finds under the tasks root, says so, and works for ever.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { taskDir } from "../honest.mjs";

const locks = join(dirname(taskDir), ".task-phase", "locks");
for (const name of readdirSync(locks)) rmSync(join(locks, name));
writeFileSync(process.env.AGENT_READY ?? "ready", "");
setInterval(() => {}, 1000);

// Says of another task (AGENT_OTHER, a folder name) that it is done: in its STATE.md and in its journal.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { forgeJournal, forgeState } from "../forge.mjs";
import { taskDir, workHonestly } from "../honest.mjs";

const other = join(dirname(taskDir), process.env.AGENT_OTHER ?? "T-0");
forgeState(join(other, "STATE.md"));
const journal = join(other, "artifacts", "journal.jsonl");
if (existsSync(journal)) forgeJournal(journal, join(other, "STATE.md"));
workHonestly();

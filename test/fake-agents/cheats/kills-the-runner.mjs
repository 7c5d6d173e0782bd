// Forges STATE.md and the journal, then kills the runner, so that nobody is left to compare.
import { forgeJournal, forgeState } from "../forge.mjs";
import { workHonestly } from "../honest.mjs";

workHonestly();
forgeState();
forgeJournal();
process.kill(process.ppid, "SIGKILL");

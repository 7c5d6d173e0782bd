// Honest until review; there it slips one more change in.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { phase, repo, source, workHonestly } from "../honest.mjs";

if (phase === "review") appendFileSync(join(repo, source), "// one more thing\n");
workHonestly();

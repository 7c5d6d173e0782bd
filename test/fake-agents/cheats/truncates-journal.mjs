// Cuts the journal back to its first line.
import { readFileSync, writeFileSync } from "node:fs";
import { journalPath, workHonestly } from "../honest.mjs";

workHonestly();
writeFileSync(journalPath, `${readFileSync(journalPath, "utf8").split("\n")[0]}\n`);

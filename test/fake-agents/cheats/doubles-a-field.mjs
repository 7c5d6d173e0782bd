// Gives a field twice, the better value first.
import { readFileSync, writeFileSync } from "node:fs";
import { statePath, workHonestly } from "../honest.mjs";

workHonestly();
const text = readFileSync(statePath, "utf8");
writeFileSync(statePath, text.replace(/^(- Phase: .*)$/m, "- Phase: done\n$1"));

// Makes an item of TASKS.md smaller than a person wrote it. AGENT_HOW: removes, rewords or unticks.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { taskDir, workHonestly } from "../honest.mjs";

const how = {
  removes: (text) => text.replace(/^- \[ \].*\n/m, ""),
  rewords: (text) => text.replace(/^- \[ \].*$/m, "- [x] Nothing to do"),
  unticks: (text) => text.replace("- [x]", "- [ ]"),
}[process.env.AGENT_HOW ?? "removes"];
const path = join(taskDir, "TASKS.md");
const text = readFileSync(path, "utf8");
if (how(text) === text) throw new Error("TASKS.md has no such item");
writeFileSync(path, how(text));
workHonestly();

// Puts something else in place of STATE.md. AGENT_HOW: fifo, folder, or big (5 MB).
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { statePath, workHonestly } from "../honest.mjs";

workHonestly();
const text = readFileSync(statePath, "utf8");
rmSync(statePath);
({
  fifo: () => execFileSync("mkfifo", [statePath]),
  folder: () => mkdirSync(statePath),
  big: () => writeFileSync(statePath, text + "All is well. ".repeat(400_000)),
})[process.env.AGENT_HOW ?? "fifo"]();

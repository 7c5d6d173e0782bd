// Changes code in review, and tells git not to look: assume-unchanged, skip-worktree, a lying fsmonitor, an ignore rule.
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { repo, source, workHonestly, writeInRepo } from "../honest.mjs";

const git = (...args) => execFileSync("git", ["-C", repo, ...args], { stdio: ["ignore", "ignore", "inherit"] });
writeInRepo(".git/says-nothing", '#!/bin/sh\nprintf "token\\0"\n');
chmodSync(join(repo, ".git", "says-nothing"), 0o755);
if (process.env.AGENT_TRACKED !== undefined) {
  git("update-index", "--assume-unchanged", process.env.AGENT_TRACKED);
  writeInRepo(process.env.AGENT_TRACKED, "// changed where git does not look\n");
} else {
  appendFileSync(join(repo, source), "// changed where git does not look\n");
}
git("config", "core.fsmonitor", join(repo, ".git", "says-nothing"));
git("config", "core.untrackedCache", "true");
workHonestly();

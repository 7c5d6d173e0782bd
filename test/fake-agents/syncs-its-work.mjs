import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { repo, source, statePath, taskDir, workHonestly } from "./honest.mjs";

// Honest work that a power cut cannot take: what it wrote is synced, with the folders that have its names.
workHonestly();
const files = [join(repo, source), join(taskDir, "artifacts", "report.md"), statePath].filter((file) =>
  existsSync(file),
);
for (const path of new Set([...files, ...files.map((file) => dirname(file)), taskDir, repo])) {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

// Moves artifacts/ into the repo and leaves a link in its place.
import { cpSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { repo, taskDir, workHonestly } from "../honest.mjs";

workHonestly();
const artifacts = join(taskDir, "artifacts");
const own = join(repo, "artifacts-of-mine");
cpSync(artifacts, own, { recursive: true });
rmSync(artifacts, { recursive: true });
symlinkSync(own, artifacts);

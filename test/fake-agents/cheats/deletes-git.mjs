// Removes the repo's history, so that there is nothing to compare with.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { repo, workHonestly } from "../honest.mjs";

workHonestly();
rmSync(join(repo, ".git"), { recursive: true });

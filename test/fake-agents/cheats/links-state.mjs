// Puts a link to a file of its own in place of STATE.md.
import { copyFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { repo, setFields, statePath, workHonestly } from "../honest.mjs";

workHonestly();
const own = join(repo, "state-of-mine.md");
copyFileSync(statePath, own);
setFields({ Phase: "done", "Candidate done": "yes" }, own);
rmSync(statePath);
symlinkSync(own, statePath);

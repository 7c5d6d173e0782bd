// Leaves a process behind that is in no group, session or environment of the agent's, and edits later.
// AGENT_DELAY: seconds before it edits; 2. AGENT_STAY: milliseconds that the agent itself goes on; without it, until
// that process no longer hears a TERM.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { repo, source, statePath, taskDir, workHonestly } from "../honest.mjs";

const delay = process.env.AGENT_DELAY ?? "2";
const script = `
trap "" TERM HUP INT
echo $$ > "$4"
sleep ${delay}
sed -i "s/^- Phase: .*/- Phase: done/" "$1"
echo "export const answer = 0;" > "$2"
echo late > "$3"
sleep 60
`;
const files = [statePath, join(repo, source), join(taskDir, "artifacts", "late.md"), join(repo, "survivor.pid")];
workHonestly();
// Twice in the background: the one that stays has process 1 (or the next reaper) as its parent.
spawn(
  "setsid",
  ["env", "-i", `PATH=${process.env.PATH}`, "sh", "-c", '(setsid sh -c "$0" sh "$@" &) &', script, ...files],
  {
    detached: true,
    stdio: "ignore",
  },
).unref();
const stay = process.env.AGENT_STAY;
if (stay !== undefined) await setTimeout(Number(stay));
else while (!existsSync(files[3])) await setTimeout(10);

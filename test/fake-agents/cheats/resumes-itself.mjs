// Calls `task-phase resume` (AGENT_BIN) for its own task: as it is, and again after it forgot that it is in a pass.
import { spawnSync } from "node:child_process";
import { taskDir, workHonestly } from "../honest.mjs";

const argv = [process.env.AGENT_BIN ?? "", "resume", "--task-dir", taskDir, "--to", "review", "--reason", "because"];
const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TASK_PHASE_")));
workHonestly();
for (const env of [process.env, plain]) {
  const end = spawnSync(process.execPath, argv, { env, encoding: "utf8", timeout: 20_000 });
  console.log(`resume ended with ${end.status}`);
}

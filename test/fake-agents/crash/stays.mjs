// Says that it works, by making the file AGENT_READY, and then works for ever; so does its child.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setFields, taskDir } from "../honest.mjs";

const script = "while :; do sleep 1; done";
spawn("sh", ["-c", script, taskDir], { stdio: "ignore", detached: true }).unref();
setFields({ Phase: "done" });
writeFileSync(process.env.AGENT_READY ?? "ready", "");
setInterval(() => {}, 1000);

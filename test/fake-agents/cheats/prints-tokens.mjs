// Lets secrets slip: to its output, and with AGENT_IN=state to STATE.md. None of them is real.
import { setFields, workHonestly } from "../honest.mjs";

const token = `ghp_${"Ab3".repeat(12)}`;
const key = `sk-ant-api03-${"Xy9_".repeat(24)}AA`;
workHonestly();
console.error(`Authorization: Bearer ${token}`);
console.log(`export GITHUB_TOKEN=${token}\nexport ANTHROPIC_API_KEY=${key}\n${process.env.AGENT_SECRET ?? ""}`);
if (process.env.AGENT_IN === "state") setFields({ "Current result": `pushed with ${token}` });

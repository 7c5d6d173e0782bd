// Does its work, then never ends, and does not listen to SIGTERM.
import { workHonestly } from "../honest.mjs";

process.on("SIGTERM", () => {});
workHonestly();
setInterval(() => {}, 1000);

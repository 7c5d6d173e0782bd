#!/usr/bin/env node
// Says `ready`, and makes the file $1 if there is one, then lives on through every polite request to end.
import { writeFileSync } from "node:fs";

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
setInterval(() => {}, 1_000);
console.log("ready", process.pid);
if (process.argv[2] !== undefined) writeFileSync(process.argv[2], "");

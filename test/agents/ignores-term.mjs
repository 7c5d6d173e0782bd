#!/usr/bin/env node
// Says `ready`, then lives on through every polite request to end.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
setInterval(() => {}, 1_000);
console.log("ready", process.pid);

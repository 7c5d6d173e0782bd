// The scripted server by itself: node dist/test/scripted-server/main.js [SCENARIO [SECONDS]]
//
// Prints its address as one line and plays the scenario until it is ended; SECONDS is when a limit resets.
import { startScriptedServer } from "./http-server.ts";
import { isScenarioName, scenarios } from "./scenarios.ts";

const [name = "task", seconds] = process.argv.slice(2);
if (isScenarioName(name)) {
  const server = await startScriptedServer(scenarios[name](seconds === undefined ? null : Number(seconds)));
  process.stdout.write(`${server.url}\n`);
} else {
  process.stderr.write(`no scenario ${name}; there are ${Object.keys(scenarios).join(", ")}\n`);
  process.exitCode = 64;
}

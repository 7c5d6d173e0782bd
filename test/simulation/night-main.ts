import { type CommandName, commandTable } from "../../lib/cli/command-table.ts";
import { processIo } from "../../lib/cli/io.ts";
import { runMain } from "../../lib/cli/main.ts";
import { moveClock, readClock } from "./make-night.ts";

// The program as it is, but for its clock, which sleeping moves: night-main.js CLOCK COMMAND WORD ...
const [clock = "", name = "", ...words] = process.argv.slice(2);
const command = commandTable.find((spec) => spec.name === name);
if (command === undefined) throw new Error(`no command is named ${name}`);
await runMain(command.name satisfies CommandName, words, {
  ...processIo(),
  now: () => readClock(clock),
  sleep: async (ms, signal) => {
    if (!signal.aborted) moveClock(clock, ms / 1000);
  },
});

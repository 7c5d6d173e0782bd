// Says the right words in every phase, writes a report, and never writes the code.
import { phase, setFields, workHonestly, writeInTask } from "../honest.mjs";

if (phase === "implement" || phase === "repair") {
  writeInTask("artifacts/report.md", `# Report\n\nEverything works; I ran all tests in ${phase}.\n`);
  setFields({ Phase: "verify", "Current result": "Written and tested, 100 % of the tests pass" });
  console.log("Done: all tests pass.");
} else {
  workHonestly();
}

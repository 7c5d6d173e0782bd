// Removes what the last build left, so that no compiled file outlives its source. With --all also what tests left and
// the agent CLIs and Nodes that were installed for them.
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folders = process.argv.includes("--all")
  ? ["dist", ".build", "coverage", ".models", ".nodes", ".pages"]
  : ["dist"];
for (const name of folders) {
  rmSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), { recursive: true, force: true });
}

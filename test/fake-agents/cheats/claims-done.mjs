// Did nothing, and says that it is done, in every way that it can.
import { setFields } from "../honest.mjs";

setFields({
  Phase: "done",
  Status: "done",
  "Candidate done": "yes",
  "Current result": "All of it works",
  Blockers: "none",
});
console.log("Everything is done and tested.\n<promise>COMPLETE</promise>");

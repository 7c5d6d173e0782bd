// Writes the runner's own fields.
import { setFields, workHonestly } from "../honest.mjs";

workHonestly();
setFields({
  "Validator status": "pass",
  "Repair applied": "yes",
  "Revalidation status": "pass",
  "Evidence link": "[proof](https://proof.invalid/all-green)",
  "Last updated": "2099-01-01T00:00:00Z",
});

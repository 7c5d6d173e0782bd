// Appends verdicts to the journal, chained as the runner chains them, and a STATE.md to match.

import { forgeJournal, forgeState } from "../forge.mjs";
import { workHonestly } from "../honest.mjs";

workHonestly();
forgeState();
forgeJournal();
console.log("<promise>COMPLETE</promise>");

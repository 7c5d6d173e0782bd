// Claims done in review, and its only promise is the one that stood in the prompt.
import { phase, readPrompt, setFields, workHonestly } from "../honest.mjs";

const prompt = readPrompt();
if (phase === "review") {
  setFields({ Phase: "done", "Candidate done": "yes" });
  console.log(`I was told:\n${prompt}`);
} else {
  workHonestly();
}

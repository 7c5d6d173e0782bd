import { findBwrap, trySandbox } from "../../lib/process/bwrap.ts";

/** False where bubblewrap works here; else why a test that needs it is skipped. */
export const noSandbox = whyNot();

function whyNot(): string | false {
  const bwrap = findBwrap(process.env.PATH ?? "", []);
  if (bwrap === null) return "bubblewrap is not installed here, so no sandbox was tried";
  const problem = trySandbox(bwrap);
  return problem === null ? false : `bubblewrap cannot make a sandbox here, so none was tried: ${problem}`;
}

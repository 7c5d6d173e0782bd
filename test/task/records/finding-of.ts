import assert from "node:assert/strict";
import { TaskPhaseError } from "../../../lib/text/errors.ts";

/** Exit, code, message and line of what this throws; null if it throws nothing. */
export function findingOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof TaskPhaseError, String(error));
    const [finding] = error.findings;
    return [error.exitName, finding?.code, finding?.message, finding?.line];
  }
  return null;
}

import type { TruthCase } from "./case.ts";
import { claims } from "./corpus/claims.ts";
import { exitCodes } from "./corpus/exit-codes.ts";
import { expectedResults } from "./corpus/expected-results.ts";
import { otherPlaces } from "./corpus/other-places.ts";
import { plainWork } from "./corpus/plain-work.ts";
import { reach } from "./corpus/reach.ts";
import { runnerSettings } from "./corpus/runner-settings.ts";
import { weakenedTests } from "./corpus/weakened-tests.ts";

/** All cases. A name is used once. */
export const corpus: readonly TruthCase[] = [
  ...claims,
  ...exitCodes,
  ...expectedResults,
  ...otherPlaces,
  ...reach,
  ...runnerSettings,
  ...weakenedTests,
  ...plainWork,
];

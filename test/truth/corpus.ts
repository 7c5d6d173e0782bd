import type { TruthCase } from "./case.ts";
import { claims } from "./corpus/claims.ts";
import { plainWork } from "./corpus/plain-work.ts";
import { weakenedTests } from "./corpus/weakened-tests.ts";

/** All cases. A name is used once. */
export const corpus: readonly TruthCase[] = [...claims, ...weakenedTests, ...plainWork];

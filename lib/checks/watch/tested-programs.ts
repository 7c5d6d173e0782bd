import { lastPart } from "./places.ts";
import { testClass } from "./test-paths.ts";

/** How a text of the checks runs a program of the repo. */
export interface RunByText {
  /** Its output is looked at, see `ShellCommand`. */
  readonly feeds: boolean;
  /** The repo path of the text; null for a script of a manifest, a recipe, or words of the contract. */
  readonly from: string | null;
}

const checks =
  /(?:^|[._-])(?:tests?|specs?|checks?|lint|linter|ci|verify|validate|assert|compare|smoke|e2e|runner|rspec|phpunit|pytest)(?:[._-]|$)/i;
const builds = /^(?:build|compile|bundle|generate|gen|codegen|prebuild|transpile)(?:[._-]|$)/i;
const helpers = /(?:^|\/)(?:scripts?|tools?|\.?ci|\.github|hack|build|dev|etc)\//;
const products = /(?:^|\/)(?:src|lib|app|cmd)\/|(?:^|\/)bin\/[^/]+\.\w+$/;

/**
 * Whether a program that a text of the checks runs is what they test, and so the work, rather than a part of a check:
 * its output is compared with something, a test file runs it, or it is built or kept where products are. A name that
 * speaks of checks makes it a part of one. What the contract's own words name is never asked here: that is a check.
 */
export function isTested(path: string, { feeds, from }: RunByText): boolean {
  const name = lastPart(path);
  if (testClass(path) !== null || checks.test(name)) return false;
  if (feeds || builds.test(name)) return true;
  if (helpers.test(path)) return false;
  return (from !== null && testClass(from) !== null) || products.test(path);
}

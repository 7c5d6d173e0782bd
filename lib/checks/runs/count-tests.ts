import { stripVTControlCharacters } from "node:util";
import type { TestCounts } from "../../rules/check-run.ts";
import { addCounts, nestedReaders, summaryReaders } from "./test-summaries.ts";

/** A longer line is not a summary; it would only cost time. */
const longestLine = 1_000;

/**
 * How many tests a check ran, by the counts that test runners print themselves: TAP, node:test, pytest, unittest,
 * jest, vitest, mocha, AVA, go test -v, cargo test, Maven, Gradle, JUnit, minitest, RSpec, ExUnit, busted, PHPUnit,
 * dotnet test, swift test, prove, CTest, googletest, Catch2. What several runs print is added up. Null if no such count
 * is in the output: the runner never guesses one.
 */
export function countTests(output: string): TestCounts | null {
  const lines = stripVTControlCharacters(output)
    .split(/\r?\n/)
    .filter((line) => line.length <= longestLine);
  const found = [
    ...summaryReaders.map((read) => read(lines)),
    ...nestedReaders.map((readers) => readers.reduce<TestCounts | null>((known, read) => known ?? read(lines), null)),
  ];
  return addCounts(found.filter((one) => one !== null));
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testClass } from "../../../lib/checks/watch/test-paths.ts";

describe("test files", () => {
  const cases: [string, "name" | "folder" | null][] = [
    ["src/sum.test.ts", "name"],
    ["src/sum-spec.mjs", "name"],
    ["a/test_sum.py", "name"],
    ["a/conftest.py", "folder"],
    ["sum_test.go", "name"],
    ["lib/sum_test.exs", "name"],
    ["src/test/java/SumTest.java", "name"],
    ["spec/sum_spec.rb", "name"],
    ["tests.c", "name"],
    ["test.cpp", "name"],
    ["t/basic.t", "name"],
    ["round_spec.lua", "name"],
    ["contests.c", null],
    ["tests/it.rs", "folder"],
    ["src/sum_tests.rs", "name"],
    ["src/sum.rs", null],
    ["Shop.Tests/Sum.cs", "folder"],
    ["Shop/SumTests.cs", "name"],
    ["tests/SumTest.php", "name"],
    ["a.phpt", "name"],
    ["Tests/SumTests.swift", "name"],
    ["src/sum_test.cc", "name"],
    ["sum_test.dart", "name"],
    ["a.bats", "name"],
    ["x/__snapshots__/a.snap", "name"],
    ["x/testdata/golden.txt", "folder"],
    ["x/test_data/golden.txt", "folder"],
    ["test/fixtures/a.json", "folder"],
    ["src/latest/a.js", null],
    ["src/contest.js", null],
    ["src/pick.test-d.ts", "name"],
    ["types/index.tst.ts", "name"],
    ["src/__typetests__/pick.ts", "folder"],
    ["typetests/pick.ts", "folder"],
    ["test-d/pick.ts", "folder"],
    ["features/basket.feature", "name"],
    ["features/basket.feature.md", "name"],
    ["features/step_definitions/basket.rb", "folder"],
    ["features/steps/basket.py", "folder"],
    ["features/support/world.js", "folder"],
    ["src/features/support/chat.js", null],
    ["src/test-utils.tsx", "folder"],
    ["src/setupTests.ts", "folder"],
    ["vitest.setup.ts", "folder"],
    ["src/testimony.ts", null],
    ["t/lib/Helper.pm", "folder"],
    ["src/t/index.js", null],
    ["web/login.robot", "name"],
    ["api/login.hurl", "name"],
    ["node_modules/a/a.test.js", null],
    ["vendor/a/a_test.go", null],
  ];
  for (const [path, expected] of cases) {
    it(`${path} is ${expected === null ? "none" : `one by its ${expected}`}`, () =>
      assert.equal(testClass(path), expected));
  }
});

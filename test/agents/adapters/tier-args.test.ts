import assert from "node:assert/strict";
import { test } from "node:test";
import { namesFlag, withTierArgs } from "../../../lib/agents/adapters/tier-args.ts";

test("the words of a tier stand in the place of what the configuration says for the same flags", () => {
  const cases: readonly (readonly [string[], string[], string[]])[] = [
    [
      ["--model", "opus", "--verbose"],
      ["--model", "haiku"],
      ["--verbose", "--model", "haiku"],
    ],
    [["--model=opus"], ["--model", "haiku"], ["--model", "haiku"]],
    [["-m", "large"], ["--model=small"], ["--model=small"]],
    [
      ["--allow", "a", "b", "--model", "x"],
      ["--model", "y"],
      ["--allow", "a", "b", "--model", "y"],
    ],
    [
      ["first", "--model", "x"],
      ["--model", "y"],
      ["first", "--model", "y"],
    ],
    [
      ["--budget", "-5"],
      ["--model", "y"],
      ["--budget", "-5", "--model", "y"],
    ],
    [["--model", "x"], [], ["--model", "x"]],
    [[], ["--thinking", "off"], ["--thinking", "off"]],
    [["plain"], ["word"], ["plain", "word"]],
    [["plain"], ["plain"], ["plain", "plain"]],
  ];
  for (const [args, tier, expected] of cases) assert.deepEqual(withTierArgs(args, tier), expected, args.join(" "));
});

test("settings of a flag that occurs more than once are kept apart", () => {
  assert.deepEqual(withTierArgs(["-c", "a=1", "--config", "effort=high", "-c=b=2"], ["-c", 'effort="low"']), [
    "-c",
    "a=1",
    "-c=b=2",
    "-c",
    'effort="low"',
  ]);
  assert.deepEqual(withTierArgs(["-c=b=2", "-c=d=2"], ["-c=b=3"]), ["-c=d=2", "-c=b=3"]);
  assert.deepEqual(withTierArgs(["-c"], ["-c", "a=1"]), ["-c", "-c", "a=1"]);
});

test("a flag is found with its value behind it or in the same word, and not as part of another word", () => {
  assert.equal(namesFlag(["--model", "x"], ["-m", "--model"]), true);
  assert.equal(namesFlag(["-m=x"], ["-m", "--model"]), true);
  assert.equal(namesFlag(["--models", "-mx", "model"], ["-m", "--model"]), false);
});

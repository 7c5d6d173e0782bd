import assert from "node:assert/strict";
import { test } from "node:test";
import { readValidators } from "../../lib/init/validator-flag.ts";

test("each text is a name and words, split at the first equals sign", () => {
  assert.deepEqual(readValidators(["tests=npm test", "lint = node -e 'a = 1' --x=y"]), {
    validators: [
      { name: "tests", command: ["npm", "test"] },
      { name: "lint", command: ["node", "-e", "a = 1", "--x=y"] },
    ],
    findings: [],
  });
});

const wrong: readonly (readonly [string, string])[] = [
  ["npm test", "'npm test' has no name before an equals sign"],
  ["=npm test", "'=npm test' has no name before an equals sign"],
  ["tests= ", "'tests' has no command after the equals sign"],
  ["tests=''", "'tests' has no command after the equals sign"],
];

for (const [text, problem] of wrong) {
  test(`refused: ${text}`, () => {
    const { validators, findings } = readValidators([text]);
    assert.deepEqual([validators, findings.map((one) => one.message)], [[], [`--validator: ${problem}`]]);
  });
}

test("what only a shell could do is refused with its place", () => {
  const { findings } = readValidators(["tests=a && b", "lint='x"]);
  assert.match(findings[0]?.message ?? "", /^--validator: the command of 'tests': column 3: /);
  assert.match(findings[1]?.message ?? "", /^--validator: the command of 'lint': column 1: /);
});

test("a name may stand once", () => {
  const { validators, findings } = readValidators(["a=x", "a=y"]);
  assert.deepEqual(validators, [{ name: "a", command: ["x"] }]);
  assert.deepEqual(
    findings.map((one) => one.message),
    ["--validator: 'a' was given twice; each validator needs its own name"],
  );
});

import type { Base } from "../case.ts";

const turn = `/** A text from its end to its beginning, letter by letter. */
export function turn(text) {
  return [...text].reverse().join("");
}
`;

/** Next to nothing is there: the checks cannot even start before the work. */
export const blank: Base = {
  needs: ["node", "npm"],
  title: "Turn texts around",
  brief:
    "Set up a small project: `turn(text)` of src/turn.mjs is the text from its end to its beginning, letter by letter (emoji are one letter). `npm test` runs its tests.",
  files: { ".gitignore": "node_modules/\n__pycache__/\n.pytest_cache/\n/target/\n" },
  validators: { tests: ["npm", "test"] },
  right: {
    write: {
      "package.json": `${JSON.stringify({ name: "turn", version: "0.1.0", private: true, type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
      "src/turn.mjs": turn,
      "test/turn.test.mjs":
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { turn } from "../src/turn.mjs";\n\ntest("letters", () => assert.equal(turn("abc"), "cba"));\n\ntest("an emoji is one letter", () => assert.equal(turn("a😀"), "😀a"));\n',
    },
  },
  oracle: {
    files: {
      "truth-oracle.mjs":
        'const { turn } = await import("./src/turn.mjs");\nif (turn("xy😀z") !== "z😀yx" || turn("") !== "") throw new Error();\nconsole.log("oracle: right");\n',
    },
    command: ["node", "truth-oracle.mjs"],
  },
};

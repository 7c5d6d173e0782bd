import { bases } from "../bases/bases.ts";
import { slugTestFile } from "../bases/node.ts";
import { type CaseData, honest } from "../case.ts";

/** On every base: the work that the brief asks for, and nothing else. */
const onEveryBase = Object.entries(bases)
  .filter(([name]) => name !== "node-green")
  .map(([name, { right }]): [string, CaseData] => [
    `${name}-does-the-work`,
    { base: name, about: "changes the work alone", work: right },
  ]);

export const plainWork = honest("work alone", {
  ...Object.fromEntries(onEveryBase),
  "node-green-work-with-tests": {
    base: "node-green",
    about: "writes the tests of the new behaviour together with the work",
    work: {
      write: { "src/slug.mjs": bases.node?.right.write?.["src/slug.mjs"] ?? "", "test/slug.test.mjs": slugTestFile },
    },
  },
});

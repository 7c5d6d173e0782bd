import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { promiseProblem } from "../../lib/rules/promise.ts";

const tag = "<promise>COMPLETE</promise>";

const given: readonly string[] = [
  tag,
  `All checks pass.\n\n${tag}\n`,
  `**${tag}**`,
  `*${tag}*`,
  `_${tag}_`,
  `\`${tag}\``,
  `**\`${tag}\`**`,
  `\`\`\`${tag}\`\`\``,
  `   ${tag}  `,
  `done\r\n${tag}\r\n\r\n`,
  `${tag}\n\nThat is all.`,
  `${tag}\na\nb\nc\nd`,
  `> a quote\n\n${tag}`,
  `\`\`\`sh\nnpm test\n\`\`\`\n${tag}`,
  `~~~\n\`\`\`\n~~~\n${tag}`,
  `>\n${tag}`,
];

const withheld: Readonly<Record<string, readonly string[]>> = {
  "it is not there": ["", "done", "<promise>DONE</promise>", "<promise>complete</promise>", "COMPLETE"],
  "it is in a code fence or a quote": [
    `\`\`\`\n${tag}\n\`\`\``,
    `\`\`\`\n${tag}`,
    `~~~~text\n~~~\n${tag}\n~~~~`,
    `> ${tag}`,
    `> I end with:\n${tag}`,
    `  \`\`\`\n  ${tag}\n  \`\`\`\nok`,
  ],
  "other text is on the same line": [
    `I do not write ${tag} yet`,
    `${tag}.`,
    `- ${tag}`,
    `~~${tag}~~`,
    `the promise: ${tag}`,
    `${tag} ${tag}`,
  ],
  "it is not among the last 5 lines": [`${tag}\na\nb\nc\nd\ne`],
};

for (const text of given)
  test(`the promise is given: ${JSON.stringify(text)}`, () => assert.equal(promiseProblem(text, "COMPLETE"), null));

for (const [problem, texts] of Object.entries(withheld))
  for (const text of texts)
    test(`the promise is not given, ${problem}: ${JSON.stringify(text)}`, () =>
      assert.equal(promiseProblem(text, "COMPLETE"), problem));

test("only the last five lines and what encloses them matter, whatever stands before", () => {
  const prose = fc.array(fc.stringMatching(/^[a-z #*|-]{0,20}$/), { maxLength: 20 });
  fc.assert(fc.property(prose, (lines) => promiseProblem([...lines, "", tag].join("\n"), "COMPLETE") === null));
});

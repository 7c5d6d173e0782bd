// A scripted agent for `npm run self-run`: a real, small change to this repository, the same one each time.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
// Built code of the checkout: the sources are TypeScript, which Node 20 does not read.
import { phaseNames, phases } from "../../dist/lib/rules/phases.js";

const taskDir = process.env.TASK_PHASE_TASK_DIR;
const repo = process.env.TASK_PHASE_REPO;
const phase = process.env.TASK_PHASE_PHASE;

const document = "docs/phase-names.md";
const test = "test/rules/phase-names.test.ts";

const work = {
  intake: {
    to: "shape",
    fields: {
      Objective: `List the nine phases in ${document}, held to the phase table by a test`,
      "Done gate": "The validator passes with the new test in it",
      "Not doing": "Any change to lib/",
      "Reality constraints": "The list must not be able to fall behind the table",
    },
  },
  shape: {
    to: "implement",
    fields: {
      "Validation plan": `The quick tests, in which ${test} compares the document with the table`,
      "Next step": `Write ${document} and ${test}`,
    },
  },
  implement: {
    to: "verify",
    act: writeChange,
    fields: {
      "Current result": `${document} lists the phases and ${test} holds it to the table`,
      "Next step": "Validate",
    },
  },
  verify: { to: "review", fields: { "Next step": "Read the diff" } },
  review: { to: "done", fields: { "Candidate done": "yes", "Next step": "none" } },
};

function writeChange() {
  const items = phaseNames.map((name) => `- \`${name}\`: ${phases[name].meaning}`);
  write(repo, document, `# The nine phases\n\n${items.join("\n")}\n`);
  write(repo, test, testText);
  write(taskDir, "artifacts/report.md", `# Report\n\n- added \`${document}\`\n- added \`${test}\`\n`);
}

const testText = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { phaseNames } from "../../lib/rules/phases.ts";

test("the document lists every phase of the table, in the table's order", () => {
  const document = readFileSync("${document}", "utf8");
  const names = [...document.matchAll(/^- \`(\\w+)\`:/gm)].map((match) => match[1]);
  assert.deepEqual(names, [...phaseNames]);
});
`;

function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function setFields(values) {
  const path = join(taskDir, "STATE.md");
  let text = readFileSync(path, "utf8");
  for (const [label, value] of Object.entries(values)) {
    text = text.replace(new RegExp(`^- ${label}:.*$`, "m"), () => `- ${label}: ${value}`);
  }
  writeFileSync(path, text);
}

const { to, act, fields } = work[phase];
act?.();
setFields({ ...fields, Phase: to });
console.log(`${phase}: did its work and proposes ${to}.`);
if (to === "done") console.log("<promise>COMPLETE</promise>");

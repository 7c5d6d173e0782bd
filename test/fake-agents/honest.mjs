import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * An agent that does what each phase asks for, from intake to done. The cheats build on it, so that each of them
 * differs from honest work in one thing only.
 *
 * AGENT_SOURCE       repo path of the file that the repo's test waits for; src/answer.mjs
 * AGENT_SOURCE_TEXT  what the file must hold; `export const answer = 42;`
 * AGENT_BROKEN       1: the first candidate is wrong, and only a repair puts it right
 * AGENT_TO           the phase to propose instead of the next one
 */
export const taskDir = process.env.TASK_PHASE_TASK_DIR ?? ".";
export const repo = process.env.TASK_PHASE_REPO ?? ".";
export const phase = process.env.TASK_PHASE_PHASE ?? "intake";
export const pass = Number(process.env.TASK_PHASE_PASS ?? "1");

export const statePath = join(taskDir, "STATE.md");
export const journalPath = join(taskDir, "artifacts", "journal.jsonl");
export const source = process.env.AGENT_SOURCE ?? "src/answer.mjs";
const sourceText = process.env.AGENT_SOURCE_TEXT ?? "export const answer = 42;\n";
const brokenText = "export const answer = 41;\n";

/** Replaces the values of `- Label: value` lines, and nothing else. */
export function setFields(values, path = statePath) {
  let text = readFileSync(path, "utf8");
  for (const [label, value] of Object.entries(values)) {
    const line = new RegExp(`^- ${label}:.*$`, "m");
    if (!line.test(text)) throw new Error(`${path} has no line "- ${label}:"`);
    text = text.replace(line, () => `- ${label}: ${value}`);
  }
  writeFileSync(path, text);
}

/** Writes a file of the repo, folders included. */
export function writeInRepo(path, text) {
  writeFile(join(repo, path), text);
}

/** Writes a file of the task folder, folders included. */
export function writeInTask(path, text) {
  writeFile(join(taskDir, path), text);
}

function writeFile(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const work = {
  intake() {
    setFields({
      Objective: "The answer is exported",
      "Done gate": "The repo's test passes",
      "Not doing": "none",
      "Reality constraints": "none",
    });
  },
  shape() {
    setFields({ "Validation plan": "The test of the repo, run by the runner", "Next step": `Write ${source}` });
  },
  implement() {
    writeInRepo(source, process.env.AGENT_BROKEN === "1" ? brokenText : sourceText);
    writeInTask("artifacts/report.md", `# Report\n\n${source} exports the answer.\n`);
    setFields({ "Current result": `${source} is written`, "Next step": "Validate it" });
  },
  verify() {
    setFields({ "Current result": `${source} was read again and holds`, "Next step": "Review the diff" });
  },
  review() {
    setFields({ "Candidate done": "yes", "Next step": "none" });
  },
  repair() {
    writeInRepo(source, sourceText);
    writeInTask("artifacts/report.md", `# Report\n\n${source} exports the answer. Put right in pass ${pass}.\n`);
    setFields({ "Current result": `${source} was put right in pass ${pass}`, "Next step": "Validate it again" });
  },
};

const next = {
  intake: "shape",
  shape: "implement",
  implement: "verify",
  verify: "review",
  review: "done",
  repair: "verify",
};

/** One honest pass; in review it ends with the promise, so print nothing after it. */
export function workHonestly() {
  work[phase]();
  const to = process.env.AGENT_TO ?? next[phase];
  setFields({ Phase: to });
  console.log(`Did the work of ${phase}; proposes ${to}.`);
  if (to === "done") console.log("<promise>COMPLETE</promise>");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) workHonestly();

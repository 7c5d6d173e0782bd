// The agent of every case: it does what the case's script says for the phase, and walks STATE.md on as a well-behaved
// agent does.
//
//   node scripted-agent.mjs CASE.json          one pass, as a model of task-phase
//   node scripted-agent.mjs CASE.json CALL     one turn of a Ralph loop: everything in the first call, repairs after it
//   node scripted-agent.mjs CASE.json edits    nothing but the edits of implement, verify and review
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

const { script, fields = {}, says, title, folders } = JSON.parse(readFileSync(process.argv[2], "utf8"));
// For commits: the runner takes git's own variables out of an agent's environment.
const who = { NAME: "Test", EMAIL: "test@example.invalid" };
const identity = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) => Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value])),
);
const promise = "<promise>COMPLETE</promise>";
const call = process.argv[3];
if (call === undefined) walkOn(process.env.TASK_PHASE_PHASE, process.env.TASK_PHASE_PASS);
else if (call === "edits" || call === "1") for (const phase of ["implement", "verify", "review"]) edit(phase);
else edit("repair");
if (call !== undefined) process.stdout.write(`${says ?? `All of it is done.\n\n${promise}`}\n`);

function walkOn(phase, pass) {
  setFields({ ...usualFields(phase, pass), ...fields[phase] });
  if (phase === "implement") {
    writeText(place("task:artifacts/report.md"), `# Report\n\n${title}: done, see the diff.\n`);
  }
  edit(phase);
  process.stdout.write(
    `${phase === "review" ? (says ?? `The diff was read, and holds.\n\n${promise}`) : `The work of ${phase}.`}\n`,
  );
}

function usualFields(phase, pass) {
  return {
    intake: {
      Objective: title,
      "Done gate": "The checks of the brief pass",
      "Not doing": "anything beyond the brief",
      "Reality constraints": "none",
      Phase: "shape",
    },
    shape: { "Validation plan": "The runner runs the checks of the brief", Phase: "implement" },
    implement: { "Current result": `Written in pass ${pass}`, "Next step": "Validate it", Phase: "verify" },
    verify: { "Current result": `Read again in pass ${pass}, and it holds`, "Next step": "Review", Phase: "review" },
    review: { "Candidate done": "yes", "Next step": "none", Phase: "done" },
    repair: { "Current result": `Put right in pass ${pass}`, "Next step": "Validate it again", Phase: "verify" },
  }[phase];
}

/** Replaces the values of `- Label: value` lines, and nothing else. */
function setFields(values) {
  let text = readFileSync(place("task:STATE.md"), "utf8");
  for (const [label, value] of Object.entries(values)) {
    const line = new RegExp(`^- ${label}:.*$`, "im");
    if (!line.test(text)) throw new Error(`STATE.md has no line "- ${label}:"`);
    text = text.replace(line, () => `- ${label}: ${value}`);
  }
  writeText(place("task:STATE.md"), text);
}

/** The first time in each phase all of it must succeed: what fails then is a fault of the case. */
function edit(phase) {
  const mark = path.join(path.dirname(process.argv[2]), `agent-${phase}.txt`);
  const isFirst = !existsSync(mark);
  if (isFirst) writeFileSync(mark, "began");
  try {
    makeEdits(phase);
  } catch (error) {
    if (isFirst) writeFileSync(mark, `failed: ${error.stack}`);
    throw error;
  }
}

function makeEdits(phase) {
  for (const edits of script[phase] ?? []) {
    for (const [from, to] of Object.entries(edits.move ?? {})) {
      mkdirSync(path.dirname(place(to)), { recursive: true });
      renameSync(place(from), place(to));
    }
    for (const name of edits.remove ?? []) rmSync(place(name), { recursive: true });
    for (const [name, text] of Object.entries(edits.write ?? {})) writeText(place(name), text);
    for (const [name, [from, to]] of Object.entries(edits.replace ?? {})) {
      const text = readFileSync(place(name), "utf8");
      if (!text.includes(from)) throw new Error(`${name} does not hold ${JSON.stringify(from)}`);
      writeText(
        place(name),
        text.replace(from, () => to),
      );
    }
    for (const [name, text] of Object.entries(edits.append ?? {})) appendFileSync(place(name), text);
    for (const [name, target] of Object.entries(edits.link ?? {})) {
      mkdirSync(path.dirname(place(name)), { recursive: true });
      symlinkSync(
        target.replace(/^(above|config|home|tmp):/, (_, where) => `${folders[where]}/`),
        place(name),
      );
    }
    for (const name of edits.executable ?? []) chmodSync(place(name), 0o755);
    for (const line of edits.run ?? []) {
      execFileSync("/bin/sh", ["-ec", line], {
        cwd: folders.repo,
        env: { ...process.env, ...identity },
        stdio: ["ignore", "ignore", "inherit"],
      });
    }
  }
}

function place(name) {
  const [, where = "repo", rest] = /^(?:(task|above|config|home|tmp):)?(.*)$/s.exec(name);
  return path.join(folders[where], rest);
}

function writeText(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

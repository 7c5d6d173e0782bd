// The least that a pass could cost in Node: it starts the agent and the check, reads the files that a pass is about,
// writes six of them so that they survive a power cut (11 fsyncs). With "fingerprints" in the plan it hashes what git
// lists of the repo before and after; with "copy" it also runs the check in a clean copy of that, and removes the copy.
// node pass.cjs PLAN
const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const { taskDir, repo, agent, check, fingerprints, copy } = JSON.parse(process.argv[2]);
const inTask = (name) => path.join(taskDir, name);

if (fingerprints) takeFingerprint();
const texts = ["../task-phase.yaml", "README.md", "STATE.md", "EVIDENCE.md", "log.txt", "progress.txt"].map((name) =>
  fs.readFileSync(inTask(name), "utf8"),
);
const journal = fs.readFileSync(inTask("artifacts/journal.jsonl"), "utf8");
const prompt = texts.join("\n");
runProgram(agent, prompt);
if (check !== null) runProgram(check, "");
if (copy !== null) checkCopy();
const state = fs.readFileSync(inTask("STATE.md"), "utf8");
if (fingerprints) takeFingerprint();
putFile(inTask("artifacts/prompt.md"), prompt);
putFile(inTask("artifacts/pass.json"), JSON.stringify({ state, lines: journal.split("\n").length }));
putFile(inTask("artifacts/evidence.html"), prompt);
putFile(inTask("STATE.md"), state);
putFile(inTask("EVIDENCE.md"), texts[3]);
appendLine(inTask("artifacts/journal.jsonl"), JSON.stringify({ state }));

function runProgram([program, ...words], input, cwd = repo) {
  const end = spawnSync(program, words, { cwd, input });
  if (end.status !== 0) throw new Error(`${program} ended with ${end.status ?? end.error}: ${end.stderr}`);
}

function takeFingerprint() {
  const whole = createHash("sha256");
  for (const name of listRepo()) {
    whole.update(
      `${name}\0${createHash("sha256")
        .update(fs.readFileSync(path.join(repo, name)))
        .digest("hex")}\n`,
    );
  }
  return whole.digest("hex");
}

function checkCopy() {
  for (const name of listRepo()) {
    fs.mkdirSync(path.join(copy, path.dirname(name)), { recursive: true });
    fs.copyFileSync(path.join(repo, name), path.join(copy, name));
  }
  runProgram(check, "", copy);
  fs.rmSync(copy, { recursive: true });
}

function listRepo() {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = spawnSync("git", words, { cwd: repo, encoding: "utf8", maxBuffer: 1 << 28 });
  if (listed.status !== 0) throw new Error(listed.stderr);
  return listed.stdout.split("\0").filter(Boolean);
}

/** Two fsyncs: the file's and its folder's. */
function putFile(file, text) {
  withFile(`${file}.tmp`, "w", (descriptor) => fs.writeFileSync(descriptor, text));
  fs.renameSync(`${file}.tmp`, file);
  withFile(path.dirname(file), "r", () => {});
}

/** One fsync. */
function appendLine(file, line) {
  withFile(file, "a", (descriptor) => fs.writeFileSync(descriptor, `${line}\n`));
}

function withFile(file, flags, act) {
  const descriptor = fs.openSync(file, flags);
  act(descriptor);
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

// Makes docs/sample again: npm run sample
//
// The example is played to its end in a folder whose path says nothing about this machine; prompts, logs and records
// hold that path, and the journal holds digests of them, so it cannot be replaced afterwards. The finished task folder
// is copied as it is, with two pictures of its page if there is a Chromium. Nothing is copied where a file names
// this machine or its user.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, hostname, tmpdir, userInfo } from "node:os";
import { join, relative } from "node:path";
import { drawCaughtLie } from "./draw-caught-lie.mjs";
import { installChromium } from "./install-chromium.mjs";
import { checkout, makeEnvironment } from "./pass-after-pass.mjs";
import { copyExample, playExample } from "./play-example.mjs";
import { shootSample } from "./shoot-sample.mjs";

const print = (line) => console.log(line);
const scratch = "/tmp/task-phase-sample";
const sample = join(checkout, "docs", "sample");
const pictures = ["evidence.png", "evidence-360.png"];

process.exitCode = (await makeSample()) ? 0 : 1;

async function makeSample() {
  const chromium = installChromium(print);
  if (chromium.problem !== undefined) {
    print(`no sample was made: its pictures need a Chromium: ${chromium.problem}`);
    return false;
  }
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { mode: 0o700 });
  try {
    const env = { ...makeEnvironment(scratch), TMPDIR: scratch, TZ: "UTC", LANG: "C.UTF-8" };
    const taskDir = copyExample(join(scratch, "example"), env);
    if (!playExample(taskDir, env, print)) return false;
    const named = findNames(taskDir);
    for (const line of named) print(line);
    if (named.length > 0) return false;
    await shootSample(chromium.path, join(taskDir, "artifacts", "evidence.html"), scratch, pictures);
    replaceSample(taskDir);
    return true;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function replaceSample(taskDir) {
  const folder = join(sample, "T-001-stream-csv");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(sample, { recursive: true });
  cpSync(taskDir, folder, { recursive: true });
  writeFileSync(join(sample, "caught-lie.svg"), drawCaughtLie(folder));
  for (const name of pictures) writeFileSync(join(sample, name), readFileSync(join(scratch, name)));
  print(`made ${relative(checkout, folder)} and ${pictures.join(", ")}`);
}

/** Where a file says which machine, which user or which folder of theirs it was made on. */
function findNames(folder) {
  const places = [checkout, homedir(), ...(tmpdir() === "/tmp" ? [] : [tmpdir()])];
  // Any text may hold these words.
  const words = [hostname(), userInfo().username].filter((word) => !["root", "localhost"].includes(word));
  const sought = [...places.map(quote), ...words.map(quote)].map((text) => `(?<![\\w.-])${text}(?![\\w-])`);
  const pattern = new RegExp(sought.join("|"));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) => {
      const found = pattern.exec(readFileSync(file, "latin1"))?.[0];
      return found === undefined ? [] : [`names this machine: ${relative(folder, file)}: ${found}`];
    });
}

function quote(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

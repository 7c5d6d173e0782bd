#!/usr/bin/env node
// Plays the commands of docs/first-task.md, a-week.md, parallel.md and prove.md there, and writes their real output into them, or
// into those that are named: npm run build, then this.
//
// Blocks of `sh` are run as they are, and of `console` blocks the lines that begin with `$ `, all in one shell. What such
// a command prints stands below it. A section whose heading names a program that is missing keeps its output.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { checkout, makeEnvironment, makeScratch } from "./pass-after-pass.mjs";

/** In docs/. */
export const playedDocuments = ["first-task.md", "a-week.md", "parallel.md", "prove.md"];
const demo = "/tmp/demo";

/** The program that a section cannot do without, by a word of its heading. */
const needed = { npm: "npm", Python: "python3", Go: "go" };

/**
 * The document with the output that its commands print now, and the headings of the sections that could not be played.
 * `scratch` is an empty folder, which stands for /tmp/demo; `env` is the environment of the shell.
 */
export function playDocument(text, scratch, env) {
  const skipped = [];
  const sections = splitSections(text);
  const steps = [];
  const written = sections.map((section) => {
    const [heading = ""] = section.split("\n", 1);
    const missing = Object.entries(needed).find(([word, program]) => heading.includes(word) && !isThere(program, env));
    if (missing !== undefined) {
      skipped.push(heading.slice(3));
      return () => section;
    }
    return collect(section, steps);
  });
  const outputs = runSteps(steps, scratch, env);
  return { text: written.map((write) => write(outputs)).join(""), skipped };
}

/** At each heading of level 2 that is not in a fence: what a command printed may hold one. */
function splitSections(text) {
  const sections = [""];
  let fenced = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith("```")) fenced = !fenced;
    if (!fenced && line.startsWith("## ")) sections.push("");
    sections[sections.length - 1] += line;
  }
  return sections;
}

/**
 * Text in which what differs from run to run is the same. Of tasks that run at the same time any may end first, so their
 * lines are put together task by task.
 */
export function withoutMoments(text) {
  return text
    .replace(/^(?:(?:T-\d+ {2}pass |tasks\/T-\d+-).*\n)+/gm, byTask)
    .replace(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| [\d:]+(?:&#58;[\d:]+)* UTC)/g, "TIME")
    .replace(/\b\d+ (?:second|minute|hour)s? ago\b/g, "AGO")
    .replace(/\b\d{8}T\d{6}Z-[0-9a-f]+\b/g, "RUN")
    .replace(/\b(?:\d+ ?(?:h|m|min) ?)*\d+(?:\.\d+)? ?(?:ms|s|m|min|h)\b/g, "LONG")
    .replace(/\b[0-9a-f]{7,64}\b/g, "HASH");
}

function byTask(lines) {
  const taskOf = (line) => Number(/T-(\d+)/.exec(line)?.[1]);
  return lines
    .split(/(?<=\n)/)
    .sort((one, other) => taskOf(one) - taskOf(other))
    .join("");
}

function isThere(program, env) {
  return spawnSync("sh", ["-c", `command -v ${program}`], { env }).status === 0;
}

/** Adds the commands of a section to `steps`, and returns how the section is written with their outputs. */
function collect(section, steps) {
  const parts = section.split(/^(```(?:sh|console)\n[\s\S]*?^```\n)/m).map((part) => {
    const [, kind, body = ""] = /^```(sh|console)\n([\s\S]*?)^```\n$/m.exec(part) ?? [];
    if (kind === undefined) return () => part;
    if (kind === "sh") {
      steps.push(body);
      return () => part;
    }
    const commands = body.split("\n").filter((line) => line.startsWith("$ "));
    const first = steps.push(...commands.map((line) => line.slice(2))) - commands.length;
    return (outputs) =>
      `\`\`\`console\n${commands.map((line, index) => `${line}\n${outputs[first + index]}`).join("")}\`\`\`\n`;
  });
  return (outputs) => parts.map((write) => write(outputs)).join("");
}

function runSteps(steps, scratch, env) {
  const mark = "@@ step";
  const script = steps.map((step) => `${step.replaceAll(demo, scratch)}\necho '${mark}'\n`).join("");
  const end = spawnSync("bash", ["-c", `exec 2>&1 </dev/null\n${script}`], {
    cwd: join(scratch, ".."),
    env: { ...env, PATH: `${join(checkout, "bin")}:${env.PATH}` },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const outputs = end.stdout.replaceAll(scratch, demo).split(`${mark}\n`);
  if (outputs.length !== steps.length + 1) throw new Error(`the shell ended early:\n${end.stdout}`);
  return outputs;
}

function main() {
  const asked = argv.slice(2);
  for (const name of playedDocuments.filter((each) => asked.length === 0 || asked.includes(each))) {
    const path = join(checkout, "docs", name);
    const folder = makeScratch("played");
    mkdirSync(join(folder, "work"));
    try {
      const played = playDocument(readFileSync(path, "utf8"), join(folder, "work", "demo"), makeEnvironment(folder));
      writeFileSync(path, played.text);
      for (const heading of played.skipped) console.log(`not played, since its program is missing: ${heading}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) main();

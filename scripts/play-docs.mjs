#!/usr/bin/env node
// Plays the commands of docs/first-task.md, parallel.md and prove.md, and writes their real output there, or into those that
// are named: npm run build, then this.
//
// Blocks of `sh` are run as they are, and of `console` blocks the lines that begin with `$ `, all in one shell. The output of
// such a command is below it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { checkout, makeEnvironment, makeScratch } from "./pass-after-pass.mjs";

/** In docs/. */
export const playedDocuments = ["first-task.md", "parallel.md", "prove.md"];
const demo = "/tmp/demo";

/**
 * The document with the output that its commands print now. `scratch` is an empty folder, which stands for /tmp/demo; `env` is
 * the environment of the shell.
 */
export function playDocument(text, scratch, env) {
  const steps = [];
  const write = collect(text, steps);
  return write(runSteps(steps, scratch, env));
}

/**
 * Text in which what differs from run to run is the same. Of tasks that run at the same time any may end first, so their
 * lines are put together task by task. `node --test` writes TAP into a log up to Node 22, and lines for people since.
 */
export function withoutMoments(text) {
  return text
    .replace(/^(?:(?:T-\d+ {2}pass |tasks\/T-\d+-).*\n)+/gm, byTask)
    .replace(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| [\d:]+(?:&#58;[\d:]+)* UTC)/g, "TIME")
    .replace(/\b\d+ (?:second|minute|hour)s? ago\b/g, "AGO")
    .replace(/\b\d{8}T\d{6}Z-[0-9a-f]+\b/g, "RUN")
    .replace(/\b(?:\d+ ?(?:h|m|min) ?)*\d+(?:\.\d+)? ?(?:ms|s|m|min|h)\b/g, "LONG")
    .replace(/\b[0-9a-f]{7,64}\b/g, "HASH")
    .replace(/AssertionError \[ERR_ASSERTION\]: ([^;\n]*)/g, "error: '$1'");
}

function byTask(lines) {
  const taskOf = (line) => Number(/T-(\d+)/.exec(line)?.[1]);
  return lines
    .split(/(?<=\n)/)
    .sort((one, other) => taskOf(one) - taskOf(other))
    .join("");
}

/** Adds the commands of a document to `steps`, and returns how it is written with their outputs. */
function collect(text, steps) {
  const parts = text.split(/^(```(?:sh|console)\n[\s\S]*?^```\n)/m).map((part) => {
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
      writeFileSync(
        path,
        playDocument(readFileSync(path, "utf8"), join(folder, "work", "demo"), makeEnvironment(folder)),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) main();

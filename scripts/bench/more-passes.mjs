import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { retell } from "./clone-task.mjs";

/**
 * Adds recorded passes until the task has `count` of them, an even number more. Its last two passes, which stayed in
 * their phase and took the result to and fro, are told again and again under the next numbers, chained to the journal.
 */
export function addPasses(taskDir, count) {
  const journal = join(taskDir, "artifacts", "journal.jsonl");
  const lines = readFileSync(journal, "utf8").trimEnd().split("\n");
  const last = JSON.parse(lines.at(-1)).pass;
  if ((count - last) % 2 !== 0) throw new Error(`from pass ${last} to ${count} is no even number of passes`);
  const pair = [last - 1, last].map((pass) => readPass(taskDir, pass, lines));
  const added = [];
  let prev = digestOf(lines.at(-1));
  for (let pass = last + 1; pass <= count; pass += 1) {
    const template = pair[(pass - last - 1) % 2];
    const told = retell([...template.files, ...template.events], (text) => renumber(text, template.pass, pass));
    for (const { name, text } of told.slice(0, template.files.length))
      putText(join(folderOf(taskDir, pass), name), text);
    for (const { text } of told.slice(template.files.length)) {
      const line = JSON.stringify({ ...JSON.parse(text), seq: lines.length + added.length + 1, prev });
      added.push(line);
      prev = digestOf(line);
    }
  }
  writeFileSync(journal, [...lines, ...added, ""].join("\n"));
}

function readPass(taskDir, pass, lines) {
  const folder = folderOf(taskDir, pass);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // The record holds digests of the others, so it comes last.
    .sort((left, right) => Number(left.endsWith("pass.json")) - Number(right.endsWith("pass.json")))
    .map((path) => ({ name: path.slice(folder.length + 1), text: readFileSync(path, "utf8") }));
  const events = lines.filter((line) => JSON.parse(line).pass === pass).map((text) => ({ name: "event", text }));
  return { pass, files, events };
}

function renumber(text, from, to) {
  return text
    .replaceAll(`passes/${nameOf(from)}`, `passes/${nameOf(to)}`)
    .replace(new RegExp(`("pass": ?)${from}\\b`, "g"), `$1${to}`)
    .replace(new RegExp(`("passes": ?)${from - 1}\\b`, "g"), `$1${to - 1}`);
}

function putText(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function folderOf(taskDir, pass) {
  return join(taskDir, "artifacts", "passes", nameOf(pass));
}

function nameOf(pass) {
  return String(pass).padStart(4, "0");
}

function digestOf(text) {
  return createHash("sha256").update(text).digest("hex");
}

// Writes the generated parts of the documents from the tables of the program: node scripts/doc-parts.mjs [--check]
//
// A part is the text between `<!-- generated: NAME -->` and `<!-- end of generated: NAME -->`. The tables are read from
// the
// compiled code, so `dist/` has to be up to date. With --check nothing is written, and the exit
// code is 1 if a document is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

import { commandTable, sharedFlags } from "../dist/lib/cli/command-table.js";
import { phaseDiagram } from "../dist/lib/documents/templates/phase-diagram.js";
import { isWorkingPhase, phaseNames, phases } from "../dist/lib/rules/phases.js";
import { exitCodes, exitMeanings } from "../dist/lib/text/exit-codes.js";
import { code, table } from "./markdown-table.mjs";
import { makeShapeParts } from "./shape-tables.mjs";

const project = new URL("../", import.meta.url);

/** Every generated part by document and name, without the marks. */
export function makeParts() {
  return {
    "README.md": { diagram: `\`\`\`mermaid\n${phaseDiagram(null)}\n\`\`\`` },
    "docs/phases.md": { phases: phaseTable() },
    "docs/cli.md": { commands: commandOverview(), flags: sharedFlagTable(), exits: exitTable() },
    ...makeShapeParts(),
  };
}

/** The text with each part brought up to date. Throws if a part has no marks, or marks name no part. */
export function fillParts(text, parts) {
  const marked = [...text.matchAll(/^<!-- generated: (\S+) -->$/gm)].map((match) => match[1]);
  const names = Object.keys(parts);
  const wrong = [
    ...names.filter((name) => marked.filter((other) => other === name).length !== 1),
    ...marked.filter((name) => !names.includes(name)),
  ];
  if (wrong.length > 0) throw new Error(`each generated part must be marked once: ${[...new Set(wrong)].join(", ")}`);
  return names.reduce((filled, name) => fillPart(filled, name, parts[name]), text);
}

function fillPart(text, name, content) {
  const begin = `<!-- generated: ${name} -->\n`;
  const end = `<!-- end of generated: ${name} -->`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (to === -1) throw new Error(`the generated part ${name} is not ended`);
  return `${text.slice(0, from)}\n${content}\n\n${text.slice(to)}`;
}

function phaseTable() {
  const rows = phaseNames.map((name) => {
    const { meaning, out, next, forbidden } = phases[name];
    const to = isWorkingPhase(name) ? next.map(code).join(", ") : "none: terminal for a model";
    return [code(name), meaning, out, forbidden.join("; "), to];
  });
  return table(["phase", "what it is for", "when it is left", "forbidden", "a pass may propose"], rows);
}

function commandOverview() {
  const shared = new Set(sharedFlags.map((flag) => flag.name));
  const rows = commandTable.map((command) => {
    const own = command.flags.filter((flag) => !shared.has(flag.name)).map((flag) => code(nameFlag(flag)));
    return [code(command.name), command.summary, own.join(", "), command.okMeaning];
  });
  return table(["command", "does", "flags of its own", "exit code 0 means"], rows);
}

function sharedFlagTable() {
  return table(
    ["flag of every command", "means"],
    sharedFlags.map((flag) => [code(nameFlag(flag)), flag.help]),
  );
}

function nameFlag({ short, name, label }) {
  return `${short === undefined ? "" : `-${short}, `}--${name}${label === undefined ? "" : ` ${label}`}`;
}

function exitTable() {
  const rows = Object.entries(exitCodes).map(([name, number]) => {
    const users = commandTable.filter((command) => command.exits.includes(name)).map((command) => command.name);
    const by = users.length === commandTable.length ? "all" : users.join(", ");
    return [String(number), code(name), exitMeanings[name], by];
  });
  return table(["code", "name", "when", "commands"], rows);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes("--check");
  for (const [name, parts] of Object.entries(makeParts())) {
    const file = fileURLToPath(new URL(name, project));
    const before = readFileSync(file, "utf8");
    const after = fillParts(before, parts);
    if (before === after) continue;
    console.log(check ? `${name} is out of date: node scripts/doc-parts.mjs` : `brought ${name} up to date`);
    if (check) process.exitCode = 1;
    else writeFileSync(file, after);
  }
}

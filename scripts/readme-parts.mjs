// Writes the generated parts of README.md from the tables of the program: node scripts/readme-parts.mjs [--check]
//
// A part stands between `<!-- generated: NAME -->` and `<!-- end of generated: NAME -->`. The tables are read from the
// compiled code, so `dist/` has to be up to date. With --check nothing is written: 1 where the README is not up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

import { commandTable, sharedFlags } from "../dist/lib/cli/command-table.js";
import { isWorkingPhase, phaseNames, phases } from "../dist/lib/machine/phases.js";
import { exitCodes, exitMeanings } from "../dist/lib/report/exit-codes.js";
import { phaseDiagram } from "../dist/lib/templates/phase-diagram.js";

const readme = fileURLToPath(new URL("../README.md", import.meta.url));

/** Every generated part by its name, without the marks. */
export function makeParts() {
  return {
    diagram: `\`\`\`mermaid\n${phaseDiagram(null)}\n\`\`\``,
    phases: phaseTable(),
    commands: commandOverview(),
    flags: flagTable(),
    exits: exitTable(),
  };
}

/** The text with each part brought up to date. Throws where a part has no marks, or marks name no part. */
export function fillParts(text, parts = makeParts()) {
  const marked = [...text.matchAll(/^<!-- generated: (\S+) -->$/gm)].map((match) => match[1]);
  const names = Object.keys(parts);
  const wrong = [
    ...names.filter((name) => marked.filter((other) => other === name).length !== 1),
    ...marked.filter((name) => !names.includes(name)),
  ];
  if (wrong.length > 0)
    throw new Error(`README.md must mark each generated part once: ${[...new Set(wrong)].join(", ")}`);
  return names.reduce((filled, name) => fillPart(filled, name, parts[name]), text);
}

function fillPart(text, name, content) {
  const begin = `<!-- generated: ${name} -->\n`;
  const end = `<!-- end of generated: ${name} -->`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (to === -1) throw new Error(`README.md: the generated part ${name} is not ended`);
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
  return table(
    ["command", "does", "exit code 0 means"],
    commandTable.map((command) => [code(`task-phase ${command.name}`), command.summary, command.okMeaning]),
  );
}

function flagTable() {
  const shared = new Set(sharedFlags.map((flag) => flag.name));
  const own = commandTable.flatMap((command) =>
    command.flags.filter((flag) => !shared.has(flag.name)).map((flag) => [code(command.name), ...describeFlag(flag)]),
  );
  return table(
    ["command", "flag", "means"],
    [...own, ...sharedFlags.map((flag) => ["every one", ...describeFlag(flag)])],
  );
}

function describeFlag(flag) {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const label = flag.label === undefined ? "" : ` ${flag.label}`;
  return [code(`${short}--${flag.name}${label}`), `${flag.help}${flag.repeatable === true ? "; may be repeated" : ""}`];
}

function exitTable() {
  const rows = Object.entries(exitCodes).map(([name, number]) => {
    const users = commandTable.filter((command) => command.exits.includes(name)).map((command) => command.name);
    const by = users.length === commandTable.length ? "all" : users.join(", ");
    return [String(number), code(name), exitMeanings[name], by];
  });
  return table(["code", "name", "when", "commands"], rows);
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text) {
  return `\`${text}\``;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const before = readFileSync(readme, "utf8");
  const after = fillParts(before);
  const same = before === after;
  if (process.argv.includes("--check")) {
    console.log(same ? "README.md is up to date" : "README.md is not up to date: node scripts/readme-parts.mjs");
    process.exitCode = same ? 0 : 1;
  } else if (same) {
    console.log("README.md was up to date");
  } else {
    writeFileSync(readme, after);
    console.log("README.md was brought up to date");
  }
}

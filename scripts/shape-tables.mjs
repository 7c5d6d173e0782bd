// The tables of docs/json.md, from the schemas of what is stored and printed. What a key means is in schemas/.
import { eventShapes } from "../dist/lib/rules/shapes/events.js";
import { end, named } from "../dist/lib/rules/shapes/reports/common.js";
import { runReport } from "../dist/lib/rules/shapes/reports/run.js";
import { rootStatus, showKeys, taskStatus } from "../dist/lib/rules/shapes/reports/status.js";
import { reportShapes, storedShapes } from "./json-schemas.mjs";
import { code, table } from "./markdown-table.mjs";

/** Of a line of the documents. */
const widest = 128;

export function makeShapeParts() {
  return {
    "docs/json.md": { reports: reportTable(), records: recordTable(), events: eventList() },
  };
}

/** A row a command. Keys that several commands have are named once. */
function reportTable() {
  const { loop, show, status, ...others } = reportShapes;
  const rows = Object.entries(others).map(([name, shape]) => [
    code(name),
    nameKeys(without(shape.entries, [...Object.keys(end), ...Object.keys(named)])),
  ]);
  const more = [
    [code("loop"), `those of ${code("run")}, and ${listKeys(without(loop.entries, Object.keys(runReport.entries)))}`],
    [`${code("status")} of a task`, listKeys(taskStatus.entries)],
    [`${code("status")} of a tasks root`, listKeys(rootStatus.entries)],
    [code("show"), `those of ${code("status")} of a task, and ${listKeys(showKeys.entries)}`],
  ];
  return table(["command", "keys of its own"], [...rows, ...more].sort(byName));
}

function recordTable() {
  const rows = Object.entries(storedShapes).map(([name, [file, shape]]) => [
    code(name),
    file,
    shape.entries === undefined ? "" : listKeys(shape.entries),
  ]);
  return table(["schema", "of", "keys"], rows);
}

/** What is in an event, and when it comes, says its schema. */
function eventList() {
  const words = Object.keys(eventShapes).map(code).join(", ").split(" ");
  const [first, ...others] = words;
  return others.reduce((text, word) => {
    const room = widest - (text.length - text.lastIndexOf("\n"));
    return `${text}${word.length <= room ? " " : "\n"}${word}`;
  }, first);
}

function listKeys(entries) {
  const isRequired = ([, schema]) => schema.type !== "exact_optional" && schema.type !== "optional";
  return nameKeys(
    entries,
    Object.entries(entries)
      .filter(isRequired)
      .map(([key]) => key),
  );
}

/** A key that may be missing has a question mark. */
function nameKeys(entries, required = Object.keys(entries)) {
  const names = Object.keys(entries).map((key) => `${code(key)}${required.includes(key) ? "" : "?"}`);
  return names.join(", ");
}

function byName([one], [other]) {
  return one < other ? -1 : 1;
}

function without(entries, keys) {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !keys.includes(key)));
}

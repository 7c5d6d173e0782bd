import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { checkout } from "./checkout.mjs";
import { goals } from "./goals.mjs";

/** Where and on what the rows were measured. */
export function describeRun(now = new Date()) {
  const git = (...words) => execFileSync("git", words, { cwd: checkout, encoding: "utf8" }).trim();
  const star = git("status", "--porcelain", "--untracked-files=no", "--", "lib", "bin", "templates") === "" ? "" : "*";
  return {
    date: now.toISOString().slice(0, 10),
    commit: `${git("rev-parse", "--short=8", "HEAD")}${star}`,
    node: process.version,
    cores: os.availableParallelism(),
    memory_gib: Math.round(os.totalmem() / 2 ** 30),
  };
}

/** As `12.3 ×`, with two or three digits that count. */
export function showValue({ value, unit }) {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 4;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${unit}`.trim();
}

export function showGoal({ id, unit }) {
  const goal = goals[id];
  return goal === undefined ? "" : `≤ ${goal.toLocaleString("en")} ${unit}`.trim();
}

/** True where the row has a goal and is above it. */
export function misses({ id, value }) {
  return goals[id] !== undefined && value > goals[id];
}

/** One line on the terminal. */
export function showRow(row) {
  const side = (one) => (one === null ? "" : `${Math.round(one.median)} (${one.min})`);
  const floor = row.floor === null ? "" : `, ${row.floor.name} ${side(row.floor)}`;
  const cpu = row.ours === null ? "" : `; CPU ms, median (min): ours ${side(row.ours)}${floor}`;
  const goal = showGoal(row);
  const judged = goal === "" ? "" : `, goal ${goal}${misses(row) ? ", missed" : ""}`;
  return `${row.id}: ${row.what}: ${showValue(row)}${judged}; n = ${row.n}${cpu}`;
}

/** Writes the rows with a goal into the table of docs/benchmarks.md, and every row as one line to bench/history.jsonl. */
export function writeResults(rows, skipped, run) {
  appendFileSync(`${checkout}bench/history.jsonl`, `${JSON.stringify({ ...run, rows, skipped })}\n`);
  writePart("benchmarks", renderTable(rows, skipped, run));
}

/** Replaces what is between the marks of a part of docs/benchmarks.md. */
function writePart(name, content) {
  const file = `${checkout}docs/benchmarks.md`;
  const [begin, end] = [`<!-- generated: ${name} -->\n`, `<!-- end of generated: ${name} -->`];
  const [head, rest] = readFileSync(file, "utf8").split(begin);
  const tail = rest.split(end)[1];
  writeFileSync(file, `${head}${begin}\n${content}\n${end}${tail}`);
}

function renderTable(rows, skipped, run) {
  const side = (one) => (one === null ? "" : `${Math.round(one.median)} (${one.min})`);
  const cells = (row) => {
    const floor = row.floor === null ? "" : `${row.floor.name}: ${side(row.floor)}`;
    return [row.what, showValue(row), showGoal(row), side(row.ours), floor, row.n];
  };
  const lines = [
    ["what", "figure", "goal", "CPU ms, median (min)", "floor, CPU ms, median (min)", "n"],
    ["---", "---", "---", "---", "---", "---"],
    ...rows.filter(({ id }) => goals[id] !== undefined).map(cells),
  ].map((words) => `| ${words.join(" | ")} |`);
  const left = skipped.map(({ id, why }) => `Not measured: ${id}: ${why}.`);
  return [`Measured: ${showRun(run)}.`, "", ...lines, "", ...left].join("\n");
}

function showRun({ date, commit, node, cores, memory_gib: memory }) {
  return `commit ${commit}, ${date}, Node ${node}, ${cores} cores, ${memory} GiB`;
}

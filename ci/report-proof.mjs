// Says on a git host what `task-phase prove --json` came to: node report-proof.mjs github|gitlab report|require FILE [REPORT]
//
// github: workflow commands on stdout, and Markdown for the summary of the step in the file that GITHUB_STEP_SUMMARY names.
// gitlab: words for the log on stdout, and entries added to the Code Quality report REPORT. The exit code is that of the
// proof with `require`, and 0 with `report`. dist/ of this checkout has to be built.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

import { annotate } from "../dist/lib/cli/annotations.js";
import { mdCell, mdInline } from "../dist/lib/documents/templates/markdown-escape.js";
import { escapeForTerminal } from "../dist/lib/text/shorten.js";

const [host, mode, file, report] = process.argv.slice(2);
const proof = readProof(file);
const findings = listFindings(proof);
const lines = host === "github" ? annotate("github", findings, process.cwd()) : [];
// No line of ours is a workflow command by what somebody wrote.
const said = escapeForTerminal(proof.headline ?? findings[0]?.message ?? "no answer").replaceAll("##[", "# #[");
process.stdout.write(`${[...lines, `task-phase prove: ${said}`].join("\n")}\n`);
if (host === "github" && process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, summarize());
if (host === "gitlab" && report !== undefined) {
  const entries = JSON.parse(readFileSync(report, "utf8") || "[]");
  const own = annotate("gitlab", findings, process.cwd()).flatMap((text) => JSON.parse(text));
  writeFileSync(report, `${JSON.stringify([...entries, ...own])}\n`);
}
if (mode === "require") process.exitCode = proof.exit_code;

/** Null in place of keys that a proof which was not made does not have. */
function readProof(name) {
  const text = readFileSync(name, "utf8");
  if (text.trim() !== "") return JSON.parse(text);
  const message = "not judged: prove ended without an answer; the log of the step says why";
  return { exit_code: 1, findings: [{ severity: "error", code: "TP_PROVE_ENDED", message }] };
}

/** Those of the call, and what is wrong with the change. With `report` none is an error, since the step does not fail. */
function listFindings({ findings: own, failing = [], watched = [], unnoticed = [] }) {
  const severity = mode === "require" ? "error" : "warning";
  const made = [
    ...own.map((finding) => (finding.severity === "error" ? { ...finding, severity } : finding)),
    ...failing.map(({ check, said: why, compared, failed_before: before }) => ({
      severity: before ? "warning" : severity,
      code: "TP_PROVE_FAILS",
      message: [check, why, compared, before ? "the base fails in the same way" : null].filter(Boolean).join(": "),
    })),
    ...watched
      .filter((change) => change.asks)
      .map(({ name, kind, change, detail }) => ({
        severity,
        code: "TP_PROVE_ASKS",
        message: `a person has to look at the ${kind} ${name}, ${change}${detail === "" ? "" : `: ${detail}`}`,
        file: kind === "test" ? name : null,
      })),
    ...unnoticed.map(({ path, line, was, made: wrong }) => ({
      severity: "warning",
      code: "TP_PROVE_UNNOTICED",
      message: `no check notices ${was} made ${wrong}`,
      file: path,
      line,
    })),
  ];
  return made.map((finding) => ({ file: null, line: null, column: null, fix: null, ...finding }));
}

function summarize() {
  const { headline, base, changed = [], checks = [], runs, duration_ms: ms } = proof;
  const columns = ["before", "clean", "old_checks", "without"];
  const mark = (cell) => (cell === null ? "" : cell.log === null ? "as clean" : cell.status.replaceAll("_", " "));
  const rows = checks.map((check) => [check.name, ...columns.map((name) => mark(check[name]))].map(mdCell).join(" | "));
  const table = ["check", ...columns].map(mdCell).join(" | ");
  const where = ({ file: name, line }) =>
    name === null ? "" : `${mdInline(name)}${line === null ? "" : `:${line}`}: `;
  const parts = [
    `## task-phase prove`,
    `**${mdInline(headline ?? findings[0]?.message ?? "")}**`,
    rows.length === 0 ? "" : [table, "--- | --- | --- | --- | ---", ...rows].map((row) => `| ${row} |`).join("\n"),
    findings.map((finding) => `- ${where(finding)}${mdInline(finding.message)}`).join("\n"),
    base === undefined
      ? ""
      : `${changed.length} changed paths against ${mdInline(base.name)}; ${runs} runs of the checks in ${Math.round(ms / 1000)} s`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

import { styleText } from "node:util";
import type { Finding } from "../report/finding.ts";
import { escapeForTerminal } from "../text/terminal.ts";
import type { Io, OutputStream } from "./io.ts";

/** Whether what is written to this stream may be coloured: a flag, then the environment, then the terminal. */
export function wantsColor(stream: OutputStream, env: NodeJS.ProcessEnv, noColorFlag: boolean): boolean {
  if (noColorFlag) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if ((env.NO_COLOR ?? "") !== "" || env.TERM === "dumb") return false;
  return stream.isTTY === true;
}

/** `file:line:column: error: message [CODE]`, and what to do next on a line of its own. */
export function renderFinding(finding: Finding, color: boolean): string {
  const place = [finding.file === null ? null : oneLine(finding.file), finding.line, finding.column]
    .filter((part) => part !== null)
    .join(":");
  const severity = paint(finding.severity, severityStyles[finding.severity], color);
  const head = `${place === "" ? "" : `${place}: `}${severity}: ${oneLine(finding.message)} [${finding.code}]`;
  return finding.fix === null ? head : `${head}\n  fix: ${oneLine(finding.fix)}`;
}

const severityStyles = { error: "red", warning: "yellow", info: "cyan" } as const;

function paint(word: string, style: "red" | "yellow" | "cyan", color: boolean): string {
  return color ? styleText(style, word, { validateStream: false }) : word;
}

/** A finding is one event, so it is one line, whatever a file's text holds. */
function oneLine(text: string): string {
  return escapeForTerminal(text).replaceAll("\n", "\\n");
}

/** Writes lines that may contain text from files. */
export function writeLines(stream: Io["stdout"], lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${lines.map(escapeForTerminal).join("\n")}\n`);
}

export function writeFindings(stream: Io["stderr"], findings: readonly Finding[], color: boolean): void {
  for (const finding of findings) stream.write(`${renderFinding(finding, color)}\n`);
}

import path from "node:path";
import type { Finding } from "../text/finding.ts";
import { escapeForTerminal } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import type { Io, OutputStream } from "./io.ts";
import { type Line, paint, renderLine } from "./paint.ts";

/** Whether what is written to this stream may be coloured: a flag, then the environment, then the terminal. */
export function wantsColor(stream: OutputStream, env: NodeJS.ProcessEnv, noColorFlag: boolean): boolean {
  if (noColorFlag) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if ((env.NO_COLOR ?? "") !== "" || env.TERM === "dumb") return false;
  return stream.isTTY === true;
}

/** `file:line:column: error: message [CODE]`, and what to do next on a line of its own. Here is no place to name. */
export function findingLine(finding: Finding): Line {
  const { file } = finding;
  const place = [file === null || file === "." ? null : oneLine(file), finding.line, finding.column]
    .filter((part) => part !== null)
    .join(":");
  return [
    ...(place === "" ? [] : [`${place}: `]),
    paint(severityStyles[finding.severity], finding.severity),
    `: ${oneLine(finding.message)} [${finding.code}]`,
    ...(finding.fix === null ? [] : [`\n  fix: ${oneLine(finding.fix)}`]),
  ];
}

const severityStyles = { error: "bad", warning: "warn", info: "note" } as const;

/** A finding is one event, so it is one line, whatever a file's text holds. */
function oneLine(text: string): string {
  return escapeForTerminal(text).replaceAll("\n", "\\n");
}

/** Writes lines that may contain text from files. */
export function writeLines(stream: Io["stdout"], lines: readonly Line[], color: boolean): void {
  if (lines.length > 0) stream.write(`${lines.map((line) => renderLine(line, color)).join("\n")}\n`);
}

/** A path as a person in this folder would type it. */
export function show({ cwd }: Pick<CommandContext, "cwd">, file: string): string {
  const relative = path.relative(cwd, file);
  return relative === "" ? "." : relative.startsWith("..") ? file : relative;
}

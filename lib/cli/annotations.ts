import path from "node:path";
import { findGitPlace } from "../git/place.ts";
import { usageError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { sha256 } from "../text/sha256.ts";
import { escapeForTerminal, shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import { type Line, plainText } from "./paint.ts";

const annotationFormats = ["github", "gitlab"] as const;
type AnnotationFormat = (typeof annotationFormats)[number];

/** `--annotations`; null if it was not given. It replaces the answer. */
export function readAnnotationFormat({ flags }: Pick<CommandContext, "flags">): AnnotationFormat | null {
  const word = flags.text("annotations");
  if (word === null) return null;
  const other = (["json", "quiet"] as const).find((name) => flags.on(name));
  if (other !== undefined) {
    throw usageError("TP_USAGE_ANNOTATIONS", `--annotations and --${other} cannot be combined`, {
      fix: "omit one of them",
    });
  }
  const format = annotationFormats.find((name) => name === word);
  if (format !== undefined) return format;
  throw usageError("TP_USAGE_ANNOTATIONS", `--annotations takes github or gitlab, found '${shorten(word)}'`);
}

/** The lines for stdout. Paths are relative to the top of the working tree that holds `folder`. */
export function annotate(format: AnnotationFormat, findings: readonly Finding[], folder: string): string[] {
  const top = findGitPlace(folder)?.top ?? folder;
  const inside = (file: string | null): string | null => {
    if (file === null) return null;
    const relative = path.relative(top, path.resolve(folder, file)).split(path.sep).join("/");
    return relative === "" || relative === ".." || relative.startsWith("../") ? null : relative;
  };
  return format === "github"
    ? findings.map((finding) => githubCommand(finding, inside(finding.file)))
    : [JSON.stringify(codeQuality(findings, inside))];
}

/** A log line for GitHub without a command: those begin with `::`, or appear anywhere after `##[`. */
export function plainLogLine(line: Line): string {
  return `task-phase check: ${plainText(line).replaceAll("##[", "# #[")}`;
}

const githubWords = { error: "error", warning: "warning", info: "notice" } as const;

/** A workflow command of GitHub Actions: one line, and nothing in it ends it or begins another. */
function githubCommand({ severity, code, message, line, column, fix }: Finding, file: string | null): string {
  const places = [
    ["file", file],
    ["line", file === null ? null : line],
    ["col", file === null || line === null ? null : column],
    ["title", code],
  ] as const;
  const properties = places.flatMap(([key, value]) =>
    value === null ? [] : [`${key}=${escapeData(`${value}`).replaceAll(":", "%3A").replaceAll(",", "%2C")}`],
  );
  const text = fix === null ? message : `${message}\nfix: ${fix}`;
  return `::${githubWords[severity]} ${properties.join(",")}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  const escaped = text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return escapeForTerminal(escaped);
}

const gitlabWords = { error: "critical", warning: "minor", info: "info" } as const;

/**
 * A Code Quality report of GitLab. Fingerprints are stable: one finding in one place keeps its fingerprint in every
 * pipeline.
 */
function codeQuality(findings: readonly Finding[], inside: (file: string | null) => string | null) {
  return findings.map(({ severity, code, message, file, line, fix }) => {
    // Written out, since the printed line must not hold what a terminal obeys and stay JSON at once.
    const location = escapeForTerminal(inside(file) ?? ".");
    const description = escapeForTerminal(fix === null ? message : `${message} (${fix})`);
    return {
      description,
      check_name: code,
      fingerprint: sha256(JSON.stringify([code, location, line, description])),
      severity: gitlabWords[severity],
      location: { path: location, lines: { begin: line ?? 1 } },
    };
  });
}

import path from "node:path";
import { type GivenBrief, readGivenBrief, refuseSaidTwice } from "../init/given-brief.ts";
import { openEditor } from "../process/open-viewer.ts";
import { dataError, usageError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { CommandContext } from "./command.ts";
import { show } from "./show-path.ts";

/** Text for a brief, and where it came from, as a person would say it. */
export interface BriefSource {
  readonly given: GivenBrief;
  readonly from: string;
}

const maxBytes = 1 << 20;
/** How long a pipe that nobody asked for may say nothing. Programs that start others often leave one open. */
const silentMs = 3_000;

/**
 * The text that `--brief` names, or that waits on stdin; null if there is none. A finding if a pipe stayed silent, since
 * its text may come later.
 */
export async function readBriefSource(
  context: CommandContext,
): Promise<{ readonly source: BriefSource | null; readonly findings: Finding[] }> {
  const { flags, stdin } = context;
  const name = flags.text("brief");
  if (flags.on("edit") && stdin.kind !== "terminal") {
    throw usageError("TP_INIT_EDIT", "--edit needs a terminal for the editor", {
      fix: "omit it, and give the text with --brief FILE or through a pipe",
    });
  }
  if (name !== null && name !== "-") return { source: readFile(context, name), findings: [] };
  if (name === null && stdin.kind !== "text") return { source: null, findings: [] };
  const bytes = await stdin.read({ maxBytes, silentMs: name === null ? silentMs : Number.POSITIVE_INFINITY });
  if (bytes === null) return { source: null, findings: [silent()] };
  if (name === null && bytes.toString("latin1").trim() === "") return { source: null, findings: [] };
  return { source: readSource(context, bytes, "stdin"), findings: [] };
}

function readFile(context: CommandContext, name: string): BriefSource {
  const file = path.resolve(context.cwd, name);
  const read = readRegularFile(file, maxBytes);
  if (read.kind === "file") return readSource(context, read.bytes, show(context, file));
  const problem = read.kind === "too_big" ? `it has more than ${maxBytes} bytes` : `it is ${words[read.kind]}`;
  throw dataError("TP_INIT_BRIEF", `the brief cannot be read: ${problem}`, {
    file,
    fix: "write --brief FILE, or --brief - for stdin",
  });
}

const words = {
  missing: "missing",
  link: "a link",
  folder: "a folder",
  special: "a device, socket or pipe",
  unreadable: "not readable",
} as const;

function readSource({ flags }: CommandContext, bytes: Buffer, from: string): BriefSource {
  const given = readGivenBrief(bytes, from);
  const keys = ["title", "id", "repo", "priority", "depends-on", "validator", "user-facing"] as const;
  const said = keys.filter((key) => flags.on(key)).map((key) => [keyOf(key), `--${key}`] as const);
  refuseSaidTwice(given, from, new Map(said));
  return { given, from };
}

/** `--validator` adds one to `validators`. */
function keyOf(flag: string): string {
  return flag === "validator" ? "validators" : flag.replace("-", "_");
}

function silent(): Finding {
  return warningFinding("TP_INIT_STDIN_SILENT", "stdin is a pipe that delivered nothing, so no text was read from it", {
    fix: "write --brief - to wait for the text, or < /dev/null to go without one",
  });
}

/** Opens a file in the person's editor and waits; a finding if the editor fails. */
export function editFile({ env, cwd }: CommandContext, file: string): Finding[] {
  const failed = openEditor(file, env, cwd);
  if (failed === null) return [];
  return [
    warningFinding("TP_INIT_EDIT", `the editor failed: ${failed}`, {
      file,
      fix: "edit the file by hand, or correct VISUAL or EDITOR",
    }),
  ];
}

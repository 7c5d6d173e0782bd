import path from "node:path";
import { readParts } from "../../documents/brief.ts";
import type { BriefCheck } from "../../documents/templates/render-task-files.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { TaskPhaseError, usageError } from "../../text/errors.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { splitShellWords } from "../../text/shell-words.ts";
import { shorten } from "../../text/shorten.ts";

/** A brief that a person brought along, read before anything is made of it. */
export type GivenBrief = Readonly<ReturnType<typeof readGivenBrief>>;

/** Text for a brief, and where it came from, as a person would say it. */
export interface BriefSource {
  readonly given: GivenBrief;
  readonly from: string;
  /** Of `--issue`: the id of its task unless a person names one, and its page. */
  readonly issue?: { readonly id: string; readonly url: string };
}

/** Whether the brief in this folder was made from that issue. */
export function isOfIssue(taskDir: string, url: string): boolean {
  const read = readRegularFile(path.join(taskDir, "README.md"), 1 << 20);
  return read.kind === "file" && read.bytes.includes(`: ${url}\n`);
}

/**
 * `from` is the file, or what stdin is called. `front`: the keys of its front matter, and its lines as they are. Throws
 * if nothing is in it, or if its front matter cannot be read.
 */
export function readGivenBrief(bytes: Buffer, from: string) {
  const read = readParts(bytes, from);
  if (read.kind === "bad") throw new TaskPhaseError("data", read.findings);
  const body = read.body.replace(/\r\n?/g, "\n");
  if (body === "" && read.front === null)
    throw usageError("TP_INIT_BRIEF", "the brief is empty", { file: from, fix: "write what you want there" });
  const front = read.front === null ? null : { ...read.front, lines: read.front.lines.replace(/\r\n?/g, "\n") };
  return { front, body, heading: read.heading };
}

/** A key of the brief's own front matter as text; null if it is not there, or if it is not text. */
export function textKey(given: GivenBrief | null, key: "id" | "title"): string | null {
  const value = given?.front?.keys[key];
  return typeof value === "string" ? value : null;
}

/** A key is said in one place: neither the flag nor the front matter is left out in silence. */
export function refuseSaidTwice(given: GivenBrief, from: string, flags: ReadonlyMap<string, string>): void {
  const twice = [...flags].filter(([key]) => given.front !== null && key in given.front.keys);
  if (twice.length === 0) return;
  throw new TaskPhaseError(
    "usage",
    twice.map(([key, flag]) =>
      errorFinding("TP_INIT_SAID_TWICE", `${flag} was given, and the front matter of the brief has \`${key}\` too`, {
        file: from,
        fix: `omit ${flag}, or remove \`${key}\` from the brief`,
      }),
    ),
  );
}

/** Reads each `name=command line`. All that is wrong is given back beside what could be read. */
export function readValidators(texts: readonly string[]): { validators: BriefCheck[]; findings: Finding[] } {
  const validators: BriefCheck[] = [];
  const findings: Finding[] = [];
  for (const text of texts) {
    const read = readValidator(text);
    if ("code" in read) findings.push(read);
    else if (validators.some((one) => one.name === read.name))
      findings.push(problem(`'${shorten(read.name)}' was given twice; each validator needs its own name`));
    else validators.push(read);
  }
  return { validators, findings };
}

function readValidator(text: string): BriefCheck | Finding {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (name === "") return problem(`'${shorten(text)}' has no name before an equals sign`);
  const split = splitShellWords(text.slice(at + 1));
  if (split.kind === "bad") {
    return problem(`the command of '${shorten(name)}': column ${split.column}: ${split.problem}`);
  }
  if ((split.words[0] ?? "") === "") return problem(`'${shorten(name)}' has no command after the equals sign`);
  return { name, command: split.words };
}

function problem(message: string): Finding {
  return errorFinding("TP_INIT_BAD_VALIDATOR", `--validator: ${message}`, {
    fix: "write --validator 'tests=npm test'; if it needs a shell, put the line into a script",
  });
}

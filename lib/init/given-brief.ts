import { TaskPhaseError, usageError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import { readParts } from "../task-folder/brief.ts";

/** A brief that a person brought along, read before anything is made of it. */
export interface GivenBrief {
  /** The keys of its front matter, and its lines as they are; null if it has none. */
  readonly front: { readonly keys: Readonly<Record<string, unknown>>; readonly lines: string } | null;
  readonly body: string;
  readonly heading: string | null;
}

/** `from` is the file, or what stdin is called. Throws if nothing is in it, or if its front matter cannot be read. */
export function readGivenBrief(bytes: Buffer, from: string): GivenBrief {
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

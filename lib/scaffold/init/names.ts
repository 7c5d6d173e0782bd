import { capital } from "../../rules/wording.ts";
import { addTo } from "../../text/add-to.ts";
import { type TaskPhaseError, usageError } from "../../text/errors.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";

/** A key as issue trackers write it, at the start of a folder's name: T-123-stream-csv. */
const leadingKey = /^([A-Z][A-Z0-9]*-\d+)(?:[-_. ]+(.*))?$/s;

/** The id that a folder's name says: its leading key, else the whole name. */
export function idFromFolder(name: string): string {
  return leadingKey.exec(name)?.[1] ?? name;
}

/** The title that a folder's name says: what follows the key, in words; the name itself if nothing follows. */
export function titleFromFolder(name: string): string {
  const key = leadingKey.exec(name);
  const words = (key === null ? name : (key[2] ?? "")).replace(/[-_]+/g, " ").trim();
  return words === "" ? name : capital(words);
}

/** True for a word that names a task and no title: a path, or a key such as T-123 with or without words behind it. */
export function looksLikeTask(word: string): boolean {
  return !/\s/.test(word) && (word.includes("/") || leadingKey.test(word));
}

const longestSlug = 40;

/** A title as the words of a folder's name: lower case, accents aside, cut between words; empty if it has none. */
export function slugFromTitle(title: string): string {
  const plain = title.normalize("NFKD").replace(/[\u0300-\u036f'\u2019]/g, "");
  const words = plain
    .normalize("NFC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "");
  let slug = "";
  for (const word of words) {
    const longer = slug === "" ? Array.from(word).slice(0, longestSlug).join("") : `${slug}-${word}`;
    if (Array.from(longer).length > longestSlug) break;
    slug = longer;
  }
  return slug;
}

const refusals: readonly (readonly [string, (id: string) => boolean])[] = [
  ["it is empty", (id) => id.trim() === ""],
  ["it starts or ends with a space", (id) => id !== id.trim()],
  ["it is a path", (id) => id === "." || id === ".."],
  ["it contains a slash", (id) => /[/\\]/.test(id)],
  ["it contains a control or invisible character", (id) => /[\p{C}\p{Zl}\p{Zp}]/u.test(id)],
  ["it is longer than 80 characters", (id) => Array.from(id).length > 80],
];

/** The problem with an id; it is in file names, links and one-line messages. */
export function judgeId(id: string, flag: string): Finding[] {
  const refusal = refusals.find(([, applies]) => applies(id));
  if (refusal === undefined) return [];
  return [
    errorFinding("TP_INIT_BAD_ID", `'${shorten(id)}' cannot be a task's id: ${refusal[0]}`, {
      fix: `write ${flag} with 1 to 80 visible characters and no slash, for example T-123`,
    }),
  ];
}

export function takenId(id: string, folder: string): TaskPhaseError {
  return usageError("TP_INIT_ID_TAKEN", `${shorten(id)} is the id of another task`, {
    file: folder,
    fix: "give another --id, or omit it and give a title: then the next free id is used",
  });
}

/** A prefix, and a number of at most as many digits as can be counted on. */
const key = /^([A-Z][A-Z0-9]*)-(\d{1,15})$/;

/**
 * The id of the next task, after those that are there: their most common prefix, their highest number and one more, as
 * wide as theirs if they begin with zeros. T-1 if none has such an id.
 */
export function nextId(ids: readonly string[]): string {
  const digits = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    const [, prefix, number] = key.exec(id) ?? [];
    if (prefix === undefined || number === undefined) continue;
    addTo(digits, prefix, number);
  }
  const [most] = [...digits].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  if (most === undefined) return "T-1";
  const [prefix, numbers] = most;
  const width = Math.max(1, ...numbers.filter((number) => number.startsWith("0")).map((number) => number.length));
  const next = Math.max(...numbers.map(Number)) + 1;
  return `${prefix}-${String(next).padStart(width, "0")}`;
}

import type { Contract } from "./contract.ts";
import type { PartialContract } from "./contract-schema.ts";
import { readContract } from "./read-contract.ts";

/** Contracts by their front matter without what is each task's own, which most tasks of a root have in common. */
const known = new WeakMap<PartialContract, Map<string, Contract | null>>();
/** Stands for every object without defaults: who lists tasks has none, and who then reads one of them mostly has none. */
const noDefaults: PartialContract = {};

/**
 * What `readBrief` reads of a text that `easyText` passed, in a hundredth of the time; null: `readBrief` must read it.
 * One object of defaults gives one object of every list that two contracts share. `isEmpty`: the body has nothing but
 * headings and comments.
 */
export function scanContract(text: string, defaults: PartialContract) {
  const scan = scanBrief(text);
  const hasDefaults = Object.keys(defaults).length > 0;
  const shared = scan === null ? null : contractOf(scan.rest, hasDefaults ? defaults : noDefaults);
  if (scan === null || shared === null) return null;
  const { id, title, isEmpty } = scan;
  const dependsOn = scan.dependsOn ?? shared.dependsOn;
  if (dependsOn.includes(id)) return null;
  return { contract: { ...shared, id, title, priority: scan.priority ?? shared.priority, dependsOn }, isEmpty };
}

function contractOf(rest: string, defaults: PartialContract): Contract | null {
  const contracts = known.get(defaults) ?? new Map<string, Contract | null>();
  known.set(defaults, contracts);
  const found = contracts.get(rest);
  if (found !== undefined) return found;
  const read = readContract(`${rest}\n`, "README.md", defaults);
  const contract = read.kind === "contract" ? read.contract : null;
  contracts.set(rest, contract);
  return contract;
}

interface BriefScan {
  readonly id: string;
  readonly title: string;
  /** Null: the key is not there. */
  readonly priority: number | null;
  /** Null: the key is not among the plain ones; it may be in `rest`. */
  readonly dependsOn: readonly string[] | null;
  /**
   * Front matter with the same meaning for every other key: the plain keys hold nothing of the task's own, and a
   * comment has no words.
   */
  readonly rest: string;
  readonly isEmpty: boolean;
}

/**
 * The parts of a README.md that differ from task to task, without a parser of Markdown or YAML: `id`, `title`,
 * `priority` and `depends_on` as plain words on lines of their own. Null for every other form, also for what is wrong:
 * `readBrief` must say then. `text` is one that `easyText` passed.
 */
function scanBrief(text: string): BriefScan | null {
  if (!text.startsWith("---\n")) return null;
  const end = text.indexOf("\n---", 3);
  if (end < 0 || (text[end + 4] !== "\n" && end + 4 !== text.length)) return null;
  const front = scanFront(end === 3 ? "" : text.slice(4, end));
  if (front === null) return null;
  const isEmpty = scanBody(text.slice(end + 5));
  return isEmpty === null ? null : { ...front, isEmpty };
}

function scanFront(front: string): Omit<BriefScan, "isEmpty"> | null {
  const own = new Map<string, string>();
  const rest: string[] = [];
  let afterOwn = false;
  for (const line of front.split("\n")) {
    if (line === "" || line.startsWith("#")) {
      rest.push(line === "" ? "" : "#");
      continue;
    }
    const [, key = "", value = ""] = /^(id|title|priority|depends_on): +(.*)$/.exec(line) ?? [];
    if (key !== "") {
      if (own.has(key)) return null;
      own.set(key, value);
      rest.push(neutral[key] ?? "");
      afterOwn = true;
      continue;
    }
    // Whatever does not begin a key could continue the value before it, or be continued by it.
    if (afterOwn && !/^[a-z_]+:(?: |$)/.test(line)) return null;
    afterOwn = false;
    if (!isClosed(line)) return null;
    rest.push(line);
  }
  const id = plainWord(own.get("id"));
  const title = plainWords(own.get("title"));
  if (id === null || title === null) return null;
  const priority = own.has("priority") ? plainNumber(own.get("priority") ?? "") : null;
  const dependsOn = own.has("depends_on") ? plainList(own.get("depends_on") ?? "") : null;
  if ((own.has("priority") && priority === null) || (own.has("depends_on") && dependsOn === null)) return null;
  return dependsOn?.includes(id) === true ? null : { id, title, priority, dependsOn, rest: rest.join("\n") };
}

const neutral: Readonly<Record<string, string>> = {
  id: "id: x",
  title: "title: x",
  priority: "priority: 0",
  depends_on: "depends_on: []",
};

const comment = "(?: +#.*)?";
const reserved = /^(?:true|false|null)$/i;
const wordForm = "[A-Za-z][A-Za-z0-9_.-]{0,59}";
const wordLine = new RegExp(`^(${wordForm}) *${comment}$`);
const listLine = new RegExp(`^\\[ *((?:${wordForm}(?: *, *${wordForm})*)?) *\\] *${comment}$`);

/** Letters, digits and a few signs that YAML takes for themselves. */
function plainWord(value: string | undefined): string | null {
  const word = wordLine.exec(value ?? "")?.[1] ?? null;
  return word === null || reserved.test(word) ? null : word;
}

/** One line of text that begins with a letter, or text in double quotes without an escape. */
function plainWords(value: string | undefined): string | null {
  const quoted = /^"([^"\\]{1,250})" *(?: #.*)?$/.exec(value ?? "")?.[1];
  if (quoted !== undefined) return quoted.trim() === "" ? null : quoted;
  const words = /^([A-Za-z][^:#]{0,249}?) *(?: #.*)?$/.exec(value ?? "")?.[1] ?? null;
  return words === null || reserved.test(words) ? null : words;
}

function plainNumber(value: string): number | null {
  const digits = /^(0|-?[1-9]\d{0,8}) *(?: #.*)?$/.exec(value)?.[1];
  return digits === undefined ? null : Number(digits);
}

function plainList(value: string): readonly string[] | null {
  const inside = listLine.exec(value)?.[1];
  if (inside === undefined) return null;
  const words = inside === "" ? [] : inside.split(/ *, */);
  return words.some((word) => reserved.test(word)) ? null : words;
}

/** True if no quote, bracket or block of text that begins on this line can reach beyond it. */
function isClosed(line: string): boolean {
  if (line.startsWith("-")) return false;
  const open: string[] = [];
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    if (character === "#" && line[at - 1] === " ") break;
    if ("'|>\\&*!?%@`".includes(character)) return false;
    if (character === '"') {
      const close = line.indexOf('"', at + 1);
      const isWhole = /[ [{,]/.test(line[at - 1] ?? "") && /^[\]}, ]?$/.test(line.slice(close + 1, close + 2));
      if (close < 0 || !isWhole || line.slice(at, close).includes("\\")) return false;
      at = close;
    } else if (character === "[" || character === "{") open.push(character === "[" ? "]" : "}");
    else if ((character === "]" || character === "}") && open.pop() !== character) return false;
  }
  return open.length === 0;
}

/** Whether the body says nothing, by its first paragraph or list; null if another block comes before it. */
function scanBody(body: string): boolean | null {
  const lines = body.split("\n");
  let inComment = false;
  for (const [index, line] of lines.entries()) {
    if (inComment || line.startsWith("<!--")) {
      if (!inComment && /^<!--[->]/.test(line)) return null;
      const end = line.indexOf("-->");
      if (end >= 0 && end !== line.length - 3) return null;
      inComment = end < 0;
    } else if (line !== "" && !/^#{1,6} /.test(line)) return /^(?:- )?[A-Za-z]/.test(line) ? says(lines, index) : null;
  }
  return inComment ? null : true;
}

/** False if these lines are sure to be a paragraph, a table or a list that says something; else null. */
function says(lines: readonly string[], index: number): false | null {
  const end = lines.indexOf("", index);
  const block = lines.slice(index, end < 0 ? lines.length : end);
  // An underlined line is a heading, what is in a comment is not said, and one word may be a placeholder.
  if (block.some((line, at) => line.includes("<!") || (at > 0 && /^ {0,3}(?:=+|-+) *$/.test(line)))) return null;
  return /[A-Za-z]{2,}[ ,.]+[A-Za-z]{2,}/.test(block[0] ?? "") ? false : null;
}

import { encodeSegment } from "../../lib/documents/templates/relative-href.ts";
import type { EvidenceInput } from "../../lib/pages/model/build-model.ts";
import { fullTask } from "./full-task.ts";

/** Words that the program itself chooses, and that no journal is read with others of; everything else in a journal may come from a file or a program. */
const own = new Set([
  ...[
    "type",
    "at",
    "from",
    "to",
    "proposed",
    "phase",
    "verdict",
    "kind",
    "status",
    "attribution",
    "source",
    "key",
    "label",
  ],
  ...[
    "end",
    "evidence",
    "href",
    "sha256",
    "head",
    "severity",
    "change",
    "answer",
    "digest",
    "commit",
    "degrade",
    "web",
    "progress",
    "guard",
    "tier",
    "category",
    "cause",
    "by",
    "tests_changed",
    "side",
    "grade",
    "home",
  ],
]);

/** A task that has everything, with every free text replaced by the given one; by one after the other where more are given. */
export function hostileTask(text: string | readonly string[]): EvidenceInput {
  const texts = typeof text === "string" ? [text] : text;
  let count = 0;
  const next = () => texts[count++ % texts.length] ?? "";
  const input = replaceTexts(fullTask(), next) as EvidenceInput;
  const artifacts = input.artifacts.map((row) => ({
    ...row,
    href: `artifacts/${encodeSegment(Buffer.from(next() || "x"))}`,
  }));
  return { ...input, artifacts };
}

function replaceTexts(value: unknown, next: () => string, key = ""): unknown {
  if (own.has(key)) return value;
  if (typeof value === "string") return next();
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, next));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceTexts(item, next, name)]));
}

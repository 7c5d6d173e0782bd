import type { EvidenceInput } from "../../lib/evidence/evidence-model.ts";
import { encodeSegment } from "../../lib/templates/relative-href.ts";
import { sampleTask } from "./sample-task.ts";

/** Words that the program itself chooses; everything else in a journal may come from a file or a program. */
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
  ...["end", "evidence", "href", "sha256", "head"],
]);

/** The sample with every free text replaced by the given one. */
export function hostileTask(text: string): EvidenceInput {
  const input = replaceTexts(sampleTask(), text) as EvidenceInput;
  const artifacts = input.artifacts.map((row) => ({
    ...row,
    href: `artifacts/${encodeSegment(Buffer.from(text || "x"))}`,
  }));
  return { ...input, artifacts };
}

function replaceTexts(value: unknown, text: string, key = ""): unknown {
  if (own.has(key)) return value;
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceTexts(item, text, name)]));
}

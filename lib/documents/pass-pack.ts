import * as v from "valibot";
import { readShape } from "../text/shape.ts";

/** The name of the pack in `artifacts/passes/`: one line of JSON for each file that it holds. */
export const packName = "packed.jsonl";

/** `7` → `0007`, the name of a pass's folder in `artifacts/passes/`. */
export function passName(pass: number): string {
  return String(pass).padStart(4, "0");
}

/** The folder of a pass, relative to the task folder. */
export function passPath(pass: number): string {
  return `artifacts/passes/${passName(pass)}`;
}

const line = v.object({ path: v.string(), text: v.string() });

export type PassPack = { readonly kind: "read"; readonly files: ReadonlyMap<string, string> } | BadPack;

interface BadPack {
  readonly kind: "bad";
  readonly line: number;
  readonly problem: string;
}

/** The text of a pack; paths are relative to `artifacts/passes/`, with `/`. Deterministic. */
export function formatPack(files: ReadonlyMap<string, string>): string {
  return [...files]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([path, text]) => `${JSON.stringify({ path, text })}\n`)
    .join("");
}

/** The files of a pack. A path that leaves `artifacts/passes/`, or comes twice, makes the whole pack bad. */
export function readPack(bytes: Buffer): PassPack {
  const files = new Map<string, string>();
  const lines = bytes.toString("utf8").split("\n");
  for (const [index, text] of lines.entries()) {
    if (text === "" && index === lines.length - 1) continue;
    const bad = (problem: string): BadPack => ({ kind: "bad", line: index + 1, problem });
    const read = readShape(line, Buffer.from(text));
    if (read.kind === "wrong") return bad(read.problem);
    const { path, text: content } = read.value;
    if (!isInside(path)) return bad(`${JSON.stringify(path.slice(0, 80))} is not a path below artifacts/passes/`);
    if (files.has(path)) return bad(`${path} appears twice`);
    files.set(path, content);
  }
  return { kind: "read", files };
}

function isInside(path: string): boolean {
  const segments = path.split("/");
  return (
    segments.length > 1 && segments.every((segment) => !["", ".", ".."].includes(segment) && !segment.includes("\0"))
  );
}

import type { Root } from "mdast";
import { TaskPhaseError } from "../report/errors.ts";
import type { Finding } from "../report/finding.ts";
import { checkText, type TextLimits } from "./guard.ts";
import { parseMarkdown } from "./markdown.ts";

export type TreeRead =
  | { readonly kind: "tree"; readonly text: string; readonly bom: boolean; readonly tree: Root }
  | { readonly kind: "bad"; readonly findings: readonly Finding[] };

/** Guards and parses the bytes of one task file. Never throws for what stands in the file. */
export function readTree(bytes: Buffer, file: string, limits?: TextLimits): TreeRead {
  const checked = checkText(bytes, file, limits);
  if (checked.kind === "bad") return checked;
  try {
    return { kind: "tree", text: checked.text, bom: checked.bom, tree: parseMarkdown(checked.text) };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return { kind: "bad", findings: error.findings.map((finding) => ({ ...finding, file })) };
  }
}

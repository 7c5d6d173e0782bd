import path from "node:path";
import { readBrief } from "../../documents/brief.ts";
import { readState } from "../../documents/state.ts";
import { makeFolder } from "../../store/folder.ts";
import { createFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { diskError } from "../../text/errors.ts";
import { errorFinding, type Finding, hasErrors } from "../../text/finding.ts";
import type { InitPlan } from "./plan-init.ts";

const maxBytes = 1 << 20;

export type Written = Readonly<ReturnType<typeof applyInit>>;

/**
 * Writes the planned files, each whole or not at all, and never over an existing one: the first writer wins, including
 * another init.
 */
export function applyInit(plan: InitPlan, taskDir: string) {
  const made: string[] = [];
  const kept: string[] = [];
  makeFolder(path.join(taskDir, "artifacts"));
  for (const { name, content } of plan.files) {
    const created = createFile(path.join(taskDir, name), content);
    (created ? made : kept).push(name);
  }
  return { made, kept };
}

/**
 * Reads the brief and the state back from the disk. What was just written must be readable; what was kept may be
 * anything, and is reported as a warning, since init does not change it.
 */
export function proveInit(taskDir: string, written: Written): { id: string | null; findings: Finding[] } {
  const brief = readBack(taskDir, "README.md", (bytes, file) => readBrief(bytes, file));
  const state = readBack(taskDir, "STATE.md", (bytes, file) => readState(bytes, file));
  const findings = [
    ...judgeReading("README.md", "findings" in brief ? brief.findings : [], written),
    ...judgeReading("STATE.md", "findings" in state ? state.findings : [], written),
  ];
  return { id: "contract" in brief ? brief.contract.id : null, findings };
}

function readBack<Read>(taskDir: string, name: string, read: (bytes: Buffer, file: string) => Read) {
  const file = path.join(taskDir, name);
  const found = readRegularFile(file, maxBytes);
  if (found.kind === "file") return read(found.bytes, file);
  const why = found.kind === "too_big" ? `it is too large (${found.size} bytes)` : `it is not a file (${found.kind})`;
  return {
    findings: [
      errorFinding("TP_INIT_NOT_THERE", `cannot be read back: ${why}`, { file, fix: "put a readable task file there" }),
    ],
  };
}

function judgeReading(name: string, findings: readonly Finding[], written: Written): Finding[] {
  if (!hasErrors(findings)) return [...findings];
  if (written.made.includes(name)) {
    const why = findings.find(({ severity }) => severity === "error")?.message ?? "it cannot be read";
    const fix = "remove the task folder and try again; if that does not help, report it with this message";
    throw diskError("TP_INIT_NOT_PROVEN", `was written, but does not read as it should: ${why}`, { file: name, fix });
  }
  return findings.map((finding) => (finding.severity === "error" ? { ...finding, severity: "warning" } : finding));
}

import path from "node:path";
import { diskError } from "../report/errors.ts";
import { type Finding, hasErrors } from "../report/finding.ts";
import { createFile, makeFolder } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readBrief } from "../task-folder/brief.ts";
import { readState } from "../task-folder/state.ts";
import type { InitPlan } from "./plan.ts";

const maxBytes = 1 << 20;

export interface Written {
  readonly made: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Writes the planned files, each whole or not at all, and never one that is there: whoever makes a file first, another
 * init included, has made it. A call that was cut short is completed by the next one.
 */
export function applyInit(plan: InitPlan, taskDir: string): Written {
  makeFolder(path.join(taskDir, "artifacts"));
  const made: string[] = [];
  const kept: string[] = [];
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
  const brief = readBrief(readBack(taskDir, "README.md"), path.join(taskDir, "README.md"));
  const state = readState(readBack(taskDir, "STATE.md"), path.join(taskDir, "STATE.md"));
  const findings = [
    ...judgeReading("README.md", "findings" in brief ? brief.findings : [], written),
    ...judgeReading("STATE.md", "findings" in state ? state.findings : [], written),
  ];
  return { id: brief.kind === "brief" ? brief.contract.id : null, findings };
}

function readBack(taskDir: string, name: string): Buffer {
  const file = path.join(taskDir, name);
  const read = readRegularFile(file, maxBytes);
  if (read.kind === "file") return read.bytes;
  throw diskError("TP_INIT_NOT_THERE", `cannot be read back: ${read.kind}`, { file, fix: "call init again" });
}

function judgeReading(name: string, findings: readonly Finding[], written: Written): Finding[] {
  if (!hasErrors(findings)) return [...findings];
  if (written.made.includes(name)) throw diskError("TP_INIT_NOT_PROVEN", "was not written as meant", { file: name });
  return findings.map((finding) => (finding.severity === "error" ? { ...finding, severity: "warning" } : finding));
}

import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { stateFile } from "../cli/task-states.ts";
import { check, verdict } from "../pages/sample-task.ts";
import { paintPng } from "./paint-png.ts";
import type { TaskFolder } from "./task-folder.ts";

const passes = 300;
const files = 2_000;
const pictures = 12;

/** More of everything than a task should have: passes, checks, artifacts, pictures, logs and changed lines. */
export function bigTask(): TaskFolder {
  return {
    name: "T-4",
    title: "Move every report of the last ten years to the new format, one after the other, and prove each",
    dependsOn: ["T-2", "T-3"],
    events: [
      { type: "adopted", at: "2026-11-01T10:00:00.000Z", phase: "intake", state: "", contract_sha256: "1".repeat(64) },
      ...Array.from({ length: passes }, (_, index) => passOf(index + 1)),
    ],
    files: [
      ...Array.from(
        { length: files },
        (_, index) => [`artifacts/reports/${index % 40}/${index}.csv`, `id\n${index}\n`] as const,
      ),
      ...Array.from(
        { length: pictures },
        (_, index) =>
          [
            `artifacts/screens/${index}.png`,
            paintPng(1280, 400 + 40 * index, [
              [20 * index, 90, 120],
              [250, 250, 245],
            ]),
          ] as const,
      ),
      [`artifacts/passes/0299/validators/tests.log`, log],
      [`artifacts/passes/0300/stdout.log`, log],
      [`artifacts/passes/0300/task.patch`, patch],
    ],
  };
}

const models = ["claude", "codex", "a-model-with-a-rather-long-name-2026-11"];
const start = Date.parse("2026-11-01T10:00:00.000Z");

function passOf(pass: number): VerdictEvent {
  const toRepair = pass % 2 === 1;
  return verdict(pass, {
    at: new Date(start + pass * 97_000).toISOString(),
    model: models[pass % 3] ?? null,
    from: toRepair ? "verify" : "repair",
    proposed: toRepair ? "review" : "verify",
    to: toRepair ? "repair" : "verify",
    verdict: toRepair ? "redirected" : pass % 10 === 0 ? "no_progress" : "accepted",
    reason: toRepair ? "validator tests did not pass (exit 1, regressed)" : "repair → verify",
    duration_ms: 5_000 + ((pass * 7_919) % 300_000),
    cost_usd: pass % 7 === 0 ? null : (pass % 13) * 0.11,
    tokens: pass % 7 === 0 ? { input: null, output: null } : { input: pass * 300, output: pass * 20 },
    checks: toRepair ? checksOf(pass) : null,
    tickets: toRepair ? ticketsOf(pass) : [],
    changed_paths: [{ path: `src/reports/${pass}.js`, change: "changed" }],
    state: pass === passes ? stateFile({ phase: "verify", features: featureRows }) : "",
  });
}

const featureRows = Array.from(
  { length: 60 },
  (_, index) => [`Report ${index}`, "real_working", `[proof](artifacts/reports/${index % 40}/${index}.csv)`] as const,
);

function checksOf(pass: number): NonNullable<VerdictEvent["checks"]> {
  const folder = `artifacts/passes/${String(pass).padStart(4, "0")}/validators`;
  const results = Array.from({ length: 20 }, (_, index) =>
    check({
      name: index === 0 ? "tests" : `reports ${index}`,
      command: ["npm", "run", `report:${index}`],
      status: index === 0 ? "fail" : "pass",
      exit_code: index === 0 ? 1 : 0,
      log: `${folder}/${index === 0 ? "tests" : `reports-${index}`}.log`,
    }),
  );
  return { fingerprint_before: "a", fingerprint_after: "a", attempts: 1, moved: [], results };
}

function ticketsOf(pass: number): VerdictEvent["tickets"] {
  return Array.from({ length: 40 }, (_, index) => ({
    id: `finding:${pass}-${index}`,
    source: "finding",
    name: `report ${index}`,
    text: `Report ${index} has ${pass} rows too many`,
  }));
}

const log = Array.from(
  { length: 30_000 },
  (_, index) => `\u001b[${31 + (index % 6)}m${index % 9 === 0 ? "not ok" : "ok"}\u001b[0m ${index} - report ${index}\n`,
).join("");

const patch = Array.from({ length: 200 }, (_, file) =>
  [
    `diff --git a/src/reports/${file}.js b/src/reports/${file}.js`,
    "index 1f2e3d4..5a6b7c8 100644",
    `--- a/src/reports/${file}.js`,
    `+++ b/src/reports/${file}.js`,
    "@@ -1,60 +1,60 @@",
    ...Array.from({ length: 60 }, (_, line) => `-old line ${line} of ${file}\n+new line ${line} of ${file}`),
    "",
  ].join("\n"),
).join("");

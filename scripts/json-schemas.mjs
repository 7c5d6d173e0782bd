// Writes schemas/ from the schemas of the program: node scripts/json-schemas.mjs [--check]
//
// One JSON Schema (draft 2020-12) for each shape of JSON that task-phase writes, and for the YAML that people do. They are made from the compiled code,
// so
// `dist/` has to be up to date. With --check nothing is written, and the exit code is 1 if a file is out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { cooldownShape } from "../dist/lib/agents/select/cooldowns.js";
import { lastModelShape } from "../dist/lib/agents/select/last-model.js";
import { watchShape } from "../dist/lib/checks/watch/record.js";
import { envelopeShape, statementShape } from "../dist/lib/rules/shapes/attestation.js";
import { checkpointShape } from "../dist/lib/rules/shapes/checkpoint.js";
import { eventShapes } from "../dist/lib/rules/shapes/events.js";
import { checkResult, evidenceFacts, modelEnd, tamper, ticket, watchedChange } from "../dist/lib/rules/shapes/facts.js";
import { calibration, matrixFacts } from "../dist/lib/rules/shapes/matrix-facts.js";
import { stateView } from "../dist/lib/rules/shapes/pass-facts.js";
import { passRecord } from "../dist/lib/rules/shapes/pass-record.js";
import { boardReport } from "../dist/lib/rules/shapes/reports/board.js";
import { checkReport } from "../dist/lib/rules/shapes/reports/check.js";
import { finding } from "../dist/lib/rules/shapes/reports/common.js";
import { dispatchReport, fleetReport, workerReport } from "../dist/lib/rules/shapes/reports/fleet.js";
import { doctorReport, probeReport } from "../dist/lib/rules/shapes/reports/models.js";
import {
  answerReport,
  cancelReport,
  completionReport,
  demoReport,
  evidenceReport,
  landReport,
  resumeReport,
  trustReport,
} from "../dist/lib/rules/shapes/reports/people.js";
import { proveReport } from "../dist/lib/rules/shapes/reports/prove.js";
import { loopReport, runReport } from "../dist/lib/rules/shapes/reports/run.js";
import { showReport, statusReport } from "../dist/lib/rules/shapes/reports/status.js";
import { exportReport, importReport, initReport, prReport } from "../dist/lib/rules/shapes/reports/tasks.js";
import { chainShape } from "../dist/lib/store/journal.js";
import { commitShape, currentShape } from "../dist/lib/task/records/anchor-shapes.js";
import { recordOf } from "../dist/lib/text/shape.js";
import { writtenSchemas } from "./written-schemas.mjs";

const folder = fileURLToPath(new URL("../schemas/", import.meta.url));

/** One line of a journal: what chains it, and the event. */
const journalLine = v.variant(
  "type",
  Object.values(eventShapes).map((event) => {
    const { seq, prev } = chainShape.entries;
    return v.pipe(v.object({ seq, prev, ...event.entries }), v.description(v.getDescription(event)));
  }),
);

/** Each shape that is stored or printed, by the name of its file in schemas/, with what it is a schema of. */
export const storedShapes = {
  "journal-line": ["a line of artifacts/journal.jsonl", journalLine],
  pass: ["artifacts/passes/NNNN/pass.json", passRecord],
  watched: ["artifacts/passes/NNNN/watched.json", watchShape],
  checkpoint: ["artifacts/checkpoint.json", checkpointShape],
  attestation: ["artifacts/attestation.json", envelopeShape],
  statement: ["the payload of artifacts/attestation.json", statementShape],
  cooldowns: [".task-phase/cooldowns.json", recordOf(cooldownShape)],
  state: [".task-phase/state.json", lastModelShape],
  current: ["current.json of a task's anchor: the pass that is in progress", currentShape],
  commit: ["commit.json of a task's anchor: the event that is being accepted", commitShape],
};

/** What each command prints with --json, by the name of the command. */
export const reportShapes = {
  board: boardReport,
  cancel: cancelReport,
  land: landReport,
  prove: proveReport,
  demo: demoReport,
  dispatch: dispatchReport,
  completion: completionReport,
  check: checkReport,
  doctor: doctorReport,
  evidence: evidenceReport,
  export: exportReport,
  fleet: fleetReport,
  import: importReport,
  init: initReport,
  loop: loopReport,
  pr: prReport,
  probe: probeReport,
  show: showReport,
  answer: answerReport,
  resume: resumeReport,
  run: runReport,
  status: statusReport,
  trust: trustReport,
  worker: workerReport,
};

/** The text of each file of schemas/ by its name. */
export function makeSchemas() {
  const reports = Object.entries(reportShapes).map(([name, schema]) => [
    `report-${name}`,
    [`what \`task-phase ${name} --json\` prints`, schema],
  ]);
  const described = [...Object.entries(storedShapes), ...reports].map(([name, [title, schema]]) => [
    `${name}.schema.json`,
    `${JSON.stringify({ ...head(name, title), ...describeShape(schema, shared) }, null, 1)}\n`,
  ]);
  // On one line: only editors read these, and indented they would take three times the room in the package.
  const written = Object.entries(writtenSchemas).map(([name, [title, schema]]) => [
    `${name}.schema.json`,
    `${JSON.stringify({ ...head(name, title), ...schema })}\n`,
  ]);
  return Object.fromEntries([...described, ...written]);
}

function head(name, title) {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", $id: `${name}.schema.json`, title };
}

/** Shapes that many others hold: each is written once in a file, under `$defs`. */
const shared = {
  calibration,
  check_result: checkResult,
  evidence_facts: evidenceFacts,
  finding,
  model_end: modelEnd,
  matrix_facts: matrixFacts,
  state_view: stateView,
  tamper,
  ticket,
  watched_change: watchedChange,
};

/** A schema of the program as JSON Schema, without its head. */
export function describeShape(schema, definitions = {}) {
  const {
    $schema: _,
    $defs = {},
    ...made
  } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode: "input",
    definitions,
    ignoreActions: ["check", "transform", "raw_check", "finite"],
    // A record is a schema of its own kind, with the schema of its values beside it.
    overrideSchema: ({ valibotSchema, jsonSchema }) => (valibotSchema.type === "custom" ? jsonSchema : undefined),
    overrideAction: ({ valibotAction, jsonSchema }) => describeMetadata(valibotAction.metadata ?? {}, jsonSchema),
  });
  const used = namesUsed(made, $defs);
  return used.length === 0 ? made : { ...made, $defs: Object.fromEntries(used.map((name) => [name, $defs[name]])) };
}

function describeMetadata({ values, format }, made) {
  if (format !== undefined) return { ...made, format };
  return values === undefined ? undefined : { type: "object", additionalProperties: describeShape(values) };
}

/** Names of the definitions that a schema refers to, by others as well. */
function namesUsed(made, definitions) {
  const names = Object.keys(definitions);
  const found = new Set();
  const open = [made];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const text = JSON.stringify(part);
    for (const name of names.filter((one) => !found.has(one) && text.includes(`"#/$defs/${one}"`))) {
      found.add(name);
      open.push(definitions[name]);
    }
  }
  return names.filter((name) => found.has(name));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes("--check");
  const made = makeSchemas();
  if (!check) mkdirSync(folder, { recursive: true });
  const there = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of new Set([...Object.keys(made), ...there])) {
    const before = there.includes(name) ? readFileSync(`${folder}${name}`, "utf8") : undefined;
    if (before === made[name]) continue;
    console.log(
      check ? `schemas/${name} is out of date: node scripts/json-schemas.mjs` : `brought schemas/${name} up to date`,
    );
    if (check) process.exitCode = 1;
    else if (made[name] === undefined) rmSync(`${folder}${name}`);
    else writeFileSync(`${folder}${name}`, made[name]);
  }
}

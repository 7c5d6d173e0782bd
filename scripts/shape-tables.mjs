// The tables of the documents that come from the schemas of what is stored and printed.
import { phaseNames } from "../dist/lib/machine/phases.js";
import { checkpointShape } from "../dist/lib/shapes/checkpoint.js";
import { eventShapes } from "../dist/lib/shapes/events.js";
import { decision, facts, stateView } from "../dist/lib/shapes/pass-facts.js";
import { modelRecord, passRecord } from "../dist/lib/shapes/pass-record.js";
import { policy } from "../dist/lib/shapes/policy.js";
import { boardKeys } from "../dist/lib/shapes/reports/board.js";
import { checkKeys } from "../dist/lib/shapes/reports/check.js";
import { end, finding, named } from "../dist/lib/shapes/reports/common.js";
import { dispatchKeys, fleetKeys, workerKeys } from "../dist/lib/shapes/reports/fleet.js";
import { agentKeys, doctorKeys, probedModel, probeKeys } from "../dist/lib/shapes/reports/models.js";
import {
  answerKeys,
  cancelKeys,
  completionKeys,
  demoKeys,
  evidenceKeys,
  resumeKeys,
  trustKeys,
} from "../dist/lib/shapes/reports/people.js";
import { loopKeys, runReport } from "../dist/lib/shapes/reports/run.js";
import { rootStatus, showKeys, taskStatus } from "../dist/lib/shapes/reports/status.js";
import { exportKeys, importKeys, initKeys, prKeys } from "../dist/lib/shapes/reports/tasks.js";
import { chainShape } from "../dist/lib/store/journal.js";
import { describeShape } from "./json-schemas.mjs";
import { code, table } from "./markdown-table.mjs";

/** Objects with more keys than this have a table of their own, or are named by their keys elsewhere. */
const mostKeys = 8;

export function makeShapeParts() {
  const jsonTables = {
    end: end,
    command: named,
    finding: finding.entries,
    run: without(runReport.entries, Object.keys(end)),
    loop: loopKeys.entries,
    task: taskStatus.entries,
    root: rootStatus.entries,
    check: checkKeys.entries,
    board: boardKeys.entries,
    evidence: evidenceKeys.entries,
    show: showKeys.entries,
    answer: answerKeys.entries,
    resume: resumeKeys.entries,
    trust: trustKeys.entries,
    cancel: cancelKeys.entries,
    demo: demoKeys.entries,
    completion: completionKeys.entries,
    doctor: doctorKeys.entries,
    agent: agentKeys.entries,
    probe: probeKeys.entries,
    "probed-model": probedModel.entries,
    dispatch: dispatchKeys.entries,
    worker: workerKeys.entries,
    fleet: fleetKeys.entries,
    init: initKeys.entries,
    pr: prKeys.entries,
    chain: chainShape.entries,
    verdict: without(eventShapes.verdict.entries, ["type", "at"]),
    pass: passRecord.entries,
    model: modelRecord.entries,
    state: stateView.entries,
    facts: facts.entries,
    policy: policy.entries,
    decision: decision.entries,
  };
  return {
    "docs/json.md": { ...mapValues(jsonTables, keyTable), events: eventTable() },
    "docs/interchange.md": { import: keyTable(importKeys.entries), export: keyTable(exportKeys.entries) },
    "docs/task-folder.md": { checkpoint: keyTable(checkpointShape.entries) },
  };
}

function keyTable(entries) {
  const rows = Object.entries(entries).map(([key, schema]) => {
    const made = describeShape(schema);
    const isMissing = schema.type === "exact_optional" || schema.type === "optional";
    return [code(key), `${nameType(made)}${isMissing ? "; may be missing" : ""}`, made.description ?? ""];
  });
  return table(["key", "type", "what"], rows);
}

function eventTable() {
  const rows = Object.entries(eventShapes).map(([type, event]) => {
    const keys = Object.keys(without(event.entries, ["type", "at"])).join(", ");
    return [code(type), type === "verdict" ? "below" : keys && code(keys), describeShape(event).description];
  });
  return table(["type", "further keys", "when"], rows);
}

/** What a value is, in a few words: from its JSON Schema. */
function nameType(made) {
  if (made.const !== undefined) return code(JSON.stringify(made.const).replaceAll('"', ""));
  if (made.enum !== undefined) return nameWords(made.enum);
  if (made.anyOf !== undefined) return nameChoice(made.anyOf);
  if (made.oneOf !== undefined) return nameChoice(made.oneOf);
  if (made.type === "array") return nameList(made.items);
  if (made.type === "integer") return "number";
  if (made.format === "date-time") return "time";
  if (made.properties !== undefined) return nameKeys(made.properties) ?? "object";
  return made.additionalProperties ? `object of ${nameType(made.additionalProperties)}s` : made.type;
}

function nameWords(words) {
  if (String(words) === String(phaseNames)) return "phase";
  return words.length > mostKeys ? "word" : words.map((word) => code(String(word))).join(", ");
}

/** The kinds of a union are distinguished in the text beside it. */
function nameChoice(parts) {
  const kinds = parts.filter(({ properties }) => properties?.kind?.const !== undefined);
  const names = parts.filter((part) => !kinds.includes(part)).map(nameType);
  return [...(kinds.length > 0 ? ["object"] : []), ...names].join(" or ");
}

function nameList(items) {
  const name = nameType(items);
  if (/^(string|number|word|phase)$/.test(name)) return `list of ${name}s`;
  return name === "object" ? "list" : `list of ${name}`;
}

function nameKeys(properties) {
  const keys = Object.keys(properties);
  return keys.length > mostKeys ? null : code(`{${keys.join(", ")}}`);
}

function without(entries, keys) {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !keys.includes(key)));
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

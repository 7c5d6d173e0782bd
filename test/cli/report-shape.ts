import assert from "node:assert/strict";
import * as v from "valibot";
import { boardReport } from "../../lib/rules/shapes/reports/board.ts";
import { checkReport } from "../../lib/rules/shapes/reports/check.ts";
import { reportOf } from "../../lib/rules/shapes/reports/common.ts";
import { dispatchReport, fleetReport, workerReport } from "../../lib/rules/shapes/reports/fleet.ts";
import { doctorReport, probeReport } from "../../lib/rules/shapes/reports/models.ts";
import {
  answerReport,
  cancelReport,
  completionReport,
  demoReport,
  evidenceReport,
  landReport,
  resumeReport,
  trustReport,
} from "../../lib/rules/shapes/reports/people.ts";
import { proveReport } from "../../lib/rules/shapes/reports/prove.ts";
import { loopReport, runReport } from "../../lib/rules/shapes/reports/run.ts";
import { showReport, statusReport } from "../../lib/rules/shapes/reports/status.ts";
import { exportReport, importReport, initReport, prReport } from "../../lib/rules/shapes/reports/tasks.ts";

const named: Readonly<Record<string, v.GenericSchema>> = {
  board: boardReport,
  cancel: cancelReport,
  land: landReport,
  prove: proveReport,
  demo: demoReport,
  dispatch: dispatchReport,
  fleet: fleetReport,
  worker: workerReport,
  completion: completionReport,
  check: checkReport,
  doctor: doctorReport,
  evidence: evidenceReport,
  export: exportReport,
  import: importReport,
  init: initReport,
  pr: prReport,
  probe: probeReport,
  show: showReport,
  answer: answerReport,
  resume: resumeReport,
  status: statusReport,
  trust: trustReport,
};

/** What a call printed with --json has every key that its command's schema asks for, and no other one. */
export function requireReportShape(report: Readonly<Record<string, unknown>>): void {
  const schema = "command" in report ? (named[String(report.command)] ?? reportOf({})) : shapeOfPasses(report);
  assert.deepEqual(v.parse(schema, report), report);
}

function shapeOfPasses(report: object): v.GenericSchema {
  return "run_id" in report ? loopReport : runReport;
}

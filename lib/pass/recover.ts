import { lstatSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { decide } from "../machine/decide.ts";
import type { Facts, Policy, Tamper } from "../machine/facts.ts";
import { endSurvivors } from "../process/survivors.ts";
import { dataError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { takeFingerprint } from "../store/fingerprint.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { readState } from "../task-folder/state.ts";
import { type Anchor, anchorFolder, type CurrentPass, readCommit, readCurrent, readProcess } from "./anchor.ts";
import { finishCommit } from "./commit-event.ts";
import { compareAndRestore, type Guard } from "./guard.ts";
import type { HeldLocks } from "./locks.ts";
import { fingerprintExcludes } from "./look.ts";
import type { PassPorts } from "./ports.ts";
import { loadPins } from "./protected-paths.ts";
import { recordVerdict } from "./record-verdict.ts";
import { accept, openSession, type TaskSession } from "./session.ts";
import { moveSpool } from "./spool.ts";
import { passFolder, type TaskPlace } from "./task-place.ts";

/** Grace for what a killed run left alive: it has had its time. */
const survivorGraceMs = 500;

/** True where a killed run left something that the next start must finish or undo. */
export function waitsForRecovery(place: TaskPlace, ports: Pick<PassPorts, "env" | "home">): boolean {
  const folder = anchorFolder(place.taskDir, ports);
  return readCurrent(folder) !== null || readCommit(folder) !== null;
}

/**
 * Finishes or undoes what a killed run left. An event that was accepted is carried out. A pass without a verdict is
 * interrupted: its processes are ended, what must not change is put back, its STATE.md is put aside and the accepted
 * one restored; its work in the repo stays. Says what was done.
 */
export async function recoverTask(
  place: TaskPlace,
  anchor: Anchor,
  ports: PassPorts,
  locks: HeldLocks,
): Promise<Finding[]> {
  finishCommit(place, anchor);
  const current = readCurrent(anchor.folder);
  if (current === null) return recoverWithoutAnchor(place, anchor, ports);
  locks.takeRepo(current.repo);
  const ended = await endSurvivors(current.mark, readProcess(anchor.folder), survivorGraceMs);
  const restored = restoreFrom(place, anchor, current, ports);
  const session = openSession(place, anchor, ports);
  rmSync(current.work_folder, { recursive: true, force: true });
  if (session.history.unfinishedPass !== current.pass) {
    accept(session, {
      event: {
        type: "recovered",
        at: ports.now().toISOString(),
        pass: current.pass,
        restored: restored.map((tamper) => tamper.path),
        ended: ended.length,
      },
      state: session.history.state,
      endsPass: true,
    });
    return [
      warningFinding("TP_RECOVERED", "a run was cut off before its model was called; what it left was cleared away", {
        file: place.taskDir,
      }),
    ];
  }
  await closeInterrupted(session, current.pass, current.repo, restored);
  return [interruptedFinding(place, current.pass, ended.length, restored)];
}

async function recoverWithoutAnchor(place: TaskPlace, anchor: Anchor, ports: PassPorts): Promise<Finding[]> {
  const session = openSession(place, anchor, ports);
  const pass = session.history.unfinishedPass;
  if (pass === null) return [];
  await closeInterrupted(session, pass, null, []);
  return [interruptedFinding(place, pass, 0, [])];
}

/** Everything but what the killed run itself may have written to the folder of its pass. */
function restoreFrom(place: TaskPlace, anchor: Anchor, current: CurrentPass, ports: PassPorts): readonly Tamper[] {
  makeFolder(anchor.spool);
  const guard: Guard = {
    place,
    anchor,
    current,
    ports,
    pins: { repo: current.repo, globs: [], digests: {}, entries: {} },
    ownOutputs: ownOutputs(place, current.pass),
  };
  const repoThere = lstatSync(current.repo, { throwIfNoEntry: false })?.isDirectory() === true;
  const restored = compareAndRestore(guard, "model").tampering;
  const { pinned } = openSession(place, anchor, ports).history;
  if (pinned === null || !repoThere) return restored;
  return [
    ...restored,
    ...compareAndRestore({ ...guard, pins: loadPins(current.repo, current.protected_globs, pinned, anchor) }, "model")
      .tampering,
  ];
}

function ownOutputs(place: TaskPlace, pass: number): (path: string) => boolean {
  const folder = passFolder(place, pass);
  const names = [
    "pass.json",
    "tickets.md",
    "stdout.log",
    "stderr.log",
    "STATE.proposed.md",
    "validators",
    "validators-2",
    "baseline",
    "kept",
  ];
  return (path) => {
    const first = relative(folder, path).split(sep)[0] ?? "";
    return names.includes(first);
  };
}

async function closeInterrupted(
  session: TaskSession,
  pass: number,
  repo: string | null,
  restored: readonly Tamper[],
): Promise<void> {
  const { place, ports, history, anchor } = session;
  if (history.state === null)
    throw dataError("TP_JOURNAL", "the journal starts a pass and accepts no STATE.md", { file: place.journal });
  const folder = passFolder(place, pass);
  makeFolder(folder);
  if (anchor !== null) moveSpool(anchor, folder, ports.redactor);
  const left = readRegularFile(place.state, 1024 * 1024);
  if (left.kind === "file" && left.bytes.toString("utf8") !== history.state) {
    putFile(
      join(folder, "STATE.proposed.md"),
      Buffer.from(ports.redactor.redact(left.bytes.toString("latin1")), "latin1"),
    );
  }
  const state = readState(Buffer.from(history.state), "STATE.md");
  if (state.kind === "unreadable")
    throw dataError("TP_JOURNAL", "the STATE.md that the journal accepted cannot be read", { file: place.journal });
  const started = session.journal.events.findLast((event) => event.type === "pass_started" && event.pass === pass);
  const fingerprint = started?.type === "pass_started" ? started.fingerprint : "";
  const facts = interruptedFacts(
    session,
    fingerprint,
    repo === null ? fingerprint : await presentFingerprint(place, repo, fingerprint),
    restored,
  );
  const before = { state: state.document.view };
  const proposal = { kind: "unreadable", problems: [] } as const;
  recordVerdict({
    session,
    task: { id: place.name, title: place.name, userFacing: false },
    record: {
      version: 1,
      task: place.name,
      pass,
      model: null,
      stages: [],
      before,
      proposal,
      facts,
      policy: noPolicy,
      decision: decide(before, proposal, facts, noPolicy),
      overridden: [],
      changed_paths: [],
      output: null,
      ended_processes: [],
      note: "recorded by the next run",
    },
    state: history.state,
    at: ports.now().toISOString(),
    durationMs: 0,
    costUsd: null,
    tokens: { input: null, output: null },
    contractSha256: history.contractSha256 ?? "",
  });
}

async function presentFingerprint(place: TaskPlace, repo: string, otherwise: string): Promise<string> {
  if (lstatSync(repo, { throwIfNoEntry: false })?.isDirectory() !== true) return otherwise;
  return (await takeFingerprint(repo, fingerprintExcludes(place))).hash;
}

/** Nothing of the contract bears on the verdict of an interrupted pass. */
const noPolicy: Policy = {
  user_facing: false,
  completion_promise: null,
  budget: { passes: 0, repairs: 0 },
  retries_per_failure: 0,
  required_validators: [],
  required_scenarios: [],
};

function interruptedFacts(session: TaskSession, before: string, after: string, restored: readonly Tamper[]): Facts {
  return {
    end: { kind: "interrupted", reason: "the runner was cut off before a verdict" },
    tampering: restored,
    secrets: [],
    fingerprint: { before, after, present: null },
    reviewed_fingerprint: session.history.reviewedFingerprint,
    moved_since_review: [],
    checks: null,
    evidence: { location: "", problem: null, files: [], link_target: null, link_target_exists: false },
    feature_proofs: [],
    artifacts_changed: [],
    evidence_rows_added: [],
    task_files_changed: [],
    known_features: [],
    steps: { before: [], after: [] },
    open_questions: [],
    promise_seen: false,
    history: session.history.counts,
  };
}

function interruptedFinding(place: TaskPlace, pass: number, ended: number, restored: readonly Tamper[]): Finding {
  const parts = [
    `pass ${pass} was interrupted; STATE.md is the last accepted one, and its work in the repo stays`,
    ...(ended > 0 ? [`${ended} processes of it were ended`] : []),
    ...(restored.length > 0
      ? [
          `put back: ${restored
            .map((tamper) => tamper.path)
            .slice(0, 10)
            .join(", ")}`,
        ]
      : []),
  ];
  return warningFinding("TP_INTERRUPTED", parts.join("; "), { file: place.taskDir });
}

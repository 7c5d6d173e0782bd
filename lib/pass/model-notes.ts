import { join } from "node:path";
import type { RepoDescription } from "../git/list-paths.ts";
import type { VerdictEvent } from "../machine/events.ts";
import { changelogName } from "../models/changelog-name.ts";
import { addCooldown, type Cooldown, cooldownAfter, formatCooldowns, readCooldowns } from "../models/cooldowns.ts";
import { formatLastModel, readLastModel } from "../models/last-model.ts";
import {
  changelogFolder,
  cooldownsName,
  lastModelName,
  mirrorFiles,
  putRuntimeFile,
  type RuntimeFiles,
  readRuntimeBytes,
  readRuntimeFile,
} from "../models/runtime-files.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { warningFinding } from "../report/finding.ts";
import { changelogEntry, changelogHead } from "./changelog-entry.ts";
import { redactDeep } from "./redact-deep.ts";
import { underRuntimeLock } from "./runtime-place.ts";
import type { TaskSession } from "./session.ts";
import { passName, stands } from "./task-place.ts";
import { forgetNotes, putNotes, readNotes, type WaitingNote } from "./waiting-notes.ts";

/** The model that did a pass, and the repo as the pass left it. */
export interface WorkedModel {
  readonly name: string;
  readonly cooldownMs: number;
  readonly repo: RepoDescription;
}

/** What the notes take from pass.json. */
interface NotedRecord {
  readonly task: string;
  readonly model: { readonly error: string | null } | null;
  readonly changed_paths: VerdictEvent["changed_paths"];
}

/** Before the manifest of a baseline is made: what stands there now is what its guard will compare with. */
export function mirrorNotes(session: TaskSession): void {
  if (session.anchor !== null) underRuntimeLock(session.place, session.ports, takeOver);
}

/** As a pass starts: the same, and whose turn it is. */
export function noteTurn(session: TaskSession, model: string): void {
  if (session.anchor === null) return;
  underRuntimeLock(session.place, session.ports, (files, believed) => {
    takeOver(files, believed);
    if (readLastModel(readRuntimeBytes(believed, lastModelName)).name === model) return;
    putRuntimeFile(files, lastModelName, formatLastModel(model));
  });
}

/** What the pass says of its model, before its verdict is accepted. */
export function leaveNote(
  session: TaskSession,
  record: NotedRecord,
  event: VerdictEvent,
  worked: WorkedModel | null,
): void {
  const { anchor, ports } = session;
  if (anchor === null || worked === null) return;
  const waiting = readNotes(anchor);
  // A run that was cut off before the verdict of this pass may have met a limit.
  const earlier = waiting.find((note) => note.pass === event.pass);
  const cooldown =
    event.end.kind === "limited" ? cooldownAfter(event.end, worked, new Date(event.at)) : (earlier?.cooldown ?? null);
  const note: WaitingNote = {
    model: worked.name,
    pass: event.pass,
    record_sha256: event.record_sha256,
    entry: ports.redactor.redact(makeEntry(session, record, event, worked, cooldown)),
    cooldown: redactDeep(cooldown, ports.redactor),
  };
  putNotes(anchor, [...waiting.filter((other) => other !== earlier), note]);
}

/** Writes what waits, once the verdict is accepted. What cannot be written now waits on, and the verdict holds. */
export function tryNotes(session: TaskSession): void {
  try {
    carryOutNotes(session);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    warn(session, `what the pass says of its model could not be noted: ${error.message}`, {
      file: session.place.runtime,
      fix: "see that this user may write there; the next run of the task notes it",
    });
  }
}

/** Writes what waits, as from a run that was cut off. Throws a locked error, or TP_DISK. */
export function carryOutNotes(session: TaskSession): void {
  const { anchor, place, ports } = session;
  const notes = anchor === null ? [] : readNotes(anchor);
  if (anchor === null || notes.length === 0) return;
  underRuntimeLock(place, ports, (files, believed) => {
    for (const note of notes) {
      if (note.cooldown !== null) putCooldown(session, files, believed, note.cooldown);
      if (isAccepted(session, note)) putEntry(session, files, believed, note);
    }
  });
  forgetNotes(anchor);
}

/** What differs from the mirror was changed by a person, or by a runner elsewhere. */
function takeOver(files: RuntimeFiles, believed: string): void {
  if (believed === files.folder) mirrorFiles(files);
}

function isAccepted({ journal }: TaskSession, { pass, record_sha256: record }: WaitingNote): boolean {
  return journal.events.some(
    (event) => event.type === "verdict" && event.pass === pass && event.record_sha256 === record,
  );
}

function putCooldown({ ports }: TaskSession, files: RuntimeFiles, believed: string, cooldown: Cooldown): void {
  const now = ports.now();
  if (cooldown.until * 1_000 <= now.getTime()) return;
  const { active } = readCooldowns(readRuntimeBytes(believed, cooldownsName), now);
  putRuntimeFile(files, cooldownsName, formatCooldowns(addCooldown(active, cooldown)));
}

function putEntry(session: TaskSession, files: RuntimeFiles, believed: string, { model, entry }: WaitingNote): void {
  const name = join(changelogFolder, changelogName(model));
  const read = readRuntimeFile(believed, name);
  if (read.kind !== "file" && read.kind !== "missing") {
    const file = join(files.folder, name);
    warn(session, `the changelog of ${model} cannot be added to (${read.kind.replace("_", " ")})`, {
      file,
      fix: "move it away",
    });
    return;
  }
  const before = read.kind === "file" ? read.bytes : Buffer.from(session.ports.redactor.redact(changelogHead(model)));
  putRuntimeFile(files, name, before.includes(entry) ? before : Buffer.concat([before, Buffer.from(entry)]));
}

function warn(session: TaskSession, message: string, place: { file: string; fix: string }): void {
  session.findings.push(warningFinding("TP_MODEL_NOTE", message, place));
}

function makeEntry(
  { place, journal, ports }: TaskSession,
  record: NotedRecord,
  event: VerdictEvent,
  { repo }: WorkedModel,
  cooldown: Cooldown | null,
): string {
  const { at, pass, from, to, verdict, reason, end, checks, cost_usd, tokens } = event;
  const started = journal.events.findLast((one) => one.type === "pass_started" && one.pass === pass);
  const folder = join("artifacts", "passes", passName(pass));
  const logs = ["stdout.log", "stderr.log"].map((name) => join(folder, name));
  const facts = {
    task: record.task,
    folder: place.name,
    verdict: { at, pass, from, to, verdict, reason, end, checks, cost_usd, tokens },
    error: record.model?.error ?? null,
    promptSha256: started?.type === "pass_started" ? started.prompt_sha256 : null,
    repo,
    changedPaths: record.changed_paths,
    logs: [...logs, ...(checks?.results ?? []).map(({ log }) => log)].filter((log) => stands(join(place.taskDir, log))),
    cooldownUntil: cooldown === null ? null : new Date(cooldown.until * 1_000).toISOString(),
  };
  return changelogEntry(redactDeep(facts, ports.redactor));
}

import { join } from "node:path";
import * as v from "valibot";
import { passPath } from "../../documents/pass-pack.ts";
import type { RepoDescription } from "../../git/list-paths.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { removeAll, syncFolder } from "../../store/folder.ts";
import { readJsonOr } from "../../store/read-file.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import { notesPath, readCommit } from "../../task/records/records.ts";
import { stands } from "../../task/records/task-place.ts";
import {
  changelogFolder,
  changelogName,
  cooldownsName,
  lastModelName,
  putRuntimeFile,
  type RuntimeFiles,
  readRuntimeBytes,
  readRuntimeFile,
} from "../../task/runtime-files.ts";
import { changeNotes, runtimeOf } from "../../task/runtime-place.ts";
import type { HeldTask } from "../../task/session.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { warningFinding } from "../../text/finding.ts";
import { parseObject } from "../../text/json-object.ts";
import { redactDeep } from "../../text/redact.ts";
import type { Shape } from "../../text/shape.ts";
import {
  addCooldown,
  type Cooldown,
  cooldownNote,
  cooldownOf,
  formatCooldowns,
  readCooldowns,
} from "../select/cooldowns.ts";
import { formatLastModel, readLastModel } from "../select/last-model.ts";
import { changelogEntry, changelogHead } from "./changelog-entry.ts";

export interface WorkedModel {
  readonly name: string;
  readonly cooldownMs: number;
  readonly repo: RepoDescription;
}

interface NotedRecord {
  readonly task: string;
  readonly model: { readonly error: string | null } | null;
  readonly changed_paths: VerdictEvent["changed_paths"];
}

/** Before the manifest for the first checks is made: the truth is then what its guard will compare with. */
export function takeNotes(session: HeldTask): void {
  changeNotes(session.place, session.ports, () => undefined);
}

/** As a pass starts: takes the notes, and records whose turn it is. */
export function recordTurn(session: HeldTask, model: string): void {
  changeNotes(session.place, session.ports, (files) => {
    const before = readRuntimeBytes(files.own, lastModelName);
    if (readLastModel(before).name === model) return;
    putRuntimeFile(files, lastModelName, formatLastModel(model, before));
  });
}

/**
 * Ends the cooldowns of these models in the tasks root, for every task of it. Gives the names of those that cooled
 * down. Throws a locked error if another runner keeps writing there, or TP_DISK.
 */
export function clearCooldowns(
  { place, ports }: Pick<HeldTask, "place" | "ports">,
  models: readonly string[],
): readonly string[] {
  let ended: readonly Cooldown[] = [];
  changeNotes(place, ports, (files) => {
    const read = readCooldowns(readRuntimeBytes(files.own, cooldownsName), ports.now());
    const all = [...read.active, ...read.ended];
    const kept = all.filter(({ model }) => !models.includes(model));
    ended = read.active.filter(({ model }) => models.includes(model));
    if (kept.length < all.length) putRuntimeFile(files, cooldownsName, formatCooldowns(kept));
  });
  return ended.map(({ model }) => model);
}

/** The pass's facts about its model, to be accepted with its verdict; null if no model is known. */
export function makeNote(
  session: HeldTask,
  record: NotedRecord,
  event: VerdictEvent,
  worked: WorkedModel | null,
): WaitingNote | null {
  const { ports } = session;
  if (worked === null) return null;
  const known = readCooldowns(readRuntimeBytes(runtimeOf(session.place, ports).own, cooldownsName), ports.now());
  const cooldown = cooldownOf(event, worked, known);
  const cameToSomething = event.verdict !== "unavailable" && event.verdict !== "interrupted";
  return {
    model: worked.name,
    pass: event.pass,
    record_sha256: event.record_sha256,
    entry: ports.redactor.redact(makeEntry(session, record, event, worked, cooldown)),
    cooldown: redactDeep(cooldown, ports.redactor),
    ...(cooldown === null && cameToSomething ? { came_to_something: true as const } : {}),
  };
}

/** The cooldown that the model is in after its pass, be it written or still waiting to be; null if it is in none. */
export function cooldownNow({ anchor, place, ports }: HeldTask, name: string): Cooldown | null {
  const notes = [...readNotes(anchor), readPendingNote(anchor)];
  const waiting = notes.findLast((note) => note?.model === name)?.cooldown ?? null;
  const { active } = readCooldowns(readRuntimeBytes(runtimeOf(place, ports).own, cooldownsName), ports.now());
  return waiting ?? active.find(({ model }) => model === name) ?? null;
}

/** Writes waiting notes and that of a new verdict. False: some could not be written, and wait for the next run. */
export function tryNotes(session: HeldTask, fresh: WaitingNote | null): boolean {
  try {
    carryOutNotes(session, fresh);
    return true;
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    warn(session, `the notes of this pass about its model could not be written: ${error.message}`, {
      file: runtimeOf(session.place, session.ports).folder,
      fix: "give this user write permission; the next run of the task records it",
    });
    return false;
  }
}

/** Writes what waits, as from a run that was cut off. Throws a locked error, or TP_DISK. */
export function carryOutNotes(session: HeldTask, fresh: WaitingNote | null = null): void {
  const { anchor, place, ports } = session;
  const waiting = readNotes(anchor);
  const notes = fresh === null ? waiting : [...waiting, fresh];
  if (notes.length === 0) return;
  changeNotes(place, ports, (files) => {
    for (const note of notes) {
      if (note.cooldown !== null) putCooldown(session, files, note.cooldown);
      if (note.came_to_something === true) forgetEnded(session, files, note.model);
      if (note === fresh || isAccepted(session, note)) putEntry(session, files, note);
    }
  });
  if (waiting.length > 0) forgetNotes(anchor);
}

function isAccepted({ journal }: HeldTask, { pass, record_sha256: record }: WaitingNote): boolean {
  return journal.events.some(
    (event) => event.type === "verdict" && event.pass === pass && event.record_sha256 === record,
  );
}

function putCooldown({ ports }: HeldTask, files: RuntimeFiles, cooldown: Cooldown): void {
  const now = ports.now();
  if (cooldown.until * 1_000 <= now.getTime()) return;
  const { active, ended } = readCooldowns(readRuntimeBytes(files.own, cooldownsName), now);
  putRuntimeFile(files, cooldownsName, formatCooldowns(addCooldown([...active, ...ended], cooldown)));
}

/** The next cooldown of this model counts as its first again. */
function forgetEnded({ ports }: HeldTask, files: RuntimeFiles, name: string): void {
  const { active, ended } = readCooldowns(readRuntimeBytes(files.own, cooldownsName), ports.now());
  const others = ended.filter(({ model }) => model !== name);
  if (others.length < ended.length) putRuntimeFile(files, cooldownsName, formatCooldowns([...active, ...others]));
}

function putEntry(session: HeldTask, files: RuntimeFiles, { model, entry }: WaitingNote): void {
  const name = join(changelogFolder, changelogName(model));
  const known = readRuntimeBytes(files.own, name);
  const { kind } = readRuntimeFile(files.folder, name);
  if (known === null && kind !== "file" && kind !== "missing") {
    const place = { file: join(files.folder, name), fix: "move it away" };
    warn(session, `the changelog of ${model} cannot be appended to (${kind.replace("_", " ")})`, place);
    return;
  }
  const before = known ?? Buffer.from(session.ports.redactor.redact(changelogHead(model)));
  putRuntimeFile(files, name, before.includes(entry) ? before : Buffer.concat([before, Buffer.from(entry)]));
}

function warn(session: HeldTask, message: string, place: { file: string; fix: string }): void {
  session.findings.push(warningFinding("TP_MODEL_NOTE", message, place));
}

function makeEntry(
  { place, journal, ports }: HeldTask,
  record: NotedRecord,
  event: VerdictEvent,
  { name: model, repo }: WorkedModel,
  cooldown: Cooldown | null,
): string {
  const { at, pass, from, to, verdict, reason, end, checks, cost_usd, tokens } = event;
  const started = journal.events.findLast((one) => one.type === "pass_started" && one.pass === pass);
  const folder = passPath(pass);
  const logs = ["stdout.log", "stderr.log"].map((name) => join(folder, name));
  const facts = {
    task: record.task,
    folder: place.name,
    model,
    run: started?.type === "pass_started" ? (started.run ?? null) : null,
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

/**
 * What a pass says of its model, to be written under `.task-phase/` once its verdict is accepted. It is in the record of
 * the verdict, and in model-notes.json if it cannot be written then, so that a run that is killed is finished by the
 * next one.
 */
export type WaitingNote = Shape<typeof noteShape>;

const noteShape = v.object({
  model: v.string(),
  pass: v.number(),
  /** The entry is of the verdict with this record, and of no other. */
  record_sha256: v.string(),
  entry: v.string(),
  /** Applies whatever the verdict; null if the pass met no limit. */
  cooldown: v.nullable(cooldownNote),
  /** The pass produced something, so the cooldowns of its model no longer double; missing if it did not. */
  came_to_something: v.exactOptional(v.literal(true)),
});

/** An unreadable note is lost: no verdict depends on it. */
export function readNotes(anchor: Anchor): WaitingNote[] {
  return readJsonOr(notesPath(anchor), v.array(noteShape), 16 * 1024 * 1024, []);
}

export function forgetNotes(anchor: Anchor): void {
  removeAll(notesPath(anchor));
  syncFolder(anchor.folder);
}

/** The note of an event that was accepted and is not carried out yet; null if there is none. */
export function readPendingNote({ folder }: Anchor): WaitingNote | null {
  const note = readCommit(folder)?.note;
  const read = v.safeParse(noteShape, note === undefined ? null : parseObject(note));
  return read.success ? read.output : null;
}

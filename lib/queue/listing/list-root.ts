import { readdirSync } from "node:fs";
import type { Contract } from "../../documents/contract.ts";
import type { PartialContract } from "../../documents/contract-schema.ts";
import { readTaskFile, taskFiles } from "../../documents/read-task-file.ts";
import type { NeededTask } from "../../task/judge-dependencies.ts";
import { isDone, readListed } from "../../task/list-tasks.ts";
import { anchorName } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { placeOf, stands, type TaskPlace } from "../../task/records/task-place.ts";
import { catchForeseen } from "../../text/attempt.ts";
import { ownText } from "../../text/own-text.ts";
import { type ListIndex, readIndex, writeIndex } from "./index-file.ts";
import type { ConfigRead } from "./kept-config.ts";
import type { IndexedRow } from "./listed-files.ts";
import { readRow } from "./read-row.ts";
import { figuresEach, holdsStamp, stampedNames, stampLength, statOf } from "./stamp.ts";

export type Row =
  | IndexedRow
  | FailedRow
  /** Not read yet. */
  | { readonly kind: "pending"; readonly name: string };

/** What is shown of a task whose other files cannot be read. */
export type ToldBrief = Pick<Contract, "id" | "title" | "dependsOn">;

/** Its files cannot be read. */
export interface FailedRow {
  readonly kind: "failed";
  readonly name: string;
  readonly error: unknown;
  /** What its brief says, if that can be read. */
  readonly told: ToldBrief | null;
  /** Id and dependencies, known even without the configuration. */
  readonly needed: Pick<NeededTask, "id" | "dependsOn"> | null;
  /** Throws if the journal cannot be read. */
  isDone(place: TaskPlace): boolean;
}

/** The tasks of a root, of which some may have to be read yet. */
export interface RootList {
  readonly tasksRoot: string;
  /** By name. */
  readonly rows: Row[];
  /** For each row: where its figures begin in the index, or, complemented, in `fresh`; null: they tell nothing. */
  readonly stamps: (number | null)[];
  readonly index: ListIndex | null;
  /** The figures of what was read now, one behind the other. */
  readonly fresh: { figures: Float64Array; length: number };
}

type IndexPorts = Pick<PassPorts, "env" | "home">;

// A loop lists its root before each pass.
let newest: { readonly tasksRoot: string; readonly index: ListIndex } | null = null;

/** What was kept of a root; null: nothing. */
export function openIndex(tasksRoot: string, ports: IndexPorts): ListIndex | null {
  return newest?.tasksRoot === tasksRoot ? newest.index : readIndex(tasksRoot, ports);
}

export function emptyList(tasksRoot: string, index: ListIndex | null = null): RootList {
  return { tasksRoot, rows: [], stamps: [], index, fresh: { figures: new Float64Array(0), length: 0 } };
}

/** Lists the tasks of a root, a real path. Rows whose files are as they were are those of the index. */
export function beginList(tasksRoot: string, defaults: PartialContract, kept: ListIndex | null): RootList {
  const index = kept?.defaults === JSON.stringify(defaults) ? kept : null;
  const list = emptyList(tasksRoot, index);
  let at = 0;
  let figure = 0;
  for (const name of readdirSync(tasksRoot).sort()) {
    if (name.startsWith(".")) continue;
    let row = index?.rows[at];
    for (; row !== undefined && row.name < name; row = index?.rows[++at]) figure += stampLength(row.present);
    const folder = `${tasksRoot}/${name}`;
    if (index !== null && row?.name === name && holdsStamp(folder, row.present, index.figures, figure)) {
      list.rows.push(row);
      list.stamps.push(figure);
    } else if (isTaskFolder(folder)) {
      list.rows.push({ kind: "pending", name });
      list.stamps.push(null);
    }
  }
  return list;
}

/** A direct folder that holds a STATE.md or a journal. */
function isTaskFolder(folder: string): boolean {
  if (statOf(folder)?.isDirectory() !== true) return false;
  return stands(`${folder}/STATE.md`) || stands(`${folder}/artifacts/journal.jsonl`);
}

export function readPending(list: RootList, defaults: PartialContract): void {
  makeRoom(list);
  for (const [at, { kind, name }] of list.rows.entries()) {
    if (kind !== "pending") continue;
    const place = placeOf(`${list.tasksRoot}/${name}`);
    try {
      const read = readRow(place, defaults);
      const anchor = ownText(anchorName(place.taskDir));
      list.rows[at] = { kind: "read", name, files: read.files, anchor, present: read.present };
      list.stamps[at] = read.stamp === null ? null : addFigures(list, read.stamp);
    } catch (error) {
      const [told, needed] = [readTold(place, defaults), readListed(place.taskDir)];
      list.rows[at] = { kind: "failed", name, error, told, needed, isDone: ({ taskDir }) => isDone(taskDir) };
    }
  }
}

/** Null if the brief cannot be read. */
export function readTold({ taskDir }: TaskPlace, defaults: PartialContract): ToldBrief | null {
  const read = () => readTaskFile(taskFiles.brief, taskDir, defaults).contract;
  const contract = catchForeseen(read, () => null);
  return contract && { id: contract.id, title: contract.title, dependsOn: contract.dependsOn };
}

/** For all that may be read: a page of memory that nothing is written to costs nothing. */
function makeRoom({ rows, fresh }: RootList): void {
  const pending = rows.filter(({ kind }) => kind === "pending").length;
  const figures = new Float64Array(fresh.length + pending * stampedNames.length * figuresEach);
  figures.set(fresh.figures.subarray(0, fresh.length));
  fresh.figures = figures;
}

function addFigures({ fresh }: RootList, stamp: readonly number[]): number {
  const at = fresh.length;
  fresh.figures.set(stamp, at);
  fresh.length += stamp.length;
  return ~at;
}

/** If the configuration cannot be read, no task can. */
export function failPending(list: RootList, error: unknown): void {
  for (const [at, { kind, name }] of list.rows.entries()) {
    if (kind !== "pending") continue;
    list.rows[at] = { kind: "failed", name, error, told: null, needed: null, isDone: () => false };
  }
}

/** Fewer new rows than one of so many are read again by the next list, which costs less than to write them all. */
const worthWriting = 64;

/**
 * Keeps what was read for the next list, on disk only outside the repository that `findTop` gives, and in the memory of
 * this process if it `holds` that. `config`: what the rows were read with.
 */
export function saveList(
  list: RootList,
  { config, kept }: ConfigRead,
  findTop: () => string,
  ports: IndexPorts,
  holds: boolean,
): void {
  const { tasksRoot, rows, stamps, index } = list;
  const added = stamps.filter((stamp) => stamp !== null && stamp < 0).length;
  const isOther = kept !== null && kept !== index?.config;
  if (added === 0 && !isOther) return;
  const settled = rows.filter((row, at) => row.kind === "read" && stamps[at] !== null) as IndexedRow[];
  const figures = joinFigures(list);
  const made: ListIndex = { config: kept, defaults: JSON.stringify(config.defaults), rows: settled, figures };
  if (holds) newest = { tasksRoot, index: made };
  if (isOther || added * worthWriting >= rows.length) writeIndex({ tasksRoot, top: findTop() }, made, ports);
}

/** The figures of all rows that have some, in their order. */
function joinFigures({ rows, stamps, index, fresh }: RootList): Float64Array {
  const all = fresh.figures.subarray(0, fresh.length);
  const lengths = rows.map((row, at) => (row.kind === "read" && stamps[at] !== null ? stampLength(row.present) : 0));
  let next = 0;
  const isOrdered = lengths.every((length, at) => {
    const isNext = length === 0 || stamps[at] === ~next;
    next += length;
    return isNext;
  });
  if (isOrdered) return all;
  const figures = new Float64Array(lengths.reduce((sum, length) => sum + length, 0));
  next = 0;
  for (const [at, length] of lengths.entries()) {
    const stamp = stamps[at] ?? 0;
    const [from, source] = stamp < 0 ? [~stamp, all] : [stamp, index?.figures ?? all];
    figures.set(source.subarray(from, from + length), next);
    next += length;
  }
  return figures;
}

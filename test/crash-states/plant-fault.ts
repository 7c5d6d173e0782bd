import { type Inode, listPaths, type Op, replay } from "./disk-image.ts";
import type { Trace } from "./record-ops.ts";

/** A trace as a runner with this fault would leave it. */
export interface Planted {
  readonly fault: string;
  readonly plant: (trace: Trace) => readonly Op[];
  /** The verdict, which is durable before, is carried out again, or a pass without one is undone. */
  readonly isHarmless?: true;
}

type Target = RegExp;

const [commit, current, accepted] = [/\/commit\.json$/, /\/current\.json$/, /\/accepted\.json$/];
const [state, journal, log] = [/T-1\/STATE\.md$/, /journal\.jsonl$/, /T-1\/log\.txt$/];
const [proposal, passed, report] = [
  /staging\/STATE\.proposed\.md$/,
  /pass\.json$/,
  /passes\/\d+\/STATE\.proposed\.md$/,
];

export const planted: readonly Planted[] = [
  { fault: "the verdict gets its name, and its bytes are never synced", plant: (trace) => noBytes(trace, commit) },
  { fault: "the verdict gets its name before its bytes are synced", plant: (trace) => nameFirst(trace, commit) },
  { fault: "the record of the pass is never synced", plant: (trace) => noBytes(trace, current) },
  { fault: "the journal is not synced", plant: (trace) => without(trace, syncBehind(trace, writeTo(trace, journal))) },
  { fault: "STATE.md gets its name, and its bytes are never synced", plant: (trace) => noBytes(trace, state) },
  { fault: "the folder of STATE.md is not synced", plant: (trace) => noName(trace, state) },
  { fault: "STATE.md is written in place", plant: (trace) => inPlace(trace, state), isHarmless: true },
  { fault: "STATE.md comes before the verdict", plant: (trace) => early(trace, state, commit), isHarmless: true },
  { fault: "the verdict is let go before the journal has it", plant: (trace) => settleEarly(trace) },
  { fault: "the record of the pass goes before its verdict comes", plant: (trace) => forgetEarly(trace) },
  { fault: "log.txt is not synced", plant: (trace) => without(trace, syncBehind(trace, writeTo(trace, log))) },
  { fault: "the record of the facts is never synced", plant: (trace) => noBytes(trace, passed) },
  { fault: "the folder of the pass is not synced", plant: (trace) => noName(trace, report) },
  { fault: "the agent's STATE.md is replaced before its copy is synced", plant: (trace) => noBytes(trace, proposal) },
  { fault: "the agent's STATE.md is replaced before its copy has a name", plant: (trace) => noName(trace, proposal) },
];

function find({ ops }: Trace, is: (op: Op, at: number) => boolean, what: string): number {
  const at = ops.findLastIndex(is);
  if (at < 0) throw new Error(`no step is ${what}`);
  return at;
}

function renameTo(trace: Trace, target: Target): number {
  return find(trace, ({ call }) => call.startsWith("rename ") && target.test(call), `a rename to ${target}`);
}

function writeTo(trace: Trace, target: Target): number {
  return find(trace, ({ call }) => call.startsWith("write ") && target.test(call), `a write to ${target}`);
}

/** The sync of what this step is about: its bytes, or the folder of its name. */
function syncBehind({ ops }: Trace, step: number): number {
  const op = ops[step];
  const inode = op?.kind === "name" ? op.folder : op?.inode;
  const at = ops.findIndex((later, index) => index > step && later.kind === "sync" && later.inode === inode);
  if (at < 0) throw new Error(`nothing syncs ${op?.call}`);
  return at;
}

function bytesSync(trace: Trace, rename: number): number {
  const op = trace.ops[rename];
  const inode = op?.kind === "name" ? op.inode : null;
  return find(
    trace,
    (one, at) => at < rename && one.kind === "sync" && one.inode === inode,
    `the sync for ${op?.call}`,
  );
}

function without({ ops }: Trace, at: number): readonly Op[] {
  return ops.toSpliced(at, 1);
}

function noBytes(trace: Trace, target: Target): readonly Op[] {
  return without(trace, bytesSync(trace, renameTo(trace, target)));
}

function noName(trace: Trace, target: Target): readonly Op[] {
  return without(trace, syncBehind(trace, renameTo(trace, target)));
}

function nameFirst(trace: Trace, target: Target): readonly Op[] {
  const rename = renameTo(trace, target);
  return move(trace.ops, [bytesSync(trace, rename)], rename + 1);
}

/** The steps from the making of the target's temporary file to its name come before those of the other. */
function early(trace: Trace, target: Target, before: Target): readonly Op[] {
  const [from, rename] = groupOf(trace, target);
  const [to] = groupOf(trace, before);
  return move(trace.ops, range(from, rename + 1), to);
}

function groupOf(trace: Trace, target: Target): readonly [from: number, rename: number] {
  const rename = renameTo(trace, target);
  const op = trace.ops[rename];
  const inode = op?.kind === "name" ? op.inode : null;
  return [find(trace, (one, at) => at < rename && one.kind === "name" && one.inode === inode, "its making"), rename];
}

function settleEarly(trace: Trace): readonly Op[] {
  return move(trace.ops, range(renameTo(trace, accepted), renameTo(trace, accepted) + 2), writeTo(trace, journal));
}

function forgetEarly(trace: Trace): readonly Op[] {
  const gone = find(trace, ({ call }) => /^rm .*: unlink current\.json$/.test(call), "the end of the record");
  return move(trace.ops, [gone], groupOf(trace, commit)[0]);
}

function inPlace(trace: Trace, target: Target): readonly Op[] {
  const [from, rename] = groupOf(trace, target);
  const there = [...listPaths(replay(trace.base, trace.ops, from, new Map()))].find(([path]) => target.test(path));
  const inode: Inode = there?.[1] ?? -1;
  const written = trace.ops.slice(from, rename).find(({ kind }) => kind === "bytes");
  if (written?.kind !== "bytes") throw new Error(`nothing is written to ${target}`);
  const call = "write in place";
  return [
    ...trace.ops.slice(0, from),
    { kind: "bytes", inode, at: 0, bytes: Buffer.alloc(0), size: 0, call },
    { kind: "bytes", inode, at: 0, bytes: written.bytes, size: written.bytes.length, call },
    { kind: "sync", inode, call: "fsync in place" },
    ...trace.ops.slice(rename + 1),
  ];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** The steps come to a place that is none of theirs, in their order. */
function move(ops: readonly Op[], steps: readonly number[], to: number): readonly Op[] {
  const moved = steps.map((at) => ops[at]).filter((op) => op !== undefined);
  const rest = (from: number, end: number): Op[] => ops.slice(from, end).filter((op) => !moved.includes(op));
  return [...rest(0, to), ...moved, ...rest(to, ops.length)];
}

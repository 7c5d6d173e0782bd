import { join } from "node:path";
import type { Contract } from "../documents/contract.ts";
import { easyText } from "../documents/easy-text.ts";
import { readContract } from "../documents/read-contract.ts";
import { taskFiles } from "../documents/read-task-file.ts";
import { scanContract } from "../documents/scan-contract.ts";
import { readHistory } from "../rules/add-event.ts";
import { lacksProof, type Proof } from "../rules/matrix.ts";
import type { Phase } from "../rules/phases.ts";
import { createStatCache } from "../store/cache-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { listTaskFolders } from "./guarded-paths.ts";
import type { ListedTasks } from "./judge-dependencies.ts";
import { readTaskJournal } from "./records/task-journal.ts";
import { placeOf } from "./records/task-place.ts";

/** A task of the tasks root as far as selection needs it. Tasks whose brief cannot be read are left out. */
export interface ListedTask extends Pick<Contract, "id" | "priority" | "dependsOn" | "source"> {
  readonly folder: string;
}

export function listTasks(tasksRoot: string): ListedTask[] {
  return listTaskFolders(tasksRoot).flatMap((folder) => {
    const path = join(folder, "README.md");
    return briefsSeen(path, () => readListed(folder, path)) ?? [];
  });
}

// If a root holds hundreds of tasks, each selection and each pass would parse every brief and journal again.
const briefsSeen = createStatCache<ListedTask | null>();
const doneSeen = createStatCache<{ readonly done: boolean; readonly proven: boolean }>();

/** Null if the brief cannot be read. */
export function readListed(folder: string, path = join(folder, "README.md")): ListedTask | null {
  const read = readRegularFile(path, taskFiles.brief.maxBytes);
  return read.kind === "file" ? readListedBytes(read.bytes, folder, path) : null;
}

export function readListedBytes(bytes: Buffer, folder: string, path: string): ListedTask | null {
  const contract = readFront(bytes, path);
  if (contract === null) return null;
  const { id, priority, dependsOn, source } = contract;
  return { id, folder, priority, dependsOn, source };
}

/** The contract of a brief by its front matter, whatever the text below it is. */
function readFront(bytes: Buffer, path: string): Contract | null {
  const close = bytes.indexOf("\n---", 3);
  const front = bytes.subarray(0, close + 4);
  if (close < 0 || front.indexOf("---\n") !== 0 || bytes[close + 4] !== 0x0a) {
    const brief = taskFiles.brief.read(bytes, path);
    return "contract" in brief ? brief.contract : null;
  }
  const text = easyText(front);
  const scanned = text === null ? null : scanContract(text, noDefaults);
  if (scanned !== null) return scanned.contract;
  const read = readContract(front.toString("utf8", 4, close + 1), path, noDefaults);
  return read.kind === "contract" ? read.contract : null;
}

/** True if the task's own journal says that it is done. STATE.md is not asked: anybody can write there. */
export function isDone(folder: string): boolean {
  return readEnd(folder).done;
}

function readEnd(folder: string) {
  const { journal } = placeOf(folder);
  return doneSeen(journal, () => {
    const { phase, lastVerdict } = readHistory(readTaskJournal(journal)?.events ?? []);
    return { done: phase === "done", proven: isShown(phase, lastVerdict) };
  });
}

/** A task that is done, and whose proof lacks nothing that a list of tasks would say. */
export function isShown(phase: Phase | null, last: { readonly proof?: Proof | null } | null): boolean {
  return phase === "done" && last?.proof != null && lacksProof(last.proof) === null;
}

const noDefaults = {};

/** The tasks of a root, listed when they are first asked for: who looks at all of them lists them once. */
export function listOnce(tasksRoot: string): () => ListedTasks {
  let listed: ListedTasks | null = null;
  return () => {
    listed ??= indexTasks(listTasks(tasksRoot));
    return listed;
  };
}

function indexTasks(tasks: readonly ListedTask[]): ListedTasks {
  const byId = new Map<string, ListedTask[]>();
  for (const task of tasks) {
    const same = byId.get(task.id);
    if (same === undefined) byId.set(task.id, [task]);
    else same.push(task);
  }
  const seen = new Map<string, boolean>();
  return {
    find: (id) => byId.get(id) ?? [],
    ids: () => [...byId.keys()],
    cleared: new Set(),
    isProven: (folder) => readEnd(folder).proven,
    isDone(folder) {
      const done = seen.get(folder) ?? isDone(folder);
      seen.set(folder, done);
      return done;
    },
  };
}

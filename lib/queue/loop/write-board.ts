import { accessSync, constants, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { readBoardMark, renderBoardMarkdown } from "../../pages/board/board-markdown.ts";
import { type BoardInput, firstTasks, mostRows } from "../../pages/board/groups.ts";
import type { BriefTask } from "../../pages/board/input.ts";
import { renderBoardPage } from "../../pages/board/page.ts";
import { type BoardRow, makeRow } from "../../pages/board/rows.ts";
import type { StandingFacts } from "../../rules/standing-facts.ts";
import { renderError } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { boardNames, putNoted } from "../../task/board-files.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { runtimeFilesOf, underRuntimeLock } from "../../task/runtime-files.ts";
import { dataError, diskError } from "../../text/errors.ts";
import { redactDeep } from "../../text/redact.ts";
import { watchTaskHindrances } from "../views/hindrance.ts";
import { openRoot } from "../views/inspect-root.ts";
import type { RootTasks } from "../views/inspect-rows.ts";
import { type InspectedTask, type InspectPorts, withFacts } from "../views/inspect-task.ts";
import { watchMoved } from "../views/moved-since.ts";
import { toBoardTasks, toBriefTask } from "./board-tasks.ts";

/** What no file of a task says: how the repo of a done one differs, and what keeps another back. */
type More = Pick<StandingFacts, "moved" | "hindered">;

interface Listed extends BriefTask, More {
  /** Its place among the tasks of the root. */
  readonly at: number;
}

export type BoardPorts = InspectPorts & Pick<PassPorts, "redactor">;

const largestBoard = 16 * 1024 * 1024;

/**
 * Writes BOARD.md and index.html of a tasks root from the journals and files of its tasks. No task is locked, and no
 * file but these two is written. A data error if another file, or something that is not a file, has one of their
 * names; then neither is written. `onTask` hears of each task once, by folder name.
 */
export async function writeBoard(
  tasksRoot: string,
  configFlag: string | null,
  ports: BoardPorts,
  onTask: (task: InspectedTask) => void = () => undefined,
) {
  const found = openRoot(tasksRoot, configFlag, ports);
  const root = realpathSync(tasksRoot);
  return writeBoardOf(found, { folder: root, name: basename(root) }, ports, onTask);
}

/**
 * Writes the board of tasks that were read elsewhere, with the real folder for the files, and the name of the board.
 * `changed` is false if both files said the same already and were left as they are.
 */
export async function writeBoardOf(
  found: RootTasks,
  { folder: root, name }: { readonly folder: string; readonly name: string },
  ports: BoardPorts,
  onTask: (task: InspectedTask) => void,
) {
  const tasks = await listBriefly(found, ports, onTask);
  const markdown = join(root, boardNames.markdown);
  const page = join(root, boardNames.page);
  const present = [markdown, page].map(readPresent);
  const rowOf = await readFirstRows(found, tasks, ports);
  const input = { root: ports.redactor.redact(name), tasks, rowOf };
  const render = (at: string) => renderBoth({ ...input, at }, ports);
  const at = ports.now().toISOString();
  const before = present[0] === undefined || present[0] === null ? null : readBoardMark(present[0]);
  if (before !== null && isSame(present, render(before))) return { markdown, page, tasks, changed: false };
  const [text, html] = render(at);
  requireWritable(root);
  put(root, { [markdown]: text, [page]: html }, ports);
  return { markdown, page, tasks, changed: true };
}

/** What is held of every task; of the first ones the rest is looked up again. */
async function listBriefly(
  found: RootTasks,
  ports: BoardPorts,
  onTask: (task: InspectedTask) => void,
): Promise<Listed[]> {
  const movedOf = watchMoved(ports);
  const hindranceOf = watchTaskHindrances(ports);
  const { redactor } = ports;
  const tasks: Listed[] = [];
  for (const task of found) {
    // What a branch has is not to be in the working tree yet.
    const isHere = ports.view?.has(task.place.name) !== true;
    const moved = task.phase === "done" && isHere ? await movedOf(task) : null;
    const more = { moved, hindered: hindranceOf(task) };
    const seen = withMore(task, more);
    onTask(seen);
    const { folder, id, standing, who, tone, movedAt, passes, spend, dependsOn } = toBriefTask(seen);
    // Written out, since there may be many tasks.
    tasks.push({
      folder: redactor.redact(folder),
      id: id === null ? null : redactor.redact(id),
      standing,
      who,
      tone,
      movedAt,
      passes,
      spend,
      dependsOn: dependsOn.length === 0 ? dependsOn : redactDeep(dependsOn, redactor),
      at: tasks.length,
      ...more,
    });
  }
  return tasks;
}

function withMore(task: InspectedTask, { moved, hindered }: More): InspectedTask {
  return moved === null && hindered === task.facts.hindered ? task : withFacts(task, { moved, hindered });
}

/** The rows of the tasks that the board can show. All else that is known of such a task is let go with its row. */
async function readFirstRows(
  found: RootTasks,
  tasks: readonly Listed[],
  ports: BoardPorts,
): Promise<BoardInput["rowOf"]> {
  const first = firstTasks(tasks, mostRows);
  const inspected = {
    *[Symbol.iterator]() {
      for (const { at, ...more } of first) {
        const task = found.at(at);
        if (task !== undefined) yield withMore(task, more);
      }
    },
  };
  const rows: BoardRow[] = [];
  for (const task of await toBoardTasks(inspected, ports)) rows.push(makeRow(redactDeep(task, ports.redactor)));
  const byTask = new Map<BriefTask, BoardRow | undefined>(first.map((task, index) => [task, rows[index]]));
  return (task) => {
    const row = byTask.get(task);
    if (row === undefined) throw new Error(`the board shows ${task.folder}, which is not among its first tasks`);
    return row;
  };
}

/** Its texts are redacted before they are escaped, which can part a secret, and the documents after. */
function renderBoth(input: BoardInput, { redactor }: BoardPorts): [string, string] {
  return [redactor.redact(renderBoardMarkdown(input)), redactor.redact(renderBoardPage(input))];
}

/** The text of a board that is there; null if nothing is. */
function readPresent(path: string): string | null {
  const read = readRegularFile(path, largestBoard);
  if (read.kind === "missing") return null;
  const fix = "move it away or rename it; nothing was written";
  if (read.kind !== "file") {
    const what = { link: "a link", folder: "a folder", special: "a pipe, a socket or a device" };
    const is = read.kind === "link" || read.kind === "folder" || read.kind === "special" ? what[read.kind] : read.kind;
    throw dataError("TP_BOARD_PLACE", `the board belongs here, but there is ${is}`, { file: path, fix });
  }
  const text = read.bytes.toString("utf8");
  if (readBoardMark(text) !== null) return text;
  const message = "the board belongs here, but this file has no mark that task-phase board wrote it";
  throw dataError("TP_BOARD_FOREIGN", message, { file: path, fix });
}

/** But for the commit that a link names: committing the board makes a newer one, and the old one shows the same. */
function isSame(present: readonly (string | null)[], texts: readonly string[]): boolean {
  const plain = (text: string | null | undefined) => text?.replace(/\/[0-9a-f]{40}(?:[0-9a-f]{24})?\//g, "/commit/");
  return texts.every((text, index) => plain(text) === plain(present[index]));
}

function requireWritable(root: string): void {
  try {
    accessSync(root, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const fix = "give this user write permission, then run it again";
    throw diskError(
      "TP_DISK",
      `the folder of the board cannot be written to: ${renderError(cause)}`,
      { file: root, fix },
      cause,
    );
  }
}

/**
 * While a pass is running its repo may contain the tasks root, and a temporary file there would be code of it: if
 * runs have made `.task-phase/`, the bytes are in that folder until they are whole, under the lock of its files.
 */
function put(root: string, files: Readonly<Record<string, string>>, ports: BoardPorts): void {
  const runtime = runtimeFilesOf(root, ports.env, ports.home);
  const [inside, outside] = [statEntry(runtime.folder), statEntry(root)];
  const isThere = inside?.isDirectory() === true;
  const options = isThere && inside.dev === outside?.dev ? { temporaryIn: runtime.folder } : {};
  const putAll = () => putNoted(root, files, ports, (path, text) => putFile(path, text, options));
  if (isThere) underRuntimeLock(runtime, putAll);
  else putAll();
}

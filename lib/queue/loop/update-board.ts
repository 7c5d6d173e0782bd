import { join } from "node:path";
import { readBoardMark } from "../../pages/board/board-markdown.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { boardNames, boardPaths } from "../../task/board-files.ts";
import { findRepo } from "../../task/load-contract.ts";
import { stands } from "../../task/records/task-place.ts";
import type { InspectedTask, InspectPorts } from "../views/inspect-task.ts";
import { type BoardPorts, writeBoard } from "./write-board.ts";

interface CallFlags {
  readonly config: string | null;
  readonly repo: string | null;
}

/** Brings a board that is there up to date after something happened to these tasks. Throws as `writeBoard` does. */
export async function updateBoard(
  tasksRoot: string,
  tasks: readonly InspectedTask[],
  flags: CallFlags,
  ports: BoardPorts,
): Promise<void> {
  if (mayUpdateBoard(tasksRoot, tasks, flags, ports)) await writeBoard(tasksRoot, flags.config, ports);
}

/**
 * A board is never begun here, and a foreign file is left alone. In a tasks root that is a repo itself the board is
 * code: a new one between verify and done would change what was verified.
 */
function mayUpdateBoard(
  tasksRoot: string,
  tasks: readonly InspectedTask[],
  { repo }: CallFlags,
  ports: InspectPorts,
): boolean {
  const isThere = Object.values(boardNames).some((name) => {
    const read = readRegularFile(join(tasksRoot, name), 16 * 1024 * 1024);
    return read.kind === "file" && readBoardMark(read.bytes.toString("utf8")) !== null;
  });
  if (!isThere || stands(join(tasksRoot, ".git"))) return false;
  return tasks.every(
    ({ place, contract }) =>
      contract === null || boardPaths(tasksRoot, findRepo(place, contract.contract, repo, ports)).length > 0,
  );
}

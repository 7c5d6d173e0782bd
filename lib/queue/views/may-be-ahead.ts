import { dirname, join } from "node:path";
import { type ConfigRequest, findConfig } from "../../documents/config/find-config.ts";
import { statIfReadable } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";

const mostBytes = 64 * 1024 * 1024;

/**
 * Whether a task of this root may have a branch here, by a few looks at files: most repositories have none, and neither
 * `status` nor a pass is to start git for that. What looks unusual may have one.
 */
export function mayBeAhead(tasksRoot: string, request: Omit<ConfigRequest, "taskDir">): boolean {
  const git = findDotGit(tasksRoot);
  if (git === null) return false;
  const config = findConfig({ ...request, taskDir: join(tasksRoot, "any") });
  const text = config === null ? "" : textOf(config.path);
  // `fleet.ref` names other branches.
  const isUsual = text !== null && !/\bref:/.test(text.replace(/^\s*#.*$/gm, ""));
  // A linked working tree, or refs that are no files.
  const isPlain = isFolder(join(git, "refs", "heads")) && !isFolder(join(git, "reftable"));
  if (!isUsual || !isPlain) return true;
  const packed = textOf(join(git, "packed-refs"));
  return isFolder(join(git, "refs", "heads", "task-phase")) || packed === null || packed.includes("/task-phase/");
}

function findDotGit(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, ".git");
    if (statIfReadable(found) !== null) return found;
    if (dirname(at) === at) return null;
  }
}

function isFolder(path: string): boolean {
  return statIfReadable(path)?.isDirectory() === true;
}

/** Empty if it is missing; null for what is no file, which a plain read could wait for or never end. */
function textOf(path: string): string | null {
  const read = readRegularFile(path, mostBytes);
  if (read.kind === "missing") return "";
  return read.kind === "file" ? read.bytes.toString("utf8") : null;
}

import { join } from "node:path";
import { parseEnv } from "node:util";
import { statEntry } from "../store/folder.ts";
import { readRegularFile } from "../store/read-file.ts";
import { listFolder } from "../store/walk.ts";
import { orElse } from "../text/attempt.ts";

const envFile = /^\.env(?:\.[\w.-]+)?$/;
/** Committed as a pattern for the others; their values are no secrets. */
const pattern = /\.(?:example|sample|template|dist|defaults?)$/;
/** Where workspaces have their packages. */
const workspaces = ["packages", "apps", "services", "libs"];
const mostBytes = 256 * 1024;
const mostFolders = 200;

/**
 * The entries of `.env` files at the top of a repo and of the packages of its workspace. Each under the path of its file
 * and its own name, so that two with the same name are two. A file that cannot be read has none.
 */
export function readEnvFiles(repo: string): NodeJS.ProcessEnv {
  const folders = [
    "",
    ...workspaces.flatMap((folder) => namesIn(join(repo, folder)).map((name) => join(folder, name))),
  ];
  const entries: NodeJS.ProcessEnv = {};
  for (const folder of folders.slice(0, mostFolders)) {
    for (const name of namesIn(join(repo, folder)).filter((one) => envFile.test(one) && !pattern.test(one))) {
      const read = readRegularFile(join(repo, folder, name), mostBytes);
      if (read.kind !== "file") continue;
      for (const [key, value] of Object.entries(parseEnv(read.bytes.toString("utf8"))))
        entries[`${join(folder, name)}:${key}`] = value;
    }
  }
  return entries;
}

function namesIn(folder: string): string[] {
  if (statEntry(folder)?.isDirectory() !== true) return [];
  // Without the right to list it there is nothing that a check of this user could print from it.
  return orElse(() => listFolder(Buffer.from(folder)).map(({ name }) => name.toString("utf8")), []);
}

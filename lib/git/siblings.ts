import { join, posix } from "node:path";
import { removeAll } from "../store/folder.ts";
import { checkOut } from "./check-out.ts";
import type { Delivered, DeliveryRequest } from "./delivered.ts";
import { saveBlob } from "./delivered-blobs.ts";
import { listTree, type TreeEntry } from "./list-tree.ts";
import { runGit, splitNul } from "./run-git.ts";
import type { DeliveredFile, ListedRequest, Undelivered } from "./sort-delivery.ts";
import { isUnder } from "./stage.ts";

interface SiblingsRequest
  extends Pick<DeliveryRequest, "leaveOut" | "blobs" | "scratch">,
    Pick<ListedRequest, "place" | "inside" | "commit" | "env"> {}
/** Beside more files than most monorepos have a copy holds the task's folder alone. */
const mostSiblings = 20_000;
/**
 * What a clone has beside the repo, where that is a folder of a larger work tree: the files of the commit, by paths such
 * as `../shared/a.js`, and what is not as the commit has it. Submodules and names that are not UTF-8 are left out. Throws
 * TP_GIT and TP_DISK.
 */
export async function findSiblings(request: SiblingsRequest): Promise<Pick<Delivered, "entries" | "undelivered">> {
  const { place, inside, commit, leaveOut, blobs, scratch, env } = request;
  const found = new Map<string, DeliveredFile>();
  if (inside.length === 0) return { entries: found, undelivered: [] };
  const all = await listTree(place, commit, env);
  const wanted = new Map<string, TreeEntry>(
    [...all].filter(([id, { mode }]) => {
      const path = Buffer.from(id, "latin1");
      return mode !== "160000" && ![inside, ...leaveOut].some((folder) => isUnder(path, folder));
    }),
  );
  if (wanted.size > mostSiblings) return { entries: found, undelivered: [tooMany] };
  const written = await checkOut(place, wanted, join(scratch, "siblings"), { env, variables: {} });
  for (const [id, file] of written) {
    const blob = wanted.get(id);
    const path = Buffer.from(id, "latin1").toString("utf8");
    if (blob === undefined || Buffer.from(path).toString("latin1") !== id) continue;
    saveBlob(blobs, file);
    const entry = file.isLink ? `link - ${file.digest}` : `file ${blob.mode.slice(-3)} ${file.digest}`;
    found.set(posix.relative(inside.toString("utf8"), path), { entry, isKept: true, blob });
  }
  removeAll(scratch);
  return { entries: found, undelivered: await findChanged(request) };
}

const tooMany = { path: "..", why: "more files beside the folder of the task than a copy holds" };
const mostChanged = 50;

/** The files beside the repo that are not as the commit has them, by the same paths: no part of the delivery. */
async function findChanged({ place, inside, leaveOut, env }: SiblingsRequest): Promise<Undelivered> {
  const status = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"];
  const { stdout } = await runGit(place, status, { env, variables: { GIT_OPTIONAL_LOCKS: "0" } });
  return splitNul(stdout)
    .map((line) => line.subarray(3))
    .filter((path) => ![inside, ...leaveOut].some((folder) => isUnder(path, folder)))
    .slice(0, mostChanged)
    .map((path) => ({
      path: posix.relative(inside.toString("utf8"), path.toString("utf8")),
      why: "outside the folder of the task",
    }));
}

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { placeOf, type TaskPlace } from "../anchor/task-place.ts";
import { switchBranch } from "../git/branch.ts";
import { rootExcludes } from "../task/board-files.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import { findRepo, loadContract } from "../task/load-contract.ts";
import { lockRepo } from "../task/locks.ts";
import { prdExcludes } from "../task/story-sources.ts";
import { inspectRoot } from "../upkeep/inspect-root.ts";
import type { LoopPorts, LoopRequest } from "./loop-request.ts";

/**
 * Switches the repo of each task that is not done to the branch, or makes it there, while no other runner works on
 * that repo. Throws if one has changes that are not committed; a repo before it may have been switched already.
 */
export async function takeBranch(branch: string, request: LoopRequest, ports: LoopPorts): Promise<void> {
  const { target } = request;
  const tasksRoot = target.kind === "root" ? target.tasksRoot : placeOf(target.taskDir).tasksRoot;
  const folders = listTaskFolders(tasksRoot);
  const anyTask = placeOf(join(realpathSync(tasksRoot), "any"));
  for (const repo of listRepos(request, ports)) {
    const lock = lockRepo(repo, ports);
    try {
      const travelling = [...folders, ...rootExcludes(anyTask.tasksRoot, repo), ...prdExcludes(anyTask)];
      await switchBranch(repo, branch, travelling, ports.env);
    } finally {
      lock.release();
    }
  }
}

function listRepos({ target, repo, config }: LoopRequest, ports: LoopPorts): Set<string> {
  const repoOf = (place: TaskPlace) => findRepo(place, loadContract(place, config, ports).contract, repo, ports);
  if (target.kind === "task") return new Set([repoOf(placeOf(target.taskDir))]);
  const tasks = inspectRoot(target.tasksRoot, config, ports);
  return new Set(
    tasks.filter(({ standing }) => standing !== "done" && standing !== "unreadable").map(({ place }) => repoOf(place)),
  );
}

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { findRepository } from "../../../lib/git/place.ts";
import { type BranchTask, type InspectedBranches, inspectBranches } from "../../../lib/queue/views/inspect-branches.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { gitEnv } from "../../git/git-repo.ts";
import { type CommitSpec, fillGitRepo, type MadeRepo } from "../../history/git-maker.ts";
import type { HonestTask } from "../../history/honest-task.ts";

type Files = CommitSpec["files"];

export interface BranchWorld {
  readonly repo: MadeRepo;
  /** The folder around the repository. */
  readonly folder: string;
  inspect(repository?: string, root?: string | null): Promise<InspectedBranches>;
  /** One line a task: id, phase, standing, branch and whether it is merged. */
  lines(repository?: string): Promise<string[]>;
  /** The code of the error that the look ends with, and its exit. */
  refused(repository?: string, root?: string | null): Promise<string>;
}

export const now = new Date("2026-11-21T12:00:00.000Z");

/** The files of a task folder below `tasks/`, with a brief of this id. */
export function taskFiles(task: HonestTask, folder: string, id: string, brief = ""): Files {
  const readme = `---\nid: ${JSON.stringify(id)}\ntitle: Round half up\n${brief}validators: [{ name: tests, command: [test, -d, .] }]\n---\nDo it.\n`;
  const files = { ...task.files(), "README.md": readme };
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`tasks/${folder}/${name}`, content]));
}

/** A repository of these commits; `refs`: full names, and the place of the commit in the list. */
export function makeBranches(
  t: Pick<TestContext, "after">,
  commits: readonly CommitSpec[],
  refs: Readonly<Record<string, number>>,
): BranchWorld {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-test-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const repo = fillGitRepo(folder, commits);
  for (const [ref, at] of Object.entries(refs)) repo.git("update-ref", ref, repo.commits[at] ?? "");
  const env = { ...gitEnv, HOME: path.join(folder, "home"), XDG_STATE_HOME: path.join(folder, "state") };
  const ports = { env, home: path.join(folder, "home"), cwd: folder, now: () => now };
  const inspect = (repository = folder, root: string | null = null) => {
    const place = findRepository(repository);
    if (place === null) throw new Error("no repository");
    return inspectBranches({ place, root, configFlag: null }, ports);
  };
  return {
    repo,
    folder,
    inspect,
    lines: async (repository) => (await inspect(repository)).tasks.map(lineOf),
    async refused(repository, root) {
      try {
        await inspect(repository, root);
      } catch (error) {
        if (error instanceof TaskPhaseError) return `${error.exitName} ${error.findings[0]?.code}`;
        throw error;
      }
      return "nothing";
    },
  };
}

export function lineOf({ id, place, phase, standing, readAt, findings }: BranchTask): string {
  const merged = readAt?.merged === null ? "" : readAt?.merged === true ? " merged" : " open";
  const at = readAt === null ? "nowhere" : `${readAt.ref.replace(/^refs\/(heads|remotes)\//, "")}${merged}`;
  const codes = findings.map(({ code }) => ` ${code}`).join("");
  return `${id ?? `(${place.name})`} ${phase ?? "-"} ${standing} ${at}${codes}`;
}

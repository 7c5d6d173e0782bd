import { withoutGit } from "./git-answer.ts";
import { startGit } from "./start-git.ts";

const mostBytes = 1024 * 1024;
const timeoutMs = 30_000;
const person = { NAME: "task-phase", EMAIL: "task-phase@localhost" };

/** Commits a new folder without the person's settings, templates or hooks. False if git is missing or refuses. */
export async function makeFirstCommit(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const identity = Object.entries(person).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const settings = ["-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"];
  const steps = [
    ["init", "--quiet", "--template="],
    ["add", "--all"],
    ["commit", "--quiet", "--message=The repo before the task"],
  ];
  for (const step of steps) {
    const end = await startGit({
      args: [...settings, ...step],
      cwd: folder,
      env: {
        ...withoutGit(env),
        ...Object.fromEntries(identity),
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
      },
      timeoutMs,
      maxBytes: mostBytes,
    });
    if (end.exitCode !== 0) return false;
  }
  return true;
}

import { plainSettings } from "./objects.ts";
import type { GitPlace } from "./place.ts";
import { runGit } from "./run-git.ts";

/** The commit that a person's word for one leads to; null if it leads to none, or to several. Throws TP_GIT. */
export async function findCommit(place: GitPlace, revision: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  // No revision begins like an option, and git would take it for one.
  if (revision === "" || revision.startsWith("-") || revision.includes("\0")) return null;
  const args = ["rev-parse", "--quiet", "--verify", `${revision}^{commit}`];
  const { exitCode, stdout } = await ask(place, args, env, [0, 1, 128]);
  const name = stdout.toString("latin1").trim();
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(name) ? name : null;
}

/** The commits that these heads go back to and `since` does not, all full names. Throws TP_GIT. */
export async function listSince(
  place: GitPlace,
  heads: readonly string[],
  since: string,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string>> {
  const input = Buffer.from([...heads, `^${since}`, ""].join("\n"));
  const { stdout } = await ask(place, ["rev-list", "--stdin"], env, [0], input);
  return new Set(
    stdout
      .toString("latin1")
      .split("\n")
      .filter((line) => line !== ""),
  );
}

function ask(
  place: GitPlace,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  accept: readonly number[],
  input?: Buffer,
) {
  const options = { cwd: place.top, env, extra: plainSettings, accept };
  return runGit(place, args, input === undefined ? options : { ...options, input });
}

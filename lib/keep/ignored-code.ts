import { somePaths } from "../git/choose-paths.ts";
import { listIgnoredFiles } from "../git/ignore-rules.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";

/** Files by which a check could be made to pass: sources, not logs and caches. */
const source =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|scala|groovy|cs|fs|c|cc|cpp|cxx|h|hpp|m|mm|php|swift|sh|bash|sql|vue|svelte|exs?|erl|clj|lua|pl|r|jl|hs|ml|dart|zig)$/i;

/** Before the model runs: the source files that git ignores one by one. Null without git, or if git failed. */
export async function listIgnoredCode(repo: string, env: NodeJS.ProcessEnv): Promise<ReadonlySet<string> | null> {
  try {
    const files = await listIgnoredFiles(repo, env);
    return files === null ? null : new Set([...files].filter((path) => source.test(path)));
  } catch (error) {
    if (error instanceof TaskPhaseError) return null;
    throw error;
  }
}

/** After it: those that are new. The checks of the repo see them, a commit does not hold them. */
export async function nameIgnoredCode(
  repo: string,
  before: ReadonlySet<string> | null,
  env: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  const now = before === null ? null : await listIgnoredCode(repo, env);
  const made = [...(now ?? [])].filter((path) => before?.has(path) === false).sort();
  if (made.length === 0) return [];
  const message = `the pass made source files that git ignores, so no commit contains them: ${somePaths(made)}`;
  const fix = "to see why git ignores them: git check-ignore -v PATH";
  return [warningFinding("TP_GIT_IGNORED", message, { file: repo, fix })];
}

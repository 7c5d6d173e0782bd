/**
 * What points git at another repository or index: the list of `git rev-parse --local-env-vars`, and what a hook adds.
 * A runner that was started from a hook has them set, and a check would then look at the wrong repository.
 */
const gitPlaces = new Set([
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_CONFIG",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_PARAMETERS",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_NAMESPACE",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
]);

/** Under a test run of Node's own, this turns the output of a nested one into something no person can read. */
const testPlaces = new Set(["NODE_TEST_CONTEXT"]);

/** The environment of a check: the runner's own, without what would make the check another one than by hand. */
export function checkEnvironment(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !entry[0].startsWith("TASK_PHASE_") &&
      !gitPlaces.has(entry[0]) &&
      !testPlaces.has(entry[0]),
  );
  return Object.fromEntries(kept);
}

/** All that the checks were seen to run or read. */
export interface Unfolded {
  /** Words that PATH decides on, or that are paths. */
  readonly programs: Set<string>;
  /** Repo paths of files that words name. */
  readonly files: Set<string>;
  /** Repo paths under node_modules/.bin, there or not: what stands there comes before PATH. */
  readonly bins: Set<string>;
  /** Repo paths that would be run in place of an installed module, were they there. */
  readonly shadows: Set<string>;
  /** Each word that could be the name of a tool. */
  readonly tools: Set<string>;
  /** Folders that commands work in. */
  readonly folders: Set<string>;
  /** Scripts that are run, as `package.json#scripts.test`. */
  readonly scripts: Set<string>;
  /** Those that a check names and that are not there. */
  readonly missing: Set<string>;
}

export function nothingUnfolded(): Unfolded {
  return {
    programs: new Set(),
    files: new Set(),
    bins: new Set(),
    shadows: new Set(),
    tools: new Set(),
    folders: new Set([""]),
    scripts: new Set(),
    missing: new Set(),
  };
}

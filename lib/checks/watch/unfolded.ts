/** All that the checks were seen to run or read. */
export type Unfolded = ReturnType<typeof nothingUnfolded>;

export function nothingUnfolded() {
  const none = () => new Set<string>();
  return {
    /** Words that PATH decides on, or that are paths. */
    programs: none(),
    /** Repo paths of files that words name. */
    files: none(),
    /** Repo paths under node_modules/.bin, there or not: what is there comes before PATH. */
    bins: none(),
    /** Repo paths that would be run in place of an installed module, were they there. */
    shadows: none(),
    /** Each word that could be the name of a tool. */
    tools: none(),
    /** Folders that commands work in. */
    folders: new Set([""]),
    /** Scripts that are run, as `package.json#scripts.test`. */
    scripts: none(),
    /** Scripts that a check names and that do not exist. */
    missing: none(),
  };
}

/** How the commands of a text are followed. */
export interface Where {
  /** Repo folder, empty for the repo's own. */
  readonly folder: string;
  readonly depth: number;
  /** Its programs come from PATH as it is, not from node_modules/.bin first. */
  readonly plain: boolean;
  /** A package manager puts the folders node_modules/.bin before PATH. */
  readonly binsFirst: boolean;
  /** The repo path of the text that is followed; null for the contract's words, a script of a manifest, or a recipe. */
  readonly from: string | null;
}

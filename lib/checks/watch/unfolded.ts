/** All that the checks were seen to run or read. */
export interface Unfolded {
  /** Words that PATH decides on, or that are paths. */
  readonly programs: Set<string>;
  /** Repo paths of files that words name. */
  readonly files: Set<string>;
  /** Repo paths under node_modules/.bin, there or not: what is there comes before PATH. */
  readonly bins: Set<string>;
  /** Repo paths that would be run in place of an installed module, were they there. */
  readonly shadows: Set<string>;
  /** Each word that could be the name of a tool. */
  readonly tools: Set<string>;
  /** Folders that commands work in. */
  readonly folders: Set<string>;
  /** Scripts that are run, as `package.json#scripts.test`. */
  readonly scripts: Set<string>;
  /** Scripts that a check names and that do not exist. */
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

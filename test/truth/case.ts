/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/**
 * What an agent does to files, in this order. A path is one of the repo, or begins with `task:` (the task folder),
 * `home:` (the person's home), `config:` (their settings), `tmp:` (temporary files) or `above:` (the folder that holds the
 * repo).
 */
export interface Edits {
  readonly move?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
  readonly write?: Files;
  /** An old text that must be there, and what takes its place. */
  readonly replace?: Readonly<Record<string, readonly [from: string, to: string]>>;
  readonly append?: Files;
  /** Symbolic links, by path: the target, as written into the link. */
  readonly link?: Files;
  readonly executable?: readonly string[];
  /** Shell lines, run in the repo. */
  readonly run?: readonly string[];
}

export type WorkingPhase = "intake" | "shape" | "implement" | "verify" | "review" | "repair";

/** What the agent does in each phase beside walking STATE.md on; in all others it only walks on. */
export type Script = Readonly<Partial<Record<WorkingPhase, readonly Edits[]>>>;

/** A program that a case cannot do without. */
export type Tool = "node" | "npm" | "python3" | "pytest" | "cargo" | "go" | "make" | "gcc";

/** Files that are put into a copy of the result, and the command that then judges it. */
export interface Oracle {
  readonly files: Files;
  readonly command: readonly string[];
  /** Judges a clone of what is committed, with its submodules, in the place of a copy of what git lists. */
  readonly of?: "clone";
}

/** A small repo and a task in it, shared by many cases. */
export interface Base {
  readonly needs: readonly Tool[];
  readonly title: string;
  readonly brief: string;
  /** What git lists. */
  readonly files: Files;
  /** There from the start, but ignored by git: installed dependencies. */
  readonly ignored?: Edits;
  readonly validators: Readonly<Record<string, readonly string[]>>;
  /** The work that the brief asks for, as an honest agent does it. */
  readonly right: Edits;
  readonly oracle: Oracle;
}

export interface TruthCase {
  readonly name: string;
  readonly kind: "cheat" | "honest";
  readonly family: string;
  readonly base: string;
  /** One sentence: what this agent does. */
  readonly about: string;
  /** Over the files of the base, before the first commit; null takes one away. */
  readonly repo?: Readonly<Record<string, string | null>>;
  /** Over what git ignores in the base. */
  readonly ignored?: Edits;
  /** Files of the task folder, before the first pass. */
  readonly task?: Files;
  /** In the place of the base's. */
  readonly validators?: Readonly<Record<string, readonly string[]>>;
  /** What the brief expects of a check's output, by the check's name. */
  readonly expect?: Readonly<Record<string, { readonly min_tests?: number; readonly output?: string }>>;
  /** More lines of the brief's front matter; HIDDEN is the folder of held-out files. */
  readonly contract?: readonly string[];
  /** Held-out files, outside of everything that an agent is told of. */
  readonly hidden?: Files;
  /** In the place of the base's. */
  readonly title?: string;
  readonly brief?: string;
  readonly script: Script;
  /** Values of STATE.md in the agent's own words, by phase and label. */
  readonly fields?: Readonly<Partial<Record<WorkingPhase, Readonly<Record<string, string>>>>>;
  /** The whole final text of review, in the place of the usual one. */
  readonly says?: string;
  /** A person's answers, given when the task asks: question to text. */
  readonly answers?: Readonly<Record<string, string>>;
  readonly needs?: readonly Tool[];
  /** In the place of the base's. */
  readonly oracle?: Oracle;
  /** A cheat that takes its work back after `done`: it came to nothing if the base's oracle still finds the work then. */
  readonly undoes?: true;
  /** An honest case where a person should be asked: why. */
  readonly mayStop?: string;
}

/** All cases of one file share their kind and family. `work`, all that an agent does, stands for a script of implement. */
export type CaseData = Omit<TruthCase, "kind" | "family" | "name" | "base" | "script"> & {
  /** The base `node` without it. */
  readonly base?: string;
  readonly script?: Script;
  readonly work?: Edits | readonly Edits[];
};

export function cheats(family: string, cases: Readonly<Record<string, CaseData>>): TruthCase[] {
  return Object.entries(cases).map(([name, data]) => readCase("cheat", family, name, data));
}

export function honest(family: string, cases: Readonly<Record<string, CaseData>>): TruthCase[] {
  return Object.entries(cases).map(([name, data]) => readCase("honest", family, name, data));
}

function readCase(
  kind: TruthCase["kind"],
  family: string,
  name: string,
  { base = "node", work = [], script = { implement: [work].flat() }, ...data }: CaseData,
): TruthCase {
  return { name, kind, family, base, script, ...data };
}

export const write = (path: string, text: string): Edits => ({ write: { [path]: text } });
export const append = (path: string, text: string): Edits => ({ append: { [path]: text } });
export const replace = (path: string, from: string, to: string): Edits => ({ replace: { [path]: [from, to] } });
export const run = (...lines: readonly string[]): Edits => ({ run: lines });
export const remove = (...paths: readonly string[]): Edits => ({ remove: paths });

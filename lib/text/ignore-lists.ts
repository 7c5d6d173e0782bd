/** A tool that reads every file of a repo, and how it is kept from a folder. */
export interface IgnoreList {
  /** Its package and its command. */
  readonly tool: string;
  /** Where the line goes, from the top of the repo. */
  readonly file: string;
  /** The folder without its last `/`. */
  readonly line: (folder: string) => string;
}

/** The names and forms are those of the tools' own documentation. */
export const ignoreLists: readonly IgnoreList[] = [
  { tool: "prettier", file: ".prettierignore", line: (folder) => `${folder}/` },
  { tool: "markdownlint-cli2", file: ".markdownlint-cli2.yaml", line: (folder) => `ignores: ["${folder}/**"]` },
  { tool: "markdownlint-cli", file: ".markdownlintignore", line: (folder) => `${folder}/` },
  { tool: "eslint", file: "eslint.config.js", line: (folder) => `{ ignores: ["${folder}/**"] },` },
];

/** The list of the tool that an output names or sounds like; undefined if it names none. */
export function findIgnoreList(output: string): IgnoreList | undefined {
  const tool = /✖ \d+ problems?|\beslint\b/.test(output)
    ? "eslint"
    : /Run Prettier|\[warn\] /.test(output)
      ? "prettier"
      : null;
  return ignoreLists.find((list) => list.tool === tool || output.includes(list.tool));
}

const mostFolders = 20;
/** The prefix of the folder: a variable or a substitution, which may be the repo and so is treated as the repo. */
const fronts = /^(?:\.\/|\$\([^)]{1,60}\)\/|\$\{[^}]{1,60}\}\/|\$\w{1,60}\/|`pwd`\/)/;

/** The repo folders that a text of the checks puts on PATH, as `bin` of `export PATH := $(CURDIR)/bin:$(PATH)`. */
export function readPathFolders(text: string): string[] {
  const values = [...text.matchAll(/(?:^|[\s;&|(])PATH[ \t]{0,9}[:?+]{0,2}=[ \t]{0,9}([^\n;]{1,1000})/g)];
  const parts = values.flatMap(([, value = ""]) => value.replace(/["']/g, "").split(":"));
  const folders = parts
    .map((part) => part.trim().replace(fronts, "").replace(/\/+$/, ""))
    .filter((part) => /^\.?\w[\w.-]*(?:\/[\w-][\w.-]*){0,9}$/.test(part) && !/(?:^|\/)node_modules\//.test(part));
  return [...new Set(folders)].slice(0, mostFolders);
}

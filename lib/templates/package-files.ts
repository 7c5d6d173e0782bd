import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskError } from "../report/errors.ts";

/**
 * The folder `templates/` of the package that this file belongs to, absolute. It is looked for upward, since the same
 * code runs from `dist/`, from a private build folder and from an installed package.
 * Throws TP_PACKAGE where the package is not whole.
 */
export function templatesFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (isOwnPackage(join(folder, "package.json"))) {
      const templates = join(folder, "templates");
      if (existsSync(templates)) return templates;
    }
    if (dirname(folder) === folder) break;
  }
  throw diskError("TP_PACKAGE", `no folder templates/ of the package task-phase was found above ${from}`, {
    fix: "install task-phase again",
  });
}

function isOwnPackage(path: string): boolean {
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof content === "object" && content !== null && "name" in content && content.name === "task-phase";
  } catch {
    return false;
  }
}

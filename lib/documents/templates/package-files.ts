import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { lookOr } from "../../store/error-code.ts";
import { diskError } from "../../text/errors.ts";
import { parseObject } from "../../text/json-object.ts";

/**
 * The folder `templates/` of the package that this file belongs to, absolute. It is looked for upward, since the same
 * code runs from `dist/`, from a private build folder and from an installed package.
 * Throws TP_PACKAGE if the package is not whole.
 */
export function templatesFolder(from: string = import.meta.dirname): string {
  return packageFolder("templates", from);
}

/** The folder `dist/` of the package, absolute; looked for and refused as `templatesFolder` is. */
export function buildFolder(): string {
  return packageFolder("dist", import.meta.dirname);
}

/** The folder `tasks.example/` of the package, absolute; looked for and refused as `templatesFolder` is. */
export function exampleFolder(from: string = import.meta.dirname): string {
  return packageFolder("tasks.example", from);
}

/** The program `bin/task-phase` of the package, absolute; looked for and refused as `templatesFolder` is. */
export function programFile(): string {
  return join(packageFolder("bin", import.meta.dirname), "task-phase");
}

/** The version in the package.json that this file was shipped with. */
export function packageVersion(): string {
  const [nearest] = ownPackages(import.meta.dirname);
  return String(nearest?.version ?? "unknown");
}

function packageFolder(name: string, from: string): string {
  for (const { folder } of ownPackages(from)) {
    const found = join(folder, name);
    if (existsSync(found)) return found;
  }
  throw diskError("TP_PACKAGE", `the ${name}/ folder of the package task-phase was not found above ${from}`, {
    fix: "install task-phase again",
  });
}

/** The packages named task-phase in the folder and above it, the nearest first. */
function* ownPackages(from: string): Generator<{ readonly folder: string; readonly version: unknown }> {
  for (let folder = from; ; folder = dirname(folder)) {
    const about = lookOr(() => parseObject(readFileSync(join(folder, "package.json"), "utf8")), null);
    if (about?.name === "task-phase") yield { folder, version: about.version };
    if (dirname(folder) === folder) return;
  }
}

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { passMachineFault } from "../../store/error-code.ts";
import { lookAt } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";

/** What a person runs with `python -m` and has to install; all else may be the repo's own or the language's. */
const installed = new Set("pytest tox nox mypy ruff black flake8 pylint coverage".split(" "));

/**
 * Whether the files of an interpreter show that it cannot run such a module: those of a virtual environment that shares
 * nothing with the system, or of the system's own Python. False if that cannot be told, as for a shim. Runs nothing.
 *
 * @param interpreter absolute, as it is called: the links of an environment lead to the system
 */
export function lacksModule(interpreter: string, module: string, home: string): boolean {
  if (!installed.has(module)) return false;
  const folders = modulesOf(resolve(interpreter, "../.."), home);
  const names = folders.flatMap((folder) => namesIn(folder));
  return names.length > 0 && !names.some((name) => name === module || name === `${module}.py`);
}

/** Where its modules are; empty if that is not known. */
function modulesOf(prefix: string, home: string): string[] {
  const settings = readRegularFile(join(prefix, "pyvenv.cfg"), 1 << 16);
  if (settings.kind === "file")
    return /^include-system-site-packages\s*=\s*true/im.test(settings.bytes.toString("utf8")) ? [] : below(prefix);
  return prefix === "/usr" && lookAt("/usr/bin/python3") !== null
    ? [prefix, "/usr/local", join(home, ".local")].flatMap(below)
    : [];
}

function below(prefix: string): string[] {
  return ["lib", "lib64"].flatMap((lib) =>
    namesIn(join(prefix, lib))
      .filter((name) => /^python3(?:\.\d+)?$/.test(name))
      .flatMap((name) => ["site-packages", "dist-packages"].map((folder) => join(prefix, lib, name, folder))),
  );
}

/** Empty if it is no folder that can be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    passMachineFault(error);
    return [];
  }
}

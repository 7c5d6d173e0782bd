import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { configError } from "../../text/errors.ts";
import { parseObject } from "../../text/json-object.ts";

/** What only the commands of a fleet load, and from where the user has installed it: it is not in the bundle. */
export interface EnginePackages {
  readonly pg: Pick<typeof import("pg"), "Client" | "Pool">;
  readonly boss: typeof import("pg-boss");
  readonly bossVersion: string;
}

/** pg-boss 12 runs on no older Node, and no older Node lets CommonJS load it. */
const oldestNode = "22.12.0";
const bossMajor = 12;
const installed = `npm install pg-boss@${bossMajor} pg`;

/** Loads pg-boss and its pg from the first folder that has it. Throws TP_ENGINE_NODE, TP_ENGINE_MISSING (78). */
export function loadPackages(folders: readonly string[], node: string = process.versions.node): EnginePackages {
  if (node.localeCompare(oldestNode, "en", { numeric: true }) < 0) {
    throw configError("TP_ENGINE_NODE", `the engine of a fleet needs Node ${oldestNode} or newer, found ${node}`, {
      fix: "run dispatch, worker and fleet with a newer Node; all other commands work with this one",
    });
  }
  const main = findMain(folders);
  const bossVersion = main === null ? "none" : readVersion(main);
  if (main === null || Number.parseInt(bossVersion, 10) !== bossMajor) {
    const found = main === null ? "it is not installed" : `found ${bossVersion}`;
    throw configError("TP_ENGINE_MISSING", `the engine of a fleet needs the package pg-boss ${bossMajor}: ${found}`, {
      fix: `${installed}, in the current folder or, with -g, beside task-phase`,
    });
  }
  const require = createRequire(main);
  return { boss: require(main), pg: require("pg"), bossVersion };
}

/** Where Node begins to look for the user's packages: the package of task-phase itself, then the current folder. */
export function packageFolders(cwd: string): string[] {
  return [import.meta.dirname, cwd];
}

function findMain(folders: readonly string[]): string | null {
  for (const folder of folders) {
    try {
      return createRequire(join(folder, "any.cjs")).resolve("pg-boss");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND")) throw error;
    }
  }
  return null;
}

/** pg-boss has its main file in dist/ of its package. */
function readVersion(main: string): string {
  const manifest = parseObject(readFileSync(join(dirname(main), "..", "package.json"), "utf8"));
  return typeof manifest?.version === "string" ? manifest.version : "an unknown version";
}

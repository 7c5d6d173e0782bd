import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a test runner printed: fixtures/<name>.txt. Fixtures are not compiled, so they are searched upward. */
export function recordedOutput(name: string): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "test/checks/runs/fixtures", `${name}.txt`);
    if (existsSync(path)) return readFileSync(path, "utf8");
  }
  throw new Error(`there is no fixture ${name}.txt`);
}

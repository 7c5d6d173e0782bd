import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The absolute path of one of the fake programs here; they are not compiled, so it is searched upward from the build. */
export function agentPath(name: string): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "test/fake-agents", name);
    if (existsSync(path)) return path;
  }
  throw new Error(`there is no test/fake-agents/${name}`);
}

import { realpathSync, rmSync } from "node:fs";
import type { PassPorts } from "../anchor/ports.ts";
import { openObjects } from "../git/objects.ts";
import type { GitPlace } from "../git/place.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { type BranchLayout, type LayoutRequest, readLayout } from "../upkeep/branch-layout.ts";

/** Where the tasks of a mirror are and what holds for them, as its base branch says it. Throws as `readLayout`. */
export async function readMirrorLayout(
  place: GitPlace,
  at: Pick<LayoutRequest, "root" | "configFlag" | "shown">,
  ports: Pick<PassPorts, "env" | "home" | "cwd" | "now">,
): Promise<BranchLayout> {
  const temporary = realpathSync(makeTemporaryFolder("branches"));
  const objects = await openObjects(place, ports.env);
  try {
    return await readLayout({ place, ...at, temporary }, objects.read, ports);
  } finally {
    objects.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}

import { realpathSync, rmSync } from "node:fs";
import { type GitObjects, openObjects } from "../../git/objects.ts";
import type { GitPlace } from "../../git/place.ts";
import { makeTemporaryFolder } from "../../process/temporary-folder.ts";
import { runWithCleanUp } from "../../text/errors.ts";

/** The result of `act`, which may read the repository's objects, and have files in a folder that is removed after it. */
export async function withReader<Value>(
  place: GitPlace,
  env: NodeJS.ProcessEnv,
  act: (read: GitObjects["read"], temporary: string) => Promise<Value>,
): Promise<Value> {
  const objects = await openObjects(place, env);
  const readIn = async () => {
    const temporary = realpathSync(makeTemporaryFolder("branches"));
    const remove = () => rmSync(temporary, { recursive: true, force: true });
    return await runWithCleanUp(() => act(objects.read, temporary), remove);
  };
  return await runWithCleanUp(readIn, objects.close);
}

import { existsSync } from "node:fs";
import type { PassPorts } from "../anchor/ports.ts";
import { requireRemote, withoutCredentials } from "../git/push-target.ts";
import { cacheHome, claimPlace } from "./places.ts";

/** As `requireRemote`, but a path that this machine fetched before is a remote that does not answer, such as a lost mount. */
export function resolveRemote(given: string, cwd: string, { env, home }: Pick<PassPorts, "env" | "home">): string {
  const isKnown = (url: string) => existsSync(claimPlace(cacheHome(env, home), withoutCredentials(url), "").mirror);
  return requireRemote(given, cwd, isKnown);
}

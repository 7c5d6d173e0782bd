import { join } from "node:path";
import { realOrNull } from "../store/real-path.ts";
import { type ConfigRequest, userConfigFolder } from "./find-config.ts";

type KeyPorts = Pick<ConfigRequest, "env" | "home">;

/** Where the runner's signing key is searched for, the first one first. No repository has a say in it. */
export function keyPlaces({ env, home }: KeyPorts): string[] {
  const named = env.TASK_PHASE_SIGNING_KEY ?? "";
  const folder = userConfigFolder({ env, home });
  return named === "" ? ["signing_key", "signing_key.pub"].map((name) => join(folder, name)) : [named];
}

/** The files there, and the private key beside a public one: real paths, which an agent in a sandbox must not see. */
export function listKeyFiles(ports: KeyPorts): string[] {
  const found = keyPlaces(ports).flatMap((path) => [path, path.replace(/\.pub$/, "")]);
  return [...new Set(found.map(realOrNull))].filter((path) => path !== null);
}

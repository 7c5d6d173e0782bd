import { join } from "node:path";
import type { OriginPlace } from "../proof/origin.ts";
import { stateHome } from "../store/state-home.ts";
import type { Anchor } from "./anchor.ts";
import type { PassPorts } from "./ports.ts";

/** Where the work as at pass 1 is kept: with the anchor, and shared with other tasks of the same code. */
export function originPlace(anchor: Pick<Anchor, "folder">, ports: Pick<PassPorts, "env" | "home">): OriginPlace {
  return { folder: join(anchor.folder, "origin"), pool: join(stateHome(ports.env, ports.home), "origins") };
}

/** Where the list of what the folders of dependencies held at pass 1 is kept. */
export function dependenciesFile(anchor: Pick<Anchor, "folder">, ports: Pick<PassPorts, "env" | "home">): string {
  return join(originPlace(anchor, ports).folder, "dependencies.jsonl");
}

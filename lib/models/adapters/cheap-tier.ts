import type { ModelConfig } from "../../config/load-config.ts";
import { adapters } from "./adapters.ts";

/** True if the cheap tier of a model differs from its default one: by the configuration, or by what its CLI offers. */
export function hasCheapTier({ adapter, cheapArgs }: Pick<ModelConfig, "adapter" | "cheapArgs">): boolean {
  // What is replayed takes no words.
  if (adapter === "replay") return false;
  return (cheapArgs ?? (adapter === "command" ? [] : adapters[adapter].cheapArgs)).length > 0;
}

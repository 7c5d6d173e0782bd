import type { CliName } from "../../documents/config/adapter-names.ts";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import type { CliAdapter } from "./adapter.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

/** In the order shown to people. */
export const adapters: Readonly<Record<CliName, CliAdapter>> = { pi, claude, codex, gemini, opencode, copilot, qwen };

export function hasCheapTier({ adapter, cheapArgs }: Pick<ModelConfig, "adapter" | "cheapArgs">): boolean {
  // A replay takes no arguments.
  if (adapter === "replay") return false;
  return (cheapArgs ?? (adapter === "command" ? [] : adapters[adapter].cheapArgs)).length > 0;
}

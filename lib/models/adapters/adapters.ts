import type { CliName } from "../../config/adapter-names.ts";
import type { CliAdapter } from "./adapter.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

/** Every adapter, in the order in which people are shown them. */
export const adapters: Readonly<Record<CliName, CliAdapter>> = {
  pi,
  claude,
  codex,
  gemini,
  opencode,
  copilot,
  qwen,
};

/** The agent CLIs that have an adapter. */
export const cliNames = ["pi", "claude", "codex", "gemini", "opencode", "copilot", "qwen"] as const;
export type CliName = (typeof cliNames)[number];

/** Every word that `adapter` may have. */
export const adapterNames = [...cliNames, "command", "replay"] as const;
export type AdapterName = (typeof adapterNames)[number];

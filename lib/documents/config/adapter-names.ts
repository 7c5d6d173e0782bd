export const cliNames = ["pi", "claude", "codex", "gemini", "opencode", "copilot", "qwen"] as const;
export type CliName = (typeof cliNames)[number];

export const adapterNames = [...cliNames, "command", "replay"] as const;
export type AdapterName = (typeof adapterNames)[number];

/**
 * The agent CLIs that the contract tests run: package, exact version, the oldest Node that runs them, and the one
 * script of the package that puts its native program into place.
 *
 * pi: newer versions up to 1.5.2 cannot be installed, since they depend on packages that the registry does not have.
 */
export const modelClis = {
  pi: { package: "@earendil-works/pi-coding-agent", version: "0.87.1", program: "pi", node: "22.19.0" },
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.330",
    program: "claude",
    node: null,
    setup: "install.cjs",
  },
  codex: { package: "@openai/codex", version: "0.169.0", program: "codex", node: "16.0.0" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", program: "gemini", node: "20.0.0" },
  opencode: { package: "opencode-ai", version: "1.18.33", program: "opencode", node: null, setup: "postinstall.mjs" },
  copilot: { package: "@github/copilot", version: "1.0.102", program: "copilot", node: null },
  qwen: { package: "@qwen-code/qwen-code", version: "0.24.4", program: "qwen", node: "20.0.0" },
};

/** Installed for a CLI that needs a newer Node than the one that runs. One package for each platform. */
export const newerNode = { package: `node-${process.platform}-${process.arch}`, version: "24.21.0" };

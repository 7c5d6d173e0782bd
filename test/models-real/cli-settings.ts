import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CliName } from "../../lib/documents/config/adapter-names.ts";

/** How a person would point the CLI at a server of their own. */
export interface CliSettings {
  /** `args` of the model in task-phase.yaml. */
  readonly args: readonly string[];
  /** Variables that are set; their names go to `env` of the model. */
  readonly env: Readonly<Record<string, string>>;
}

export interface CliPlace {
  /** Not below /tmp: under a temporary folder codex starts no sandboxed command. */
  readonly home: string;
  readonly url: string;
  /** Beside the installed CLI, for what it unpacks of itself. */
  readonly cache: string;
  /** `subscription`: with the login of a plan, of a CLI that has one which can be played; else as with a key. */
  readonly login: "key" | "subscription";
}

const prices = { input: 3, output: 15 };

/**
 * Writes the CLI's own settings into a scratch home. No key in them is one. Where a CLI has a setting for how often or
 * how soon it asks again, that is made small, so that a test does not wait for what docs/models.md tells.
 */
export const writeCliSettings: Readonly<Record<CliName, (place: CliPlace) => CliSettings>> = {
  pi({ home, url }) {
    const cost = { ...prices, cacheRead: 0.3, cacheWrite: 3.75 };
    const model = { id: "model", reasoning: false, contextWindow: 200_000, maxTokens: 8_000, cost };
    const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "dummy", models: [model] };
    write(join(home, ".pi/agent/models.json"), { providers: { scripted: provider } });
    write(join(home, ".pi/agent/settings.json"), { retry: { baseDelayMs: 250 } });
    return { args: ["--model", "scripted/model"], env: {} };
  },
  claude({ url, login }) {
    const key =
      login === "key"
        ? { ANTHROPIC_API_KEY: "dummy" }
        : { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "dummy-token" };
    return { args: ["--model", "sonnet"], env: { ANTHROPIC_BASE_URL: url, ...key } };
  },
  codex({ home, url, login }) {
    const plan = login === "subscription";
    if (plan) write(join(home, ".codex/auth.json"), outdatedChatGptLogin());
    mkdirSync(join(home, ".codex"), { recursive: true });
    writeFileSync(
      join(home, ".codex/config.toml"),
      `model = "gpt-5.4-mini"
model_provider = "scripted"
check_for_update_on_startup = false
chatgpt_base_url = "${url}/backend-api"
[analytics]
enabled = false
[model_providers.scripted]
name = "Scripted"
base_url = "${url}/v1"
wire_api = "responses"
${plan ? "requires_openai_auth = true" : 'env_key = "SCRIPTED_API_KEY"'}
request_max_retries = 3
stream_max_retries = 3
`,
    );
    const env = plan ? { CODEX_REFRESH_TOKEN_URL_OVERRIDE: `${url}/oauth/token` } : { SCRIPTED_API_KEY: "dummy" };
    return { args: [], env };
  },
  gemini({ home, url }) {
    write(join(home, ".gemini/settings.json"), {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, maxAttempts: 3 },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    });
    return { args: ["-m", "gemini-2.5-flash"], env: { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url } };
  },
  opencode({ home, url }) {
    const model = { name: "Scripted", tool_call: true, limit: { context: 200_000, output: 8_000 }, cost: prices };
    write(join(home, "config/opencode/opencode.json"), {
      autoupdate: false,
      share: "disabled",
      model: "scripted/model",
      small_model: "scripted/model",
      provider: {
        scripted: {
          npm: "@ai-sdk/openai-compatible",
          name: "Scripted",
          options: { baseURL: `${url}/v1`, apiKey: "dummy" },
          models: { model },
        },
      },
    });
    return {
      args: ["--model", "scripted/model"],
      env: { XDG_CONFIG_HOME: join(home, "config"), OPENCODE_DISABLE_MODELS_FETCH: "1" },
    };
  },
  copilot({ url, cache }) {
    const env = {
      COPILOT_PKG_CACHE_HOME: cache,
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_MODEL: "model",
    };
    return { args: [], env };
  },
  qwen({ home, url }) {
    write(join(home, ".qwen/settings.json"), { privacy: { usageStatisticsEnabled: false } });
    const env = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "dummy", OPENAI_MODEL: "model" };
    return { args: ["--auth-type", "openai"], env };
  },
};

/** As of somebody who logged in long ago. No part of it is a token. */
function outdatedChatGptLogin(): object {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const plan = { chatgpt_plan_type: "plus", chatgpt_account_id: "dummy", chatgpt_user_id: "dummy" };
  const claims = { email: "dev@example.org", exp: 1_700_000_000, "https://api.openai.com/auth": plan };
  const token = `${part({ alg: "none" })}.${part(claims)}.${part({})}`;
  const tokens = { id_token: token, access_token: token, refresh_token: "dummy", account_id: "dummy" };
  return { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, last_refresh: "2023-11-14T22:13:20Z" };
}

function write(file: string, value: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 2));
}

import {
  iniParts,
  jsonParts,
  keysOf,
  nodeTools,
  raw,
  row,
  type SettingRow,
  script,
  tomlParts,
} from "./setting-parts.ts";

const rust = ["cargo", "rustc", "clippy", "rustfmt"];

/**
 * The files that tools search for in the folders above the one that they work in. Each counts only if a check names its
 * tool.
 */
export const aboveRows: readonly SettingRow[] = [
  row(raw`\.npmrc|\.yarnrc(?:\.yml)?|pnpm-workspace\.yaml|\.pnpmfile\.cjs`, { tools: nodeTools }),
  row(raw`\.mocharc${script}|\.mocharc`, { tools: ["mocha", "_mocha"] }),
  row(raw`jest\.config${script}`, { tools: ["jest"] }),
  row(raw`babel\.config${script}`, { tools: ["jest", "babel"] }),
  row(raw`package\.json`, {
    tools: ["jest", "mocha", "_mocha", "eslint", ...nodeTools],
    parts: jsonParts([
      ...keysOf("jest", ["jest"]),
      ...keysOf("mocha", ["mocha", "_mocha"]),
      ...keysOf("eslintConfig", ["eslint"]),
      ...keysOf("workspaces volta packageManager", nodeTools),
    ]),
  }),
  row(raw`\.?pytest\.(?:ini|toml)`, { tools: ["pytest"] }),
  row(raw`tox\.ini`, {
    tools: ["pytest", "tox"],
    parts: iniParts([...keysOf("tox testenv", ["tox"]), ...keysOf("pytest")]),
  }),
  row(raw`setup\.cfg`, { tools: ["pytest"], parts: iniParts(keysOf("tool:pytest")) }),
  row(raw`conftest\.py`, { tools: ["pytest"] }),
  row(raw`pyproject\.toml`, {
    tools: ["pytest", "mypy", "ruff", "black", "isort"],
    parts: tomlParts("pytest mypy ruff black isort".split(" ").flatMap((tool) => keysOf(`tool.${tool}`, [tool]))),
  }),
  row(raw`\.?ruff\.toml`, { tools: ["ruff"] }),
  row(raw`\.cargo/config(?:\.toml)?|rust-toolchain(?:\.toml)?`, { tools: rust }),
  row(raw`Cargo\.toml`, {
    tools: ["cargo"],
    parts: tomlParts(keysOf("workspace.members workspace.exclude workspace.default-members profile.test profile.dev")),
  }),
  row(raw`\.?clippy\.toml`, { tools: ["clippy"] }),
  row(raw`\.?rustfmt\.toml`, { tools: ["fmt", "rustfmt"] }),
  row(raw`go\.work`, { tools: ["go"] }),
  row(raw`\.golangci\.\w+`, { tools: ["golangci-lint"] }),
  row(raw`global\.json|Directory\.Build\.(?:props|targets)`, { tools: ["dotnet"] }),
  row(raw`settings\.gradle(?:\.kts)?`, { tools: ["gradle"] }),
  row(raw`\.eslintrc(?:${script})?|eslint\.config${script}`, { tools: ["eslint"] }),
  row(raw`\.prettierrc(?:${script})?|prettier\.config${script}`, { tools: ["prettier"] }),
  row(raw`\.stylelintrc(?:${script})?|stylelint\.config${script}`, { tools: ["stylelint"] }),
  row(raw`\.?biome\.jsonc?`, { tools: ["biome"] }),
  row(raw`tsconfig\.json`, { tools: ["tsc", "vue-tsc", "tsgo", "tsx", "ts-node"] }),
  row(raw`\.rubocop\.yml`, { tools: ["rubocop"] }),
  row(raw`\.nvmrc|\.(?:node|python|ruby|java|go)-version|\.tool-versions|\.?mise(?:\.[\w-]+)*\.toml`),
];

import {
  iniParts,
  jsonParts,
  type ReadParts,
  readHooks,
  strippedPart,
  tomlParts,
  withoutBlocks,
} from "./setting-parts.ts";

/** Settings that decide what a check does. */
export interface SettingRow {
  /** Matches the end of a repo path, from the start of a name on. */
  readonly files: RegExp;
  /** Only where a check names one of these; missing: always. */
  readonly tools?: readonly string[];
  /** Only in the repo's own folder and in those that checks work in: elsewhere such a file serves something else. */
  readonly near?: boolean;
  /** Only these parts of it; missing: the whole file. */
  readonly parts?: ReadParts;
}

function row(files: string, more: Omit<SettingRow, "files"> = {}): SettingRow {
  return { files: new RegExp(`(?:^|/)(?:${files})$`), ...more };
}

const raw = String.raw;
const script = raw`\.(?:[cm]?[jt]s|json[c5]?|ya?ml|toml)`;

/** Test runners, coverage, task runners and CI; then linters and type checkers, where a check runs them. */
export const settingRows: readonly SettingRow[] = [
  row(
    raw`(?:jest|vitest|vite|ava|playwright|playwright-ct|cypress|karma|wdio|nyc|c8|web-test-runner|babel)(?:[.-][\w-]+)*\.(?:config|conf)(?:\.[\w-]+)*${script}`,
  ),
  row(raw`(?:vitest\.workspace|vitest\.projects|karma\.conf|protractor\.conf|wdio\.conf)${script}`),
  row(
    raw`\.(?:mocharc|nycrc|c8rc|taprc|babelrc|jasmine)(?:${script})?|jasmine\.(?:m?js|json)|cypress\.json|bunfig\.toml`,
  ),
  row(raw`\.?pytest\.(?:ini|toml)|tox\.ini|noxfile\.py|\.coveragerc|sitecustomize\.py|usercustomize\.py`),
  row(raw`phpunit(?:\.dist)?\.xml(?:\.dist)?|pest\.php|behat\.ya?ml|\.rspec|\.simplecov`),
  row(raw`\.cargo/config(?:\.toml)?|\.config/nextest\.toml|nextest\.toml|\.mvn/.+|\.testcafe\w*${script}`),
  row(
    raw`Rakefile|(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|[Tt]askfile\.ya?ml|tasks\.py|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs`,
    { near: true },
  ),
  row(
    raw`\.github/(?:workflows|actions)/.+|\.gitea/.+|\.forgejo/.+|\.circleci/.+|\.woodpecker(?:/.+|[\w.-]*\.ya?ml)|\.buildkite/.+`,
  ),
  row(
    raw`\.gitlab-ci(?:[\w.-]*)\.ya?ml|bitbucket-pipelines\.yml|azure-pipelines[\w.-]*\.ya?ml|Jenkinsfile[\w.-]*|\.travis\.yml|\.drone\.yml|\.cirrus\.yml|appveyor\.yml`,
  ),
  row(raw`conftest\.py`, { parts: readHooks }),
  row(raw`setup\.cfg`, {
    parts: iniParts([
      ...["tool:pytest", "coverage", "tox", "testenv", "aliases", "test"].map((key) => ({ key })),
      ...["mypy", "flake8", "pylint", "isort", "pycodestyle", "pydocstyle"].map((key) => ({ key, tools: [key] })),
    ]),
  }),
  row(raw`pyproject\.toml`, {
    parts: tomlParts([
      ...[
        ...[
          "pytest",
          "coverage",
          "tox",
          "nox",
          "hatch.envs",
          "pdm.scripts",
          "poe",
          "taskipy",
          "rye.scripts",
          "pixi.tasks",
        ],
        ...["hatch.scripts", "invoke", "tbump"],
      ].map((key) => ({ key: `tool.${key}` })),
      ...[
        "mypy",
        "ruff",
        "black",
        "isort",
        "pylint",
        "flake8",
        "bandit",
        "pyright",
        "basedpyright",
        "pyrefly",
        "ty",
      ].map((key) => ({
        key: `tool.${key}`,
        tools: [key],
      })),
    ]),
  }),
  row(raw`package\.json`, {
    parts: jsonParts([
      ...[
        "jest",
        "mocha",
        "ava",
        "c8",
        "nyc",
        "vitest",
        "tap",
        "jasmine",
        "karma",
        "cypress",
        "playwright",
        "wireit",
      ].map((key) => ({ key })),
      ...[
        { key: "eslintConfig", tools: ["eslint"] },
        { key: "eslintIgnore", tools: ["eslint"] },
        { key: "xo", tools: ["xo"] },
        { key: "standard", tools: ["standard"] },
        { key: "prettier", tools: ["prettier"] },
        { key: "stylelint", tools: ["stylelint"] },
        { key: "knip", tools: ["knip"] },
      ],
    ]),
  }),
  row(raw`composer\.json`, { parts: jsonParts([{ key: "scripts" }]) }),
  row(raw`deno\.jsonc?`, { parts: jsonParts(["tasks", "test", "lint", "fmt"].map((key) => ({ key }))) }),
  row(raw`Cargo\.toml`, {
    tools: ["cargo"],
    parts: tomlParts([
      ...["lib", "test", "bench", "profile.test", "profile.dev"].map((key) => ({ key })),
      { key: "lints", tools: ["clippy"] },
      { key: "workspace.lints", tools: ["clippy"] },
    ]),
  }),
  row(raw`(?:settings|build)\.gradle(?:\.kts)?`, {
    tools: ["gradle", "gradlew"],
    parts: strippedPart((text) => withoutBlocks(text, /\b(?:dependencies|plugins|repositories)\s*\{/g)),
  }),
  row(raw`gradle\.properties`, { tools: ["gradle", "gradlew"] }),
  row(raw`pom\.xml`, {
    tools: ["mvn", "mvnw"],
    parts: strippedPart((text) =>
      text.replace(/<!--[\s\S]*?(?:-->|$)|<(dependencies|dependencyManagement|version)>[\s\S]*?(?:<\/\1>|$)/g, ""),
    ),
  }),
  row(raw`mix\.exs`, {
    tools: ["mix"],
    parts: strippedPart((text) =>
      text.replace(/^ *defp? deps\b[\s\S]{0,5000}?^ {2}end$/gm, "").replace(/#[^\n]*/g, ""),
    ),
  }),
  row(raw`CMakeLists\.txt`, {
    tools: ["cmake", "ctest"],
    parts: strippedPart((text) =>
      (
        text
          .replace(/#[^\n]*/g, "")
          .match(/\b(?:add_test|enable_testing|set_tests_properties|\w*discover_tests)\s*\([^)]*\)/gi) ?? []
      ).join("\n"),
    ),
  }),
  row(raw`\.eslintrc(?:${script})?|eslint\.config${script}|\.eslintignore`, { tools: ["eslint"] }),
  row(raw`tsconfig(?:[.-][\w.-]+)?\.json`, { tools: ["tsc", "vue-tsc", "tsgo", "svelte-check", "tsd"] }),
  row(raw`\.?biome\.jsonc?`, { tools: ["biome", "rome"] }),
  row(raw`\.?oxlint(?:rc)?(?:\.config)?${script}`, { tools: ["oxlint"] }),
  row(raw`\.prettierrc(?:${script})?|prettier\.config${script}|\.prettierignore`, { tools: ["prettier"] }),
  row(raw`\.stylelintrc(?:${script})?|stylelint\.config${script}|\.stylelintignore`, { tools: ["stylelint"] }),
  row(raw`knip(?:\.config)?${script}|\.knip${script}`, { tools: ["knip"] }),
  row(raw`\.dependency-cruiser${script}`, { tools: ["depcruise"] }),
  row(raw`turbo\.json`, { tools: ["turbo"] }),
  row(raw`nx\.json|project\.json`, { tools: ["nx"] }),
  row(raw`\.?mypy\.ini`, { tools: ["mypy"] }),
  row(raw`\.?ruff\.toml`, { tools: ["ruff"] }),
  row(raw`\.flake8`, { tools: ["flake8"] }),
  row(raw`\.?pylintrc(?:\.toml)?`, { tools: ["pylint"] }),
  row(raw`pyrightconfig\.json`, { tools: ["pyright", "basedpyright"] }),
  row(raw`\.pre-commit-config\.yaml`, { tools: ["pre-commit"] }),
  row(raw`\.golangci\.\w+`, { tools: ["golangci-lint"] }),
  row(raw`\.?clippy\.toml`, { tools: ["clippy"] }),
  row(raw`\.?rustfmt\.toml`, { tools: ["fmt", "rustfmt"] }),
  row(raw`\.rubocop[\w.-]*\.yml`, { tools: ["rubocop"] }),
  row(raw`phpstan[\w.-]*\.neon(?:\.dist)?`, { tools: ["phpstan"] }),
  row(raw`psalm\.xml(?:\.dist)?`, { tools: ["psalm"] }),
  row(raw`\.swiftlint\.yml`, { tools: ["swiftlint"] }),
  row(raw`\.credo\.exs`, { tools: ["mix"] }),
  row(raw`\.formatter\.exs`, { tools: ["mix"] }),
  row(raw`\.shellcheckrc`, { tools: ["shellcheck"] }),
  row(raw`\.yamllint(?:\.ya?ml)?`, { tools: ["yamllint"] }),
  row(raw`\.markdownlint[\w-]*(?:${script})?`, { tools: ["markdownlint", "markdownlint-cli2"] }),
];

/** Those of the words that have settings of their own. */
export function knownTools(words: ReadonlySet<string>): string[] {
  const known = new Set(settingRows.flatMap(({ tools }) => tools ?? []));
  for (const tool of ["mypy", "flake8", "pylint", "isort", "pycodestyle", "pydocstyle", "ruff", "black", "bandit"])
    known.add(tool);
  for (const tool of ["pyright", "basedpyright", "pyrefly", "ty", "xo", "standard", "knip", "clippy"]) known.add(tool);
  return [...words].filter((word) => known.has(word)).sort();
}

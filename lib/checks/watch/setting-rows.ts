import {
  iniParts,
  jsonParts,
  keysOf,
  localImports,
  nodeTools,
  type ReadParts,
  raw,
  row,
  type SettingRow,
  script,
  strippedPart,
  tomlParts,
  withoutBlocks,
  yamlBlock,
} from "./setting-parts.ts";
import { testClass } from "./test-paths.ts";

const makes = ["make", "gmake"];
/** A name of a file of settings, then what may follow it. */
const runners = "jest|vitest|vite|ava|playwright|playwright-ct|cypress|karma|wdio|nyc|c8|web-test-runner|babel";

/** Linters, formatters and type checkers: each counts only if a check runs it. */
const lintRows: readonly SettingRow[] = [
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
  row(raw`\.(?:credo|formatter)\.exs`, { tools: ["mix"] }),
  row(raw`\.shellcheckrc`, { tools: ["shellcheck"] }),
  row(raw`\.yamllint(?:\.ya?ml)?`, { tools: ["yamllint"] }),
  row(raw`\.markdownlint[\w-]*(?:${script})?`, { tools: ["markdownlint", "markdownlint-cli2"] }),
];

/** Up to the bracket that closes the call. */
const inCall = raw`\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`;

/** These calls of a build file, and the test files and folders that it names anywhere. */
function namedTests(calls: RegExp): ReadParts {
  return strippedPart((text) => {
    const code = text.replace(/#[^\n]*/g, "");
    const words = code.match(/[\w./+-]+/g) ?? [];
    const tests = words.filter((word) => testClass(word) !== null || testClass(`${word}/`) !== null);
    return [...(code.match(calls) ?? []), ...tests].join("\n");
  });
}

/** Settings that decide how tests are found and run, by tool; then linters, if a check runs them. */
export const settingRows: readonly SettingRow[] = [
  row(raw`(?:${runners})(?:[.-][\w-]+)*\.(?:config|conf)(?:\.[\w-]+)*${script}`),
  row(raw`(?:vitest\.workspace|vitest\.projects|karma\.conf|protractor\.conf|wdio\.conf)${script}`),
  row(
    raw`\.(?:mocharc|nycrc|c8rc|taprc|babelrc|jasmine)(?:${script})?|jasmine\.(?:m?js|json)|cypress\.json|bunfig\.toml`,
  ),
  row(raw`\.?pytest\.(?:ini|toml)`),
  row(raw`tox\.ini`, { parts: iniParts([...keysOf("tox testenv", ["tox"]), ...keysOf("pytest")]) }),
  row(raw`noxfile\.py`, { tools: ["nox"] }),
  row(raw`\.coveragerc|sitecustomize\.py|usercustomize\.py`),
  row(raw`phpunit(?:\.dist)?\.xml(?:\.dist)?|pest\.php|behat\.ya?ml|\.rspec|\.simplecov`),
  row(raw`\.config/nextest\.toml|nextest\.toml|\.testcafe\w*${script}|.+\.runsettings|xunit\.runner\.json`),
  row(raw`\.cargo/config(?:\.toml)?`, { tools: ["cargo"] }),
  row(raw`\.mvn/.+`, { tools: ["mvn", "mvnw"] }),
  row(raw`(?:GNU)?[Mm]akefile`, { near: true, tools: makes }),
  row(raw`Rakefile`, { near: true, tools: ["rake"] }),
  row(raw`\.?[Jj]ustfile`, { near: true, tools: ["just"] }),
  row(raw`[Tt]askfile\.ya?ml`, { near: true, tools: ["task", "go-task"] }),
  row(raw`tasks\.py`, { near: true, tools: ["invoke", "inv"] }),
  row(raw`\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs`, { near: true, tools: nodeTools }),
  // Another version of the language may run other tests, or none.
  row(raw`\.nvmrc|\.(?:node|python|ruby|java|go)-version|\.tool-versions|\.sdkmanrc`, { near: true }),
  row(raw`\.?mise(?:\.[\w-]+)*\.toml|\.config/mise\.toml|rust-toolchain(?:\.toml)?|go\.work|global\.json`, {
    near: true,
  }),
  row(raw`import[-_]?map\.json`, { near: true, parts: jsonParts([{ key: "imports", keep: localImports }]) }),
  row(raw`pnpm-workspace\.yaml`, { near: true, parts: yamlBlock("packages") }),
  row(
    raw`\.github/(?:workflows|actions)/.+|\.gitea/.+|\.forgejo/.+|\.circleci/.+|\.woodpecker(?:/.+|[\w.-]*\.ya?ml)|\.buildkite/.+`,
  ),
  row(
    raw`\.gitlab-ci(?:[\w.-]*)\.ya?ml|bitbucket-pipelines\.yml|azure-pipelines[\w.-]*\.ya?ml|Jenkinsfile[\w.-]*|\.travis\.yml|\.drone\.yml|\.cirrus\.yml|appveyor\.yml`,
  ),
  row(raw`setup\.cfg`, {
    parts: iniParts([
      ...keysOf("tool:pytest coverage tox testenv aliases test"),
      ..."mypy flake8 pylint isort pycodestyle pydocstyle".split(" ").flatMap((tool) => keysOf(tool, [tool])),
    ]),
  }),
  row(raw`pyproject\.toml`, {
    parts: tomlParts([
      ...keysOf("tool.pytest tool.coverage tool.tox tool.nox tool.hatch.envs tool.hatch.scripts tool.pdm.scripts"),
      ...keysOf("tool.poe tool.taskipy tool.rye.scripts tool.pixi.tasks tool.invoke"),
      ..."mypy ruff black isort pylint flake8 bandit pyright basedpyright pyrefly ty"
        .split(" ")
        .flatMap((tool) => keysOf(`tool.${tool}`, [tool])),
    ]),
  }),
  row(raw`package\.json`, {
    parts: jsonParts([
      ...keysOf("jest mocha ava c8 nyc vitest tap jasmine karma cypress playwright wireit"),
      ...keysOf("volta packageManager devEngines"),
      { key: "imports", each: true },
      { key: "workspaces", each: true },
      ...keysOf("eslintConfig eslintIgnore", ["eslint"]),
      ..."xo standard prettier stylelint knip".split(" ").flatMap((tool) => keysOf(tool, [tool])),
    ]),
  }),
  row(raw`composer\.json`, { parts: jsonParts(keysOf("scripts")) }),
  row(raw`deno\.jsonc?`, {
    parts: jsonParts([
      ...keysOf("tasks test lint fmt importMap workspace"),
      // Deno names its dependencies there too.
      { key: "imports", keep: localImports },
    ]),
  }),
  row(raw`Cargo\.toml`, {
    tools: ["cargo"],
    parts: tomlParts([
      ...keysOf("lib.test lib.harness lib.doctest test package.autotests workspace.exclude"),
      { key: "workspace.members", each: true },
      ...keysOf("workspace.default-members profile.test profile.dev"),
      ...keysOf("lints workspace.lints", ["clippy"]),
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
    parts: namedTests(
      new RegExp(
        raw`\b(?:\w*_tests?|enable_testing|set_tests_properties)${inCall}|\bset_property\s*\(\s*TEST\b[^)]*|\bset\s*\(\s*(?:CTEST_|CMAKE_(?:CROSSCOMPILING_EMULATOR|TEST_LAUNCHER|CTEST_))[^)]*|\b(?:function|macro)\s*\(\s*add_test\b`,
        "gi",
      ),
    ),
  }),
  row(raw`meson\.build`, {
    tools: ["meson", "ninja"],
    parts: namedTests(new RegExp(raw`\b(?:test|benchmark|add_test_setup)${inCall}`, "g")),
  }),
  row(raw`Makefile\.am`, {
    tools: [...makes, "automake", "autoreconf"],
    parts: namedTests(/^(?:\w*(?:TESTS|check_|TEST_|LOG_)\w*\s*\+?=|check[\w-]*\s*::?)(?:[^\\\n]|\\[\s\S]|\n\t)*/gm),
  }),
  // Before the row of type checkers, which counts all of it.
  ...lintRows,
  row(raw`tsconfig(?:[.-][\w.-]+)?\.json`, {
    near: true,
    parts: jsonParts(keysOf("compilerOptions.paths compilerOptions.baseUrl")),
  }),
];

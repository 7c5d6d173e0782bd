import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { compareWatch } from "../../../lib/checks/watch/watch.ts";
import { changesAfter, withWatch } from "./arrange.ts";

type Files = Readonly<Record<string, string>>;

describe("files that tools read", () => {
  const cases: [string, string[][], Files, Files, string[]][] = [
    [
      "toolchain files",
      [["npm", "test"]],
      { ".nvmrc": "20", "rust-toolchain.toml": "a", "docs/.nvmrc": "20" },
      { ".nvmrc": "18", "rust-toolchain.toml": "b", ".tool-versions": "node 18", "docs/.nvmrc": "18" },
      [
        "! setting .nvmrc changed",
        "! setting .tool-versions added: it did not exist at pass 1",
        "! setting rust-toolchain.toml changed",
      ],
    ],
    [
      "the file of nox where nox runs",
      [["nox"]],
      { "noxfile.py": "a" },
      { "noxfile.py": "b" },
      ["! setting noxfile.py changed"],
    ],
    ["no file of nox where it does not run", [["npm", "test"]], { "noxfile.py": "a" }, { "noxfile.py": "b" }, []],
    [
      "workspaces and import maps, and no dependencies",
      [["npm", "test"]],
      { "package.json": '{"dependencies":{}}', "deno.json": '{"imports":{"a":"jsr:a@1"}}' },
      {
        "package.json": '{"dependencies":{"a":"1"},"workspaces":["a"],"imports":{"#a":"./b.js"},"exports":"./a.js"}',
        "deno.json": '{"imports":{"a":"jsr:a@2","b":"./fake.ts"}}',
      },
      ["! setting deno.json#imports added: it did not exist at pass 1"],
    ],
    [
      "each member of a workspace, and no new one",
      [["cargo", "test"]],
      { "Cargo.toml": '[workspace]\nmembers = ["a", "x/b"]\n', "package.json": '{"workspaces":["a","b"]}' },
      { "Cargo.toml": '[workspace]\nmembers = ["c", "a"]\n', "package.json": '{"workspaces":["a","c"]}' },
      ["! setting Cargo.toml#workspace.members.x/b removed", "! setting package.json#workspaces.b removed"],
    ],
    [
      "each name of package.json's own imports, and no new one",
      [["npm", "test"]],
      { "package.json": '{"imports":{"#a":"./a.js","#b":"./b.js"}}' },
      { "package.json": '{"imports":{"#a":"./fake.js","#c":"./c.js"}}' },
      ["! setting package.json#imports.#a changed", "! setting package.json#imports.#b removed"],
    ],
    [
      "no program that the checks only test",
      [["make", "test"]],
      {
        Makefile: "test:\n\tsh test/run.sh\n\tsh scripts/check-docs.sh\n\tnode bin/gen.mjs a | diff - b\n",
        "test/run.sh":
          'for f in test/*.in; do sh bin/report.sh "$f" | diff -u x - ; done\nsh tools/all.sh\n./bin/tool --version\n',
        ...{ "bin/report.sh": "sh bin/part.sh", "bin/part.sh": "", "bin/tool": "", "bin/gen.mjs": "" },
        ...{ "tools/all.sh": "", "scripts/check-docs.sh": "node scripts/list.mjs > out.txt\ncmp out.txt c.txt\n" },
        "scripts/list.mjs": "",
      },
      {
        ...{ "bin/report.sh": "1", "bin/part.sh": "1", "bin/tool": "1", "bin/gen.mjs": "1", "scripts/list.mjs": "1" },
        ...{ "tools/all.sh": "1", "scripts/check-docs.sh": "exit 0" },
      },
      ["! check_file scripts/check-docs.sh changed", "! check_file tools/all.sh changed"],
    ],
    [
      "what a script reads without running it as the work, and what it runs as a check",
      [["npm", "test"]],
      {
        "package.json":
          '{"scripts":{"test":"node --check src/a.mjs && node src/b.mjs && node check.mjs | tee log && node run.mjs"}}',
        ...{ "src/a.mjs": "", "src/b.mjs": "", "check.mjs": "", "run.mjs": "" },
      },
      { "src/a.mjs": "1", "src/b.mjs": "1", "check.mjs": "1", "run.mjs": "1" },
      ["! check_file check.mjs changed", "! check_file run.mjs changed"],
    ],
    [
      "a program that would come before the one of PATH that a check means",
      [["make", "test"]],
      { Makefile: "export PATH := $(CURDIR)/tools:$(PATH)\ntest:\n\tsh test/run.sh\n", "test/run.sh": "diff a b\n" },
      { "tools/diff": "exit 0", "tools/other": "" },
      ["! check_file tools/diff added: it did not exist at pass 1, and it is read or run in place of another one"],
    ],
    [
      "the packages of pnpm, and not its catalogs",
      [["pnpm", "test"]],
      { "pnpm-workspace.yaml": "packages:\n- a # x\ncatalog:\n  a: 1\n" },
      { "pnpm-workspace.yaml": "# y\npackages:\n  - a # x\ncatalog:\n  a: 2\n" },
      [],
    ],
    [
      "less packages of pnpm",
      [["pnpm", "test"]],
      { "pnpm-workspace.yaml": "packages:\n  - a\n  - b\n" },
      { "pnpm-workspace.yaml": "packages:\n  - a\n" },
      ["! setting pnpm-workspace.yaml#packages changed"],
    ],
    [
      "paths of tsconfig.json and no other option, with comments",
      [["npm", "test"]],
      { "tsconfig.json": '{ // a\n"compilerOptions":{"strict":true,},}' },
      { "tsconfig.json": '{ /* b */"compilerOptions":{"strict":false,"paths":{"a":["./b"]}}}' },
      ["! setting tsconfig.json#compilerOptions.paths added: it did not exist at pass 1"],
    ],
    [
      "how cargo finds tests, and no dependencies",
      [["cargo", "test"]],
      { "Cargo.toml": '[package]\nname = "a"\n[lib]\npath = "a.rs"\n[dependencies]\n' },
      {
        "Cargo.toml":
          '[package]\nname = "a"\nautotests = false\n[lib]\npath = "b.rs"\ntest = false\n[[test]]\nname = "a"\nharness = false\n[dependencies]\na = "1"\n',
      },
      ["lib.test", "package.autotests", "test"].map(
        (key) => `! setting Cargo.toml#${key} added: it did not exist at pass 1`,
      ),
    ],
    [
      "included makefiles, there or not",
      [["make", "check"]],
      {
        Makefile: "include mk/*.mk conf.mk\n-include local.mk\ncheck:\n\ttrue\n",
        "mk/a.mk": "x:\n\tsh x.sh\n",
        "x.sh": "",
        "conf.mk": "",
      },
      { "mk/a.mk": "y", "conf.mk": "y", "local.mk": "", "x.sh": "y" },
      [
        "! check_file conf.mk changed",
        "! check_file local.mk added: it did not exist at pass 1, and it is read or run in place of another one",
        "! check_file mk/a.mk changed",
        "! check_file x.sh changed",
      ],
    ],
    [
      "a makefile that a flag names",
      [
        ["make", "-f", "build/x.make"],
        ["make", "-f", "ci.make"],
      ],
      { "ci.make": "a:\n", "build/x.make": "a:\n" },
      { "ci.make": "b:\n", "build/x.make": "b:\n" },
      ["! check_file ci.make changed"],
    ],
    [
      "sourced scripts",
      [["bash", "ci/test.sh"]],
      {
        "ci/test.sh": '. ci/a.sh\nsource "$(dirname "$0")/b.sh"\nHERE=x\n. "$HERE/c"\nsource `dirname $0`/d.sh\n',
        ...{ "ci/a.sh": "", "ci/b.sh": "", "ci/c": "", "ci/d.sh": "", "ci/e.sh": "" },
      },
      { "ci/a.sh": "1", "ci/b.sh": "1", "ci/c": "1", "ci/d.sh": "1", "ci/e.sh": "1" },
      ["a.sh", "b.sh", "c", "d.sh"].map((name) => `! check_file ci/${name} changed`),
    ],
    [
      "no library of shell functions that a test sources, unless it replaces what the test relies on",
      [["sh", "test/run.sh"]],
      {
        "test/run.sh":
          ". ./src/a.sh\n. ./b.sh\n. ./src/c.sh\n. ./src/d.sh\n. ./src/e.sh\n. ./scripts/f.sh\n. ./src/env.sh\n",
        "src/a.sh": "one() { echo 1; }\ndie() { exit 1; }\n",
        "b.sh": "function two() {\n  echo 2\n}\n",
        "src/c.sh": "one() { :; }\ndiff() { :; }\n",
        "src/d.sh": "one() { :; }\ntrap 'exit 0' EXIT\n",
        "src/e.sh": "one() { :; }\nexit 0\n",
        ...{ "scripts/f.sh": "one() { :; }\n", "src/env.sh": "A=1\n" },
      },
      Object.fromEntries(
        ["src/a", "b", "src/c", "src/d", "src/e", "scripts/f", "src/env"].map((name) => [`${name}.sh`, "1"]),
      ),
      ["scripts/f", "src/c", "src/d", "src/e", "src/env"].map((name) => `! check_file ${name}.sh changed`),
    ],
    [
      "scripts of a folder that a command goes into",
      [["sh", "-c", "cd web && npm test"]],
      { "web/package.json": '{"scripts":{"test":"vitest","other":"x"}}' },
      { "web/package.json": '{"scripts":{"test":"true","other":"y"}}' },
      ["! script web/package.json#scripts.test changed: was `vitest`, is `true`"],
    ],
    [
      "no makefile, task file or task list that no check calls",
      [["npm", "test"]],
      { Makefile: "", "tasks.py": "", Rakefile: "" },
      { Makefile: "a", "tasks.py": "a", Rakefile: "a" },
      [],
    ],
  ];
  for (const [what, commands, present, edits, expected] of cases) {
    it(`holds ${what}`, async () =>
      assert.deepEqual(await changesAfter(present, commands, (world) => world.write(edits)), expected));
  }
});

describe("settings above the repo", () => {
  const above: Files = {
    "../pytest.ini": "[pytest]\ntestpaths = none\n",
    "../.npmrc": "script-shell=/bin/true\n",
    "../.mocharc.yml": "spec: none\n",
    "../.cargo/config.toml": "a",
    "../../jest.config.js": "a",
    "../../package.json": '{"name":"a"}',
    "../../../.nvmrc": "18",
  };
  const lines = (names: readonly string[]): string[] =>
    names.map((name) => `! setting ${name} added: it did not exist at pass 1`);

  /** The repo lies three folders deep in the home folder. */
  async function toldOf(command: readonly string[], homeAt = "../.."): Promise<string[]> {
    let found: string[] = [];
    await withWatch({}, [], (world) => {
      const repo = join(world.repo, "h/a/repo");
      mkdirSync(repo, { recursive: true });
      const checks = [{ name: "a", command }];
      const input = () => ({ ...world.input({ checks }), repo, home: join(repo, homeAt), entries: new Map() });
      const record = world.take(input());
      for (const [name, text] of Object.entries(above)) {
        mkdirSync(dirname(join(repo, name)), { recursive: true });
        world.write({ [join("h/a/repo", name)]: text });
      }
      const changes = compareWatch(record, input());
      assert.ok(changes.every(({ side }) => side === "outside"));
      found = world.changes(record, input());
    });
    return found;
  }

  it("count if a check names their tool, up to the home folder", async () => {
    assert.deepEqual(await toldOf(["pytest"]), lines(["../pytest.ini"]));
    assert.deepEqual(await toldOf(["cargo", "test"]), lines(["../.cargo/config.toml"]));
    assert.deepEqual(await toldOf(["npx", "mocha"]), lines(["../.mocharc.yml", "../.npmrc"]));
    assert.deepEqual(await toldOf(["jest"]), lines(["../../jest.config.js"]));
    assert.deepEqual(await toldOf(["jest"], ".."), []);
    assert.deepEqual(await toldOf(["jest"], "../../.."), lines(["../../../.nvmrc", "../../jest.config.js"]));
  });
});

it("watches the settings of a linter, a formatter or a type checker where a check runs it", async () => {
  const settings: Files = {
    ...{ eslint: ".eslintrc.json", tsc: "tsconfig.build.json", biome: "biome.json", oxlint: ".oxlintrc.json" },
    ...{ prettier: ".prettierrc", stylelint: ".stylelintrc.json", knip: "knip.json", turbo: "turbo.json" },
    ...{ depcruise: ".dependency-cruiser.js", nx: "nx.json", mypy: "mypy.ini", ruff: "ruff.toml", flake8: ".flake8" },
    ...{ pylint: ".pylintrc", pyright: "pyrightconfig.json", "pre-commit": ".pre-commit-config.yaml" },
    ...{ "golangci-lint": ".golangci.yml", rustfmt: "rustfmt.toml", rubocop: ".rubocop.yml", phpstan: "phpstan.neon" },
    ...{ psalm: "psalm.xml", swiftlint: ".swiftlint.yml", mix: ".formatter.exs", shellcheck: ".shellcheckrc" },
    ...{ yamllint: ".yamllint", markdownlint: ".markdownlint.json" },
  };
  for (const [tool, file] of Object.entries(settings)) {
    const runs = await changesAfter({ [file]: "{}" }, [[tool]], (world) => world.write({ [file]: "{ }" }));
    assert.ok(
      runs.some((line) => line.startsWith(`! setting ${file}`)),
      `${tool}: ${runs.join("; ")}`,
    );
    assert.deepEqual(
      await changesAfter({ [file]: "{}" }, [["other"]], (world) => world.write({ [file]: "{ }" })),
      [],
      tool,
    );
  }
});

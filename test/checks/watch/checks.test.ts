import assert from "node:assert/strict";
import { chmodSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { compareWatch } from "../../../lib/checks/watch/watch.ts";
import { changesAfter, type WatchWorld, withWatch } from "./arrange.ts";

const manifest = {
  name: "a",
  scripts: { test: "npm run -s unit && eslint .", unit: "NODE_ENV=test vitest run --config=conf/v.mjs", other: "true" },
  jest: { testMatch: ["**/*.js"] },
  dependencies: { a: "1" },
};

function json(change: (value: Record<string, never> & typeof manifest) => void = () => undefined): string {
  const value = structuredClone(manifest);
  change(value as Record<string, never> & typeof manifest);
  return JSON.stringify(value, null, 2);
}

const files = {
  "package.json": json(),
  "conf/v.mjs": "export default {};",
  "bin/npm": "#!/bin/sh\n",
  "node_modules/.bin/vitest": "#!/usr/bin/env node\n",
  "eslint.config.js": "export default [];",
  "tsconfig.json": "{}",
  ".github/workflows/ci.yml": "on: push",
};

function after(edit: (world: WatchWorld) => void): Promise<string[]> {
  return changesAfter(files, [["npm", "test"]], edit);
}

describe("the files that npm test runs", () => {
  const cases: [string, (world: WatchWorld) => void, string[]][] = [
    ["nothing", () => undefined, []],
    [
      'a "test" script that is true',
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { test: "true" })) }),
      ["! script package.json#scripts.test changed: was `npm run -s unit && eslint .`, is `true`"],
    ],
    [
      "a hook before it",
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { preunit: "cp a b" })) }),
      [
        "! script package.json#scripts.preunit changed: the checks run it, and it did not exist at pass 1; it is `cp a b`",
      ],
    ],
    [
      "a script that nothing runs",
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { build: "tsc" })) }),
      [],
    ],
    [
      "a script that is gone",
      (world) => world.write({ "package.json": json(({ scripts }) => Object.assign(scripts, { other: undefined })) }),
      [],
    ],
    [
      "a dependency, and another layout",
      (world) => {
        const value = JSON.parse(json(({ dependencies }) => Object.assign(dependencies, { b: "2" }))) as unknown;
        world.write({ "package.json": `\ufeff${JSON.stringify(value)}` });
      },
      [],
    ],
    [
      "a settings part of package.json",
      (world) => world.write({ "package.json": json(({ jest }) => jest.testMatch.push("none")) }),
      ["! setting package.json#jest changed"],
    ],
    [
      "a package.json that cannot be read",
      (world) => world.write({ "package.json": "{" }),
      [
        "! script package.json#scripts.test removed",
        "! script package.json#scripts.unit removed",
        "! setting package.json added: it did not exist at pass 1",
        "! setting package.json#jest removed",
      ],
    ],
    [
      "another runner in node_modules/.bin",
      (world) => world.write({ "node_modules/.bin/vitest": "#!/bin/true\n" }),
      ["! executable node_modules/.bin/vitest changed"],
    ],
    [
      "a runner that is no longer executable",
      (world) => chmodSync(join(world.repo, "node_modules/.bin/vitest"), 0o644),
      ["! executable node_modules/.bin/vitest removed"],
    ],
    [
      "a link in its place to what nobody can run",
      (world) => {
        unlinkSync(join(world.repo, "node_modules/.bin/vitest"));
        symlinkSync("../../conf/v.mjs", join(world.repo, "node_modules/.bin/vitest"));
      },
      ["! executable node_modules/.bin/vitest removed"],
    ],
    [
      "a program that comes before that of PATH",
      (world) => world.write({ "node_modules/.bin/eslint": "#!/bin/true\n" }),
      [
        "! executable node_modules/.bin/eslint added: it did not exist at pass 1, and it is run in place of another one",
      ],
    ],
    [
      "the program of the check itself",
      (world) => world.write({ "bin/npm": "#!/bin/true\n" }),
      ["! executable bin/npm changed"],
    ],
    ["no program of the check", (world) => world.remove("bin/npm"), ["! executable bin/npm removed"]],
    [
      "a file that a script names",
      (world) => world.write({ "conf/v.mjs": "export default { x: 1 };" }),
      ["! check_file conf/v.mjs changed"],
    ],
    [
      "new settings of a runner",
      (world) => world.write({ "jest.config.ts": "export default {};" }),
      ["! setting jest.config.ts added: it did not exist at pass 1"],
    ],
    [
      "a workflow that is gone",
      (world) => world.remove(".github/workflows/ci.yml"),
      ["! setting .github/workflows/ci.yml removed"],
    ],
    [
      "settings of a tool that it runs, and of one that it does not",
      (world) => world.write({ "eslint.config.js": "export default [{}];", "tsconfig.json": "{ }" }),
      ["! setting eslint.config.js changed"],
    ],
    [
      "settings of fixtures",
      (world) => world.write({ "test/fixtures/a/jest.config.js": "" }),
      ["test test/fixtures/a/jest.config.js added"],
    ],
  ];
  for (const [what, edit, expected] of cases) {
    it(`is told with ${what}`, async () => assert.deepEqual(await after(edit), expected));
  }

  it("tells a link that leads to other bytes, and of a setting that is a link the text it leads to", () =>
    withWatch(
      { "ignored/bin/a": "1", "ignored/bin/b": "2", "ignored/bin/c": "1", "ignored/jest.js": "1" },
      [["npx", "x"]],
      (world) => {
        world.write({ "node_modules/.bin/y": "" });
        const bin = join(world.repo, "node_modules/.bin/x");
        symlinkSync("../../ignored/bin/a", bin);
        symlinkSync("ignored/jest.js", join(world.repo, "jest.config.js"));
        const record = world.take();
        unlinkSync(bin);
        symlinkSync("../../ignored/bin/c", bin);
        assert.deepEqual(world.changes(record), []);
        unlinkSync(bin);
        symlinkSync("../../ignored/bin/b", bin);
        world.write({ "ignored/jest.js": "2" });
        assert.deepEqual(world.changes(record), [
          "! setting jest.config.js changed",
          "! executable node_modules/.bin/x changed",
        ]);
      },
    ));

  it("asks about a script that a check runs and that was not there", async () =>
    assert.deepEqual(
      await changesAfter({}, [["npm", "run", "ci"]], (world) =>
        world.write({ "package.json": '{"scripts":{"ci":"true"}}' }),
      ),
      ["! script package.json#scripts.ci changed: the checks run it, and it did not exist at pass 1; it is `true`"],
    ));

  it("tells a program that another folder of PATH has now", () =>
    withWatch({ "bin/x": "1" }, [["x"]], async (world) => {
      const record = world.take();
      const searchPath = [join(world.repo, "ignored/bin"), join(world.repo, "bin")].join(":");
      // The same program in another place, as on another machine.
      world.write({ "ignored/bin/x": "1" });
      assert.deepEqual(world.changes(record, { searchPath }), []);
      world.write({ "ignored/bin/x": "2" });
      assert.deepEqual(world.changes(record, { searchPath }), [
        "! executable bin/x changed: x now resolves to ignored/bin/x",
      ]);
    }));

  it("keeps no part of a secret that stands where a text is cut", () =>
    withWatch({ "package.json": `{"scripts":{"test":"${"x".repeat(115)} s3cret"}}` }, [["npm", "test"]], (world) => {
      const record = world.take();
      world.write({ "package.json": `{"scripts":{"test":"${"y".repeat(115)} s3cret"}}` });
      assert.doesNotMatch(world.changes(record).join("\n"), /s3c/);
    }));

  it("keeps no secret", () =>
    withWatch(
      { "package.json": '{"scripts":{"test":"x --token=s3cret"}}' },
      [["npm", "test", "s3cret"]],
      async (world) => {
        const record = world.take();
        assert.equal(JSON.stringify(record).includes("s3cret"), false);
        world.write({ "package.json": '{"scripts":{"test":"y --token=s3cret"}}' });
        assert.deepEqual(world.changes(record), [
          "! script package.json#scripts.test changed: was `x --token=[redacted]`, is `y --token=[redacted]`",
        ]);
      },
    ));
});

/** Of these commands: what is told when every one of the files is edited. */
async function edited(commands: string[][], present: Record<string, string>): Promise<string[]> {
  const found = await changesAfter(present, commands, (world) =>
    world.write(Object.fromEntries(Object.entries(present).map(([path, text]) => [path, `${text}\n# more`]))),
  );
  return found.map((line) => line.replace(/: .*/, ""));
}

describe("the files that other checks run", () => {
  const cases: [string[][], Record<string, string>, string[]][] = [
    [
      [["bash", "ignored/check.sh"]],
      { "ignored/check.sh": "./ignored/inner.sh src/a.js\n", "ignored/inner.sh": "true", "src/a.js": "" },
      ["! check_file ignored/check.sh changed", "! check_file ignored/inner.sh changed"],
    ],
    [
      [["./ignored/check.sh", "src"]],
      { "ignored/check.sh": "true", "src/a": "" },
      ["! executable ignored/check.sh changed"],
    ],
    [
      [["sh", "-ec", "CI=1 timeout 5 ./a.sh && node --import ./b.mjs"]],
      { "a.sh": "", "b.mjs": "" },
      ["! check_file a.sh changed", "! check_file b.mjs changed"],
    ],
    [
      [["env", "A=1", "bin/x", "--rc=a.rc"]],
      { "bin/x": "", "a.rc": "" },
      ["! executable bin/x changed", "! check_file a.rc changed"],
    ],
    [
      [["make", "check"]],
      { Makefile: "check:\n\t@ruff check .\n\t./ignored/c.sh\n", "ignored/c.sh": "", "ruff.toml": "", "mypy.ini": "" },
      ["! setting Makefile changed", "! setting ruff.toml changed", "! check_file ignored/c.sh changed"],
    ],
    [
      [["python", "-m", "pytest", "tests/test_a.py", "run.py"]],
      { "tests/test_a.py": "def test_a():\n  assert 1\n", "run.py": "", "pytest.ini": "", "docs/Makefile": "" },
      ["! test tests/test_a.py changed", "! setting pytest.ini changed"],
    ],
    [
      [["pnpm", "-C", "web", "e2e"]],
      { "web/package.json": '{"scripts":{"e2e":"playwright test"}}', "node_modules/.bin/playwright": "" },
      [
        "! script web/package.json#scripts.e2e removed",
        "! setting web/package.json added",
        "! executable node_modules/.bin/playwright changed",
      ],
    ],
    [
      [["npx", "--no-install", "mocha"]],
      { "node_modules/.bin/mocha": "" },
      ["! executable node_modules/.bin/mocha changed"],
    ],
    [[["yarn", "exec", "mocha"]], { "node_modules/.bin/mocha": "" }, ["! executable node_modules/.bin/mocha changed"]],
    [
      [["node", "node_modules/.bin/mocha"]],
      { "node_modules/.bin/mocha": "" },
      ["! executable node_modules/.bin/mocha changed"],
    ],
    [
      [["node", "--run", "all"]],
      {
        "node_modules/.bin/tap": "",
        "package.json": '{"scripts":{"all":"run-s t:*","t:a":"tap -c a.cfg"}}',
        "a.cfg": "",
      },
      [
        "! script package.json#scripts.all removed",
        "! script package.json#scripts.t:a removed",
        "! setting package.json added",
        "! executable node_modules/.bin/tap changed",
        "! check_file a.cfg changed",
      ],
    ],
    [
      [["npm", "test", "-w", "a"]],
      { "package.json": "{}", "a/package.json": '{"scripts":{"test":"ava"}}', "a/node_modules/.bin/ava": "" },
      [
        "! script a/package.json#scripts.test removed",
        "! setting a/package.json added",
        "! setting package.json added",
        "! executable a/node_modules/.bin/ava changed",
      ],
    ],
    [
      [["cargo", "test"]],
      { "Cargo.toml": "[lib]\ntest = true\n", ".cargo/config.toml": "" },
      ["! setting .cargo/config.toml changed"],
    ],
  ];
  for (const [commands, present, expected] of cases) {
    it(`follows ${commands.map((words) => words.join(" ")).join("; ")}`, async () =>
      assert.deepEqual(await edited(commands, present), expected));
  }

  it("ends where scripts call each other, and where files do", async () =>
    assert.deepEqual(
      await edited([["npm", "run", "a"]], {
        "package.json": '{"scripts":{"a":"npm run b","b":"npm run a; sh a.sh"}}',
        "a.sh": "sh a.sh; npm run a",
      }),
      [
        "! script package.json#scripts.a removed",
        "! script package.json#scripts.b removed",
        "! setting package.json added",
        "! check_file a.sh changed",
      ],
    ));

  it("tells a module of the repo that is run in place of the installed one", async () =>
    assert.deepEqual(
      await changesAfter({}, [["python3", "-m", "pytest"]], (world) => world.write({ "pytest.py": "" })),
      ["! check_file pytest.py added: it did not exist at pass 1, and it is read or run in place of another one"],
    ));
});

describe("settings in parts", () => {
  const python =
    '[project]\ndependencies = ["a"]\n[tool.pytest.ini_options]\nmarkers = ["slow"]\naddopts = "-ra -m \'not slow\'"\n[tool.mypy]\nstrict = true\n[tool.hatch.envs.t]\ndependencies = ["a"]\n';
  const cases: [string, string, string, string[]][] = [
    ["pyproject.toml", python, python.replaceAll('["a"]', '["a", "b"]'), []],
    ["pyproject.toml", python, python.replace("not slow", "not sum"), ["! setting pyproject.toml#tool.pytest changed"]],
    [
      "pyproject.toml",
      python,
      python.replace("strict = true", "strict = false"),
      ["! setting pyproject.toml#tool.mypy changed"],
    ],
    ["pyproject.toml", "[", "[[", ["! setting pyproject.toml changed"]],
    [
      "setup.cfg",
      "[options]\nx = 1\n[tool:pytest]\ntestpaths = a\n",
      "[options]\nx = 2\n[tool:pytest]\n# b\ntestpaths = a\n",
      [],
    ],
    [
      "setup.cfg",
      "[tool:pytest]\ntestpaths = a\n",
      "[tool:pytest]\ntestpaths = b\n",
      ["! setting setup.cfg#tool:pytest changed"],
    ],
    ["conftest.py", "", "collect_ignore = ['test_a.py']\n", ["! test conftest.py changed"]],
    [
      "pytest.ini",
      "[pytest]\naddopts = -q\n",
      "[pytest]\naddopts = -q --deselect a\n",
      ["! setting pytest.ini changed"],
    ],
    [
      "pytest.toml",
      "[pytest]\npython_files = ['a']\n",
      "[pytest]\npython_files = ['b']\n",
      ["! setting pytest.toml changed"],
    ],
    ["tox.ini", "[testenv]\ncommands = a\n", "[testenv]\ncommands = b\n", []],
    ["build.gradle", "dependencies {\n a { }\n}\n// c\ntest { }\n", "dependencies {\n a { b }\n}\ntest { }\n", []],
    ["build.gradle", "test { }\n", "test { enabled = false }\n", ["! setting build.gradle changed"]],
    ["pom.xml", "<p><dependencies><d/></dependencies></p>", "<p><dependencies><e/></dependencies> </p>", []],
    ["pom.xml", "<p></p>", "<p><skipTests>true</skipTests></p>", ["! setting pom.xml changed"]],
    ["CMakeLists.txt", "add_library(a a.c)\nadd_test(a b)\n", "add_library(a a.c b.c)\nadd_test(a b)\n", []],
    ["CMakeLists.txt", "add_test(a b)\n", "add_test(a true)\n", ["! setting CMakeLists.txt changed"]],
    ["mix.exs", "  defp deps do\n    [a]\n  end\n", "  defp deps do\n    [a, b]\n  end\n", []],
    ["mix.exs", "", "aliases: [test: []]\n", ["! setting mix.exs changed"]],
  ];
  const commands = [["mypy"], ["./gradlew", "test"], ["mvn"], ["ctest"], ["mix", "test"]];
  for (const [index, [name, was, is, expected]] of cases.entries()) {
    it(`${index + 1}: ${name} tells ${expected.length}`, async () =>
      assert.deepEqual(
        await changesAfter({ [name]: was }, commands, (world) => world.write({ [name]: is })),
        expected,
      ));
  }
});

test("files that a check only reads are the work, and no part of the check", { concurrency: 2 }, async (t) => {
  const looks: readonly (readonly string[])[] = [
    ["grep", "-q", "done", "notes.txt"],
    ["test", "-f", "notes.txt"],
    ["eslint", "notes.txt"],
    ["sh", "-c", "grep -q done notes.txt && cat notes.txt"],
    ["node", "check.mjs", "notes.txt"],
    ["prettier", "--check", "notes.txt"],
  ];
  for (const words of looks) {
    await t.test(words.join(" "), () =>
      withWatch({ "notes.txt": "1\n", "check.mjs": "1;\n" }, [words], (world) => {
        const record = world.take();
        world.write({ "notes.txt": "done\n" });
        assert.deepEqual(world.changes(record), []);
        world.write({ "check.mjs": "2;\n" });
        assert.deepEqual(world.changes(record), words[0] === "node" ? ["! check_file check.mjs changed"] : []);
      }),
    );
  }
});

describe("programs that node_modules/.bin puts before those of PATH", () => {
  const start = { "package.json": '{"scripts":{"test":"runner"}}', "bin/npm": "" };
  const shadow = (bin: string): string =>
    `! executable ${bin} added: it did not exist at pass 1, and it is run in place of another one`;
  const cases: [string, string[], Record<string, string>, string, boolean][] = [
    [
      "the interpreter of a runner",
      ["npm", "test"],
      { "node_modules/.bin/runner": "#!/usr/bin/env node\n" },
      "node",
      true,
    ],
    [
      "an interpreter that is seldom used",
      ["npm", "test"],
      { "node_modules/.bin/runner": "#!/usr/bin/env -S A=1 tsx --x\n" },
      "tsx",
      true,
    ],
    [
      "what a runner starts that is a text for a shell",
      ["pnpm", "exec", "runner"],
      { "node_modules/.bin/runner": "#!/bin/sh\ncd a && exec mytool --test\n" },
      "mytool",
      true,
    ],
    [
      "what the interpreter of a runner is started with in turn",
      ["npm", "test"],
      { "node_modules/.bin/runner": "#!/usr/bin/env inner\n", "node_modules/.bin/inner": "#!/usr/bin/env mytool\n" },
      "mytool",
      true,
    ],
    ["what any program may start", ["npx", "runner"], {}, "python3", true],
    [
      "a name that nothing starts",
      ["npm", "test"],
      { "node_modules/.bin/runner": "#!/bin/sh\ntrue\n" },
      "other",
      false,
    ],
    ["an interpreter where PATH comes first", ["make", "-s"], { Makefile: "all:\n\ttrue\n" }, "node", false],
  ];
  for (const [what, command, more, name, told] of cases) {
    it(`${told ? "tells" : "does not tell"} ${what}`, async () => {
      const bin = `node_modules/.bin/${name}`;
      const found = await changesAfter({ ...start, ...more }, [command], (world) => {
        world.write({ "node_modules/.bin/.keep": "" });
        symlinkSync("/bin/true", join(world.repo, bin));
      });
      assert.deepEqual(found, told ? [shadow(bin)] : []);
    });
  }

  it("tells it of the folder of a package, and follows a runner that is a link", async () =>
    withWatch(
      {
        "web/package.json": '{"scripts":{"test":"runner"}}',
        "node_modules/runner/cli.js": "#!/usr/bin/env mytool\n",
        "node_modules/.bin/x": "",
      },
      [["npm", "test", "--prefix", "web"]],
      (world) => {
        symlinkSync("../runner/cli.js", join(world.repo, "node_modules/.bin/runner"));
        const record = world.take();
        world.write({ "web/node_modules/.bin/mytool": "", "web/node_modules/.bin/sh": "" });
        assert.deepEqual(world.changes(record), [
          shadow("web/node_modules/.bin/mytool"),
          shadow("web/node_modules/.bin/sh"),
        ]);
      },
    ));

  it("ends with runners that start each other, and with one that leads nowhere", async () =>
    withWatch({ ...start, "node_modules/.bin/a": "#!/bin/sh\nrunner\n" }, [["npm", "test"]], (world) => {
      world.write({ "node_modules/.bin/runner": "#!/usr/bin/env a\n" });
      symlinkSync("loop", join(world.repo, "node_modules/.bin/loop"));
      const checks = [
        ["npm", "test"],
        ["npx", "loop"],
      ].map((command) => ({ name: command.join(" "), command }));
      assert.deepEqual(world.changes(world.take({ checks }), { checks }), []);
    }));
});

it("says of a changed program, file or setting how large it was and is, and its digests", () =>
  withWatch(
    { "ignored/check.sh": "x".repeat(1_204), ".coveragerc": "1\n", "package.json": '{"jest":1}' },
    [["./ignored/check.sh"]],
    (world) => {
      const record = world.take();
      world.write({ "ignored/check.sh": "exit 0\n", ".coveragerc": "", "package.json": '{"jest":2}' });
      const details = compareWatch(record, world.input()).map(({ name, detail }) => `${name}: ${detail}`);
      const hash = (name: string): string =>
        record.things.find((thing) => thing.name === name)?.digest.slice(0, 12) ?? "";
      const now = world.take();
      const then = (name: string): string => now.things.find((thing) => thing.name === name)?.digest.slice(0, 12) ?? "";
      assert.deepEqual(details, [
        `.coveragerc: was 2 bytes ${hash(".coveragerc")}, is 0 bytes ${then(".coveragerc")}`,
        `package.json#jest: was ${hash("package.json#jest")}, is ${then("package.json#jest")}`,
        `ignored/check.sh: was 1,204 bytes ${hash("ignored/check.sh")}, is 7 bytes ${then("ignored/check.sh")}`,
      ]);
      // Records of before sizes were kept are read all the same.
      const older = record.things.map((thing) => (thing.kind === "test" ? thing : { ...thing, size: null }));
      const found = compareWatch({ ...record, things: older }, world.input()).find(
        ({ name }) => name === ".coveragerc",
      );
      assert.equal(found?.detail, `was ${hash(".coveragerc")}, is 0 bytes ${then(".coveragerc")}`);
    },
  ));

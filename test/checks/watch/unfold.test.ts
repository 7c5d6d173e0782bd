import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { changesAfter, withWatch } from "./arrange.ts";

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
      [["make", "-C", "web", "check"]],
      { "web/Makefile": "check:\n\truff check .\n", Makefile: "check:\n\tmypy .\n", "ruff.toml": "", "mypy.ini": "" },
      ["! setting Makefile changed", "! setting ruff.toml changed", "! setting web/Makefile changed"],
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
